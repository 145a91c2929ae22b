"""One tick of the hAPI pantograph: answer bytes to a sample row, a force to two torques.

Called by the hAPI driver; all memory lies in the arrays given. An answer is the device number and two f32 angles in
degrees. Frames are found from the end of what has come: the first start from which the bytes are whole answers.
"""

import math

from hapticd.kernel._jit import kernel
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_POSITION, SAMPLE_Q, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_NONE, SAMPLE_OK

from .count_velocity import count_rate, push_counts
from .five_bar import force_to_torque, tip_and_jacobian
from .refusal import GAP, REFUSED_RUN, STARTED, refuse
from .spidar_frame import append_bytes, keep_from

# Cells of the memory row, behind those of `refusal`.
REFUSED = 3
FRAMES = 4
STALE = 5
FILL = 6  # bytes kept
SKIPPED = 7
MEMORY_SIZE = 8

# Cells of the setting row.
PERIOD = 0  # s
PER_TURN = 1  # counts
STEP_LIMIT = 2  # counts per tick
LINK_INNER = 3  # m
LINK_OUTER = 4
LINK_SPAN = 5
LIMIT = 6  # Nm
ORIGIN = 7  # 7..8, m
FADE = 9  # shape of the linkage below which the force fades out
SETTING_SIZE = 10

ANSWER_SIZE = 9
KEPT = 256
LARGEST_ANGLE = 3600.0  # degrees: ten turns of a linkage that cannot do one
TWO_PI = 2.0 * math.pi


@kernel
def decode_tick(raw, count, device, setting, memory, counts, history, linkage, kept, words, word_bytes, sample):
    """The newest answer as a sample row; a sample code."""
    have = append_bytes(raw, count, kept, int(memory[FILL]))
    start = 0
    while start < have and not whole_answers(kept, start, have, device, words, word_bytes):
        start += 1
    whole = (have - start) // ANSWER_SIZE
    end = start + whole * ANSWER_SIZE
    if whole > 0:
        read_angles(kept, end - ANSWER_SIZE, word_bytes)
    memory[FILL] = keep_from(kept, end, have)
    memory[SKIPPED] += start
    if whole == 0:
        memory[GAP] += 1.0
        return SAMPLE_NONE
    memory[FRAMES] += 1.0
    memory[STALE] += whole - 1
    return angles_to_sample(setting, memory, counts, history, linkage, words, sample)


@kernel
def whole_answers(kept, start, have, device, words, word_bytes):
    """Do the bytes from `start` on read as answers, the last one perhaps not whole?"""
    at = start
    while at < have:
        if kept[at] != device:
            return False
        if at + ANSWER_SIZE <= have:
            read_angles(kept, at, word_bytes)
            if not (abs(words[0]) <= LARGEST_ANGLE and abs(words[1]) <= LARGEST_ANGLE):
                return False
        at += ANSWER_SIZE
    return True


@kernel
def read_angles(kept, at, word_bytes):
    """Two little-endian f32 from the bytes behind the device number; `word_bytes` are the bytes of `words`."""
    for k in range(8):
        word_bytes[k] = kept[at + 1 + k]


@kernel
def angles_to_sample(setting, memory, counts, history, linkage, words, sample):
    span = memory[GAP] - memory[REFUSED_RUN] + 1.0  # refused answers came in time: they widen nothing
    per_degree = setting[PER_TURN] / 360.0
    first = math.floor(float(words[0]) * per_degree + 0.5)
    second = math.floor(float(words[1]) * per_degree + 0.5)
    if memory[STARTED] != 0.0:
        limit = setting[STEP_LIMIT] * span
        if abs(first - counts[0]) > limit or abs(second - counts[1]) > limit:
            return refuse(memory, REFUSED)
    trial_1, trial_2 = first / setting[PER_TURN], second / setting[PER_TURN]
    if not tip_and_jacobian(trial_1, trial_2, setting[LINK_INNER], setting[LINK_OUTER], setting[LINK_SPAN], linkage):
        return refuse(memory, REFUSED)
    counts[0], counts[1] = first, second
    if memory[STARTED] == 0.0:
        memory[STARTED] = 1.0
        for k in range(history.shape[1]):
            history[0, k] = first
            history[1, k] = second
    else:
        push_counts(counts, int(memory[GAP]), history)
    memory[GAP] = 0.0
    memory[REFUSED_RUN] = 0.0
    rate = TWO_PI / setting[PER_TURN] / setting[PERIOD]
    w1, w2 = count_rate(history, 0) * rate, count_rate(history, 1) * rate
    for r in range(sample.shape[0]):
        sample[r] = 0.0
    sample[SAMPLE_POSITION] = linkage[0] - setting[ORIGIN]
    sample[SAMPLE_POSITION + 1] = linkage[1] - setting[ORIGIN + 1]
    sample[SAMPLE_Q + 3] = 1.0
    sample[SAMPLE_VELOCITY] = linkage[2] * w1 + linkage[3] * w2
    sample[SAMPLE_VELOCITY + 1] = linkage[4] * w1 + linkage[5] * w2
    sample[SAMPLE_HELD] = 1.0
    return SAMPLE_OK


@kernel
def encode_tick(wrench, setting, linkage, command, words, rendered):
    """Torques (f32) for the force in the plane; `rendered` is the force that they give."""
    fx, fy = wrench[0], wrench[1]
    if not (abs(fx) < 1e6 and abs(fy) < 1e6):
        fx, fy = 0.0, 0.0
    # the sine falls like the root of the way to the singular place: its square fades evenly along that way
    gain = min(1.0, linkage[6] * linkage[6] / (setting[FADE] * setting[FADE]))
    force_to_torque(gain * fx, gain * fy, setting[LIMIT], linkage, command)
    words[0], words[1] = command[0], command[1]
    for r in range(6):
        rendered[r] = 0.0
    rendered[0], rendered[1] = command[2], command[3]
