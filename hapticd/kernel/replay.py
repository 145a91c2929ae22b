"""Recorded ticks again, many in one call: the same `servo_tick`, with Inputs from the log instead of from `gather`.

Gets the recorded rows as arrays (hapticd/replay.py), gives slots to be compared with the record. What the driver did
(bytes, rendered wrench, clamped motors) comes from the record, too, and is tried by driverrun.py.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.guard.layout import (
    COMMAND_SIZE,
    INPUT_COMMANDS,
    INPUT_SIZE,
    WORD_LIMITS,
    WORD_SENT,
    WRENCH_RENDERED,
    WRENCH_SENT,
)
from hapticd.kernel.guard.passivity import hold
from hapticd.kernel.layout import SAMPLE_SIZE
from hapticd.kernel.show import show_guard
from hapticd.kernel.tick import servo_tick


@kernel
def replay_ticks(m, s, w, solid, inputs, safety, slots, recorded, first, last):
    """Rows first..last-1 of the record into the slots of the same numbers."""
    for i in range(first, last):
        for k in range(INPUT_SIZE):
            inputs.word[k] = recorded.word[i, k]
        for row in range(inputs.word[INPUT_COMMANDS]):
            for k in range(COMMAND_SIZE):
                inputs.command[row, k] = recorded.command[i, row, k]
        for k in range(SAMPLE_SIZE):
            inputs.sample[k] = recorded.sample[i, k]
        servo_tick(m, s, w, solid, inputs, safety, slots, i)
        render(safety.wrench, recorded.rendered, i)
        safety.word[WORD_SENT] = recorded.sent_count[i]
        safety.word[WORD_LIMITS] |= recorded.clamped[i]
        hold(safety)
        show_guard(safety, slots, i)


@kernel
def render(wrench, rendered, i):
    """What the device gave: as recorded; NaN there says that it is not known, and stands for all that was sent."""
    for k in range(6):
        known = rendered[i, k] == rendered[i, k]
        wrench[WRENCH_RENDERED, k] = rendered[i, k] if known else wrench[WRENCH_SENT, k]
