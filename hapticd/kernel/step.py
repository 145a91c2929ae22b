"""One tick of the world as a column of calls, in the order of the data; `step` runs many without leaving the kernel.

    scripts, device -> poses -> boxes -> pairs -> contacts and their forces -> coupling -> motion

Contacts and velocities are those of the tick's beginning, and so is the wrench that the device renders: it answers the
pose that came in. Then momenta and positions move on (symplectic Euler). Everything that the next tick needs is in
State.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.contact.broad import find_pairs, world_boxes
from hapticd.kernel.contact.pair import pair_contact
from hapticd.kernel.force.beside import area_beside, link
from hapticd.kernel.force.carry import carry
from hapticd.kernel.force.pair import begin, needs_solid, pair_force, patch_motion
from hapticd.kernel.layout import (
    BODY_POSITION,
    BODY_Q,
    LAW_AGE,
    OPTION_BODIES,
    OPTION_COUPLED,
    OPTION_MATERIALS,
    OPTION_PARTS,
    OPTION_PER_AREA,
    OPTION_POINTER,
    OPTION_SOLVER,
    REPORT_DROPPED,
    REPORT_REBUILDS,
    REPORT_TOUCHING,
    REPORT_WORST,
    VOLUME,
    WORLD_MARGIN,
    WORLD_STEP,
    Near,
)
from hapticd.kernel.motion.body import integrate
from hapticd.kernel.motion.pointer import felt, follow_device, pull
from hapticd.kernel.motion.script import follow_scripts
from hapticd.kernel.status import CONTACT_NONE
from hapticd.kernel.vector import write_pose


@kernel
def step(m, s, w, solid, n):
    """n ticks: Model m is read, State s and Work w are written; solid is scratch."""
    for _ in range(n):
        tick(m, s, w, solid)


@kernel
def tick(m, s, w, solid):
    dt = m.world[WORLD_STEP]
    n_body, p = m.option[OPTION_BODIES], m.option[OPTION_POINTER]
    direct = p >= 0 and m.option[OPTION_COUPLED] == 0
    follow_scripts(m.kind, m.script, n_body, s.tick[0] * dt, s.body)
    if direct:
        follow_device(s.device, m.origin, p, m.world, s.body)
    write_poses(s.body, n_body, w.X_W)
    near_pairs(m, s, w)
    forces(m, s, w, solid, dt)
    if direct:
        felt(m.origin, p, s.body, w.wrench, w.pointer)
    elif p >= 0:
        pull(s.device, m.origin, p, m.world, s.body, w.wrench, w.pointer)
    integrate(m.kind, m.mass, m.world, n_body, dt, w.wrench, s.applied, s.body)
    s.tick[0] += 1


@kernel
def write_poses(body, n_body, X_W):
    for i in range(n_body):
        write_pose(
            X_W, i, body[i, BODY_POSITION], body[i, BODY_POSITION + 1], body[i, BODY_POSITION + 2],
            body[i, BODY_Q], body[i, BODY_Q + 1], body[i, BODY_Q + 2], body[i, BODY_Q + 3],
        )  # fmt: skip


@kernel
def near_pairs(m, s, w):
    """Boxes of this tick; a new pair list when a part has left the fattened box that the old list was made with."""
    n_part = m.option[OPTION_PARTS]
    world_boxes(m.shapes.box, m.part_body, w.X_W, n_part, 0.0, w.low, w.high)
    if within(w.low, w.high, s.fat_low, s.fat_high, n_part):
        return
    world_boxes(m.shapes.box, m.part_body, w.X_W, n_part, m.world[WORLD_MARGIN], s.fat_low, s.fat_high)
    near = Near(s.fat_low, s.fat_high, w.order, w.head, w.entry, w.count, w.found)
    found = find_pairs(near, m.part_body, m.still, n_part)
    room = s.pair.shape[0]
    w.report[REPORT_DROPPED] = max(0, found - room)
    w.report[REPORT_REBUILDS] += 1
    carry(
        min(found, room), w.found, s.pair_count, s.pair, s.touch, s.contact, s.law,
        w.old_pair, w.old_touch, w.old_contact, w.old_law,
    )  # fmt: skip


@kernel
def within(low, high, fat_low, fat_high, n_part):
    for i in range(n_part):
        for k in range(3):
            # written so that a body lost to NaN asks for a new list every tick, and never for an old one
            if not (fat_low[i, k] <= low[i, k] and high[i, k] <= fat_high[i, k]):
                return False
    return True


@kernel
def forces(m, s, w, solid, dt):
    """Contact and wrench of every pair, in the order of the list: sums are the same bits in every run."""
    materials, pointer = m.option[OPTION_MATERIALS], m.option[OPTION_POINTER]
    solver, per_area = m.option[OPTION_SOLVER], m.option[OPTION_PER_AREA]
    shapes, X_W = m.shapes, w.X_W
    contact, law, touch, wrench = s.contact, s.law, s.touch, w.wrench
    for i in range(m.option[OPTION_BODIES]):
        for k in range(6):
            wrench[i, k] = 0.0
    shared_contacts(m, s, w, solid, dt)
    touching = worst = 0
    for i in range(s.pair_count[0]):
        part_a, part_b = s.pair[i, 0], s.pair[i, 1]
        a, b = m.part_body[part_a], m.part_body[part_b]
        g = m.material[a] * materials + m.material[b]
        shares = w.near[i] and w.partner[i] != i
        status = touch[i] if shares else CONTACT_NONE
        # The solid is scratch memory of one pair at a time: that of a contact found before is made again if asked for.
        if w.near[i] and (not shares or (status != CONTACT_NONE and needs_solid(m.gain, g, solver))):
            status = pair_contact(shapes, part_a, part_b, X_W, a, b, solid, contact, i)
        if status != CONTACT_NONE:
            beside = area_beside(contact, law, i, w.partner, w.stiffness, s.pair_count[0]) if shares else 0.0
            pair_force(
                contact, law, i, a, b, s.body, m.gain, g, solver, per_area, beside, a == pointer or b == pointer, dt,
                solid, wrench, w.pair_wrench,
            )  # fmt: skip
            touching += 1
            worst = max(worst, status)
        else:
            end(contact, law, i, w.pair_wrench)
        touch[i] = status
    w.report[REPORT_TOUCHING], w.report[REPORT_WORST] = touching, worst


@kernel
def shared_contacts(m, s, w, solid, dt):
    """Contacts that share a stiffness with others are all found before the first force is worked out."""
    pointer = m.option[OPTION_POINTER]
    for i in range(s.pair_count[0]):
        w.near[i] = overlap(w.low, w.high, s.pair[i, 0], s.pair[i, 1])
    link(m, s, w.near, w.latest, w.partner, w.stiffness)
    for i in range(s.pair_count[0]):
        if w.near[i] and w.partner[i] != i:
            part_a, part_b = s.pair[i, 0], s.pair[i, 1]
            a, b = m.part_body[part_a], m.part_body[part_b]
            s.touch[i] = pair_contact(m.shapes, part_a, part_b, w.X_W, a, b, solid, s.contact, i)
            if s.touch[i] != CONTACT_NONE and s.law[i, LAW_AGE] == 0.0:
                motion = patch_motion(s.contact, i, a, b, s.body)
                begin(s.contact, s.law, i, motion, a == pointer or b == pointer, dt)


@kernel
def overlap(low, high, a, b):
    for k in range(3):
        if low[a, k] > high[b, k] or low[b, k] > high[a, k]:
            return False
    return True


@kernel
def end(contact, law, i, pair_wrench):
    """No contact, or one that is over: friction forgets, the direction stays for the next search."""
    contact[i, VOLUME] = 0.0
    law[i, LAW_AGE] = 0.0
    for k in range(pair_wrench.shape[1]):
        pair_wrench[i, k] = 0.0
