"""What a tick shows: the slot of the ring, written last. Publisher, recorder and views read nothing else.

Contacts are those of the tick's beginning, bodies those of its end. Outlines of contacts are worked out for people, in
every SHOW_EVERY-th tick only: each costs a second clip of its pair.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.contact.pair import pair_contact
from hapticd.kernel.contact.section import section_polygon
from hapticd.kernel.guard.layout import (
    COMMAND_SIZE,
    INPUT_COMMANDS,
    INPUT_SIZE,
    MEMORY_SHOWN,
    MEMORY_SHOWN_COUNT,
    OF_BODY_A,
    OF_BODY_B,
    OF_PART_A,
    OF_PART_B,
    OF_POINT,
    OF_POINTS,
    OF_STATUS,
    SHOWN_AREA,
    SHOWN_CENTRE,
    SHOWN_DEPTH,
    SHOWN_NORMAL,
    SHOWN_VOLUME,
    SHOWN_WRENCH,
    WORD_BODIES,
    WORD_CONTACTS,
    WORD_POINTS,
    WORD_SHOWN,
    WORD_TICK,
    WRENCH_ROWS,
)
from hapticd.kernel.layout import (
    AREA,
    BODY_POSITION,
    BODY_VELOCITY,
    CENTRE,
    CONTACT_SIZE,
    DEPTH,
    DEVICE_SIZE,
    NORMAL,
    OPTION_BODIES,
    SAMPLE_SIZE,
    VOLUME,
)
from hapticd.kernel.status import CONTACT_NONE

SHOW_EVERY = 8  # ticks between outlines: 125 Hz at 1 kHz, twice what views draw
POINTS_PER_CONTACT = 16


@kernel
def show(option, part_body, s, pair_wrench, inputs, safety, slots, i):
    """Slot i but for its marks, times and bytes, which the shell adds, and the outlines."""
    slots.tick[i] = safety.word[WORD_TICK]
    for k in range(INPUT_SIZE):
        slots.input[i, k] = inputs.word[k]
    for row in range(inputs.word[INPUT_COMMANDS]):
        for k in range(COMMAND_SIZE):
            slots.command[i, row, k] = inputs.command[row, k]
    for k in range(SAMPLE_SIZE):
        slots.sample[i, k] = inputs.sample[k]
    for k in range(DEVICE_SIZE):
        slots.pointer[i, k] = s.device[k]
    show_bodies(option, s.body, safety, slots.body, i)
    show_contacts(part_body, s, pair_wrench, safety, slots, i)


@kernel
def show_guard(safety, slots, i):
    """The guard's part, after encode: it holds what the driver says that it rendered."""
    for row in range(WRENCH_ROWS):
        for k in range(6):
            slots.wrench[i, row, k] = safety.wrench[row, k]
    for k in range(WORD_SHOWN):
        slots.word[i, k] = safety.word[k]
    for k in range(MEMORY_SHOWN_COUNT):
        slots.guard[i, k] = safety.memory[MEMORY_SHOWN + k]


@kernel
def show_bodies(option, body, safety, shown, i):
    n = min(option[OPTION_BODIES], shown.shape[1])
    for j in range(n):
        for k in range(7):
            shown[i, j, k] = body[j, BODY_POSITION + k]
        for k in range(6):
            shown[i, j, 7 + k] = body[j, BODY_VELOCITY + k]
    safety.word[WORD_BODIES] = n


@kernel
def show_contacts(part_body, s, pair_wrench, safety, slots, i):
    n = 0
    for j in range(s.pair_count[0]):
        if s.touch[j] == CONTACT_NONE or n >= slots.contact.shape[1]:
            continue
        of, row = slots.contact_of[i, n], slots.contact[i, n]
        a, b = s.pair[j, 0], s.pair[j, 1]
        of[OF_BODY_A], of[OF_BODY_B], of[OF_PART_A], of[OF_PART_B] = part_body[a], part_body[b], a, b
        of[OF_STATUS], of[OF_POINT], of[OF_POINTS] = s.touch[j], 0, 0
        row[SHOWN_VOLUME], row[SHOWN_AREA] = s.contact[j, VOLUME], s.contact[j, AREA]
        row[SHOWN_DEPTH] = s.contact[j, DEPTH]
        for k in range(3):
            row[SHOWN_NORMAL + k] = s.contact[j, NORMAL + k]
            row[SHOWN_CENTRE + k] = s.contact[j, CENTRE + k]
        for k in range(6):
            row[SHOWN_WRENCH + k] = pair_wrench[j, k]
        n += 1
    safety.word[WORD_CONTACTS] = n


@kernel
def show_outlines(m, s, w, solid, safety, slots, i):
    """The polygons of the contacts that `show` has listed, for people only: no part of the state, nor of a replay."""
    if slots.tick[i] % SHOW_EVERY:
        return
    n = points = 0
    for j in range(s.pair_count[0]):
        if s.touch[j] == CONTACT_NONE or n >= slots.contact.shape[1]:
            continue
        corners = outline(m, s, w, solid, j, slots.point[i], points)
        slots.contact_of[i, n, OF_POINT], slots.contact_of[i, n, OF_POINTS] = points, corners
        points += corners
        n += 1
    slots.word[i, WORD_POINTS] = points


@kernel
def outline(m, s, w, solid, j, point, first):
    """Corners of pair j's outline into point[first:], by clipping it again; the state is not touched."""
    room = min(point.shape[0] - first, POINTS_PER_CONTACT)
    if room < 3:
        return 0
    for k in range(CONTACT_SIZE):
        w.old_contact[j, k] = s.contact[j, k]
    a, b = s.pair[j, 0], s.pair[j, 1]
    pair_contact(m.shapes, a, b, w.X_W, m.part_body[a], m.part_body[b], solid, w.old_contact, j)
    return section_polygon(solid, w.old_contact, j, point[first : first + room])
