"""One tick of the servo as a column of calls: from the inputs to the wrench that may leave.

    inputs -> mode -> commands -> pointer -> energy -> world -> wanted wrench -> limits -> slot

Gets Inputs from the shell (live: gather.py; replay: the log), gives row SENT of Safety.wrench to the driver. With the
same Model, State, Safety and Inputs the result has the same bits: nothing else enters.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.guard.command import end_pushes, run_commands
from hapticd.kernel.guard.events import note
from hapticd.kernel.guard.layout import (
    INPUT_RAW,
    INPUT_RENEW,
    INPUT_SCENE,
    WORD_CAUSE,
    WORD_GENERATION,
    WORD_MODE,
    WORD_PAUSED,
    WORD_SENT,
    WORD_STATUS,
    WORD_TICK,
)
from hapticd.kernel.guard.limits import limit_wrench
from hapticd.kernel.guard.mode import advance_mode, restart_ramp
from hapticd.kernel.guard.passivity import control, hold, observe
from hapticd.kernel.guard.states import CAUSE_COMMAND, CAUSE_NUMERIC, EVENT_SCENE, FAULT
from hapticd.kernel.layout import OPTION_POINTER, REPORT_WORST
from hapticd.kernel.motion.pointer import begin_at_device
from hapticd.kernel.pose.mount import place_pointer, wanted_wrench
from hapticd.kernel.show import show, show_guard, show_outlines
from hapticd.kernel.step import tick


@kernel
def servo_tick(m, s, w, solid, inputs, safety, slots, i):
    """Everything but bytes and clocks; returns the mode."""
    begin_tick(m.world, m.gain, m.option, s.applied, s.device, inputs, safety)
    if inputs.word[INPUT_RENEW] and m.option[OPTION_POINTER] >= 0:
        begin_at_device(s.device, m.origin, m.option[OPTION_POINTER], s.body)
    if not safety.word[WORD_PAUSED]:
        tick(m, s, w, solid)
    return end_tick(m.option, m.part_body, s, w.pointer, w.report, w.pair_wrench, inputs, safety, slots, i)


@kernel
def begin_tick(world, gain, option, applied, device, inputs, safety):
    """Mode, commands, where the pointer is, what the hand did."""
    advance_mode(inputs, safety)
    if inputs.word[INPUT_RENEW]:
        note(safety, EVENT_SCENE, inputs.word[INPUT_SCENE], safety.word[WORD_GENERATION], 0)
        restart_ramp(safety, CAUSE_COMMAND)
    run_commands(world, gain, option, applied, inputs, safety)
    place_pointer(safety, device)
    observe(safety)


@kernel
def end_tick(option, part_body, s, pointer_wrench, report, pair_wrench, inputs, safety, slots, i):
    """The wrench through all limits, and the slot; returns the mode."""
    word = safety.word
    if word[WORD_PAUSED]:
        clear_results(pointer_wrench, report)
    else:
        end_pushes(option, s.applied, safety)
    word[WORD_STATUS] = report[REPORT_WORST]
    wanted_wrench(safety, pointer_wrench)
    control(safety)
    limit_wrench(safety)
    if word[WORD_MODE] == FAULT and word[WORD_CAUSE] == CAUSE_NUMERIC:
        word[WORD_PAUSED] = 1  # a world that has lost its numbers does not find them again
    show(option, part_body, s, pair_wrench, inputs, safety, slots, i)
    word[WORD_TICK] += 1
    return word[WORD_MODE]


@kernel
def clear_results(pointer_wrench, report):
    """What the last step gave is not felt in a pause; and a replay that begins in it could not know."""
    report[REPORT_WORST] = 0
    for k in range(pointer_wrench.shape[0]):
        pointer_wrench[k] = 0.0


@kernel
def finish_tick(m, s, w, solid, inputs, safety, slots, i, raw, sent):
    """After the bytes are out: what was rendered goes into the account, and the rest into slot i."""
    hold(safety)
    show_guard(safety, slots, i)
    show_outlines(m, s, w, solid, safety, slots, i)
    for k in range(inputs.word[INPUT_RAW]):
        slots.raw[i, k] = raw[k]
    for k in range(safety.word[WORD_SENT]):
        slots.sent[i, k] = sent[k]
