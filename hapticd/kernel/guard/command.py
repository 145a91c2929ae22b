"""Commands of one tick: each is judged, done or refused, and answered by an event with its number.

A safety limit may be lowered, never raised; numbers must be finite; an unknown target changes nothing. Gets Inputs from
`gather.py`, changes Safety, Model and State.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.guard.events import enter, note
from hapticd.kernel.guard.layout import (
    COMMAND_CODE,
    COMMAND_ID,
    COMMAND_SIZE,
    COMMAND_TARGET,
    COMMAND_TICKS,
    COMMAND_VALUE,
    INPUT_COMMANDS,
    INPUT_RENEW,
    INPUT_STOP,
    LIMIT_FORCE,
    LIMIT_MAY_ARM,
    LIMIT_SPEED,
    LIMIT_SPIN,
    LIMIT_TORQUE,
    WORD_LEAK,
    WORD_LEAVING,
    WORD_MISSED_ROW,
    WORD_MODE,
    WORD_PAUSED,
    WORD_SAMPLES,
)
from hapticd.kernel.guard.mode import restart_ramp
from hapticd.kernel.guard.states import (
    ARMING,
    CAUSE_COMMAND,
    COMMAND_ARM,
    COMMAND_CLEAR,
    COMMAND_DISARM,
    COMMAND_GRAVITY,
    COMMAND_LIMIT,
    COMMAND_MATERIAL,
    COMMAND_PAUSE,
    COMMAND_RESTART,
    COMMAND_SCENE,
    COMMAND_WRENCH,
    DONE,
    EVENT_COMMAND,
    FAULT,
    IDLE,
    REFUSED_MODE,
    REFUSED_REALTIME,
    REFUSED_TARGET,
    REFUSED_UNKNOWN,
    REFUSED_VALUE,
)
from hapticd.kernel.layout import GAIN_FRICTION, OPTION_BODIES, OPTION_MATERIALS, WORLD_GRAVITY


@kernel
def run_commands(world, gain, option, applied, inputs, safety):
    """The second stage of a tick."""
    for i in range(inputs.word[INPUT_COMMANDS]):
        row = inputs.command[i]
        answer = REFUSED_VALUE
        if is_finite(row):
            answer = run(world, gain, option, applied, inputs, safety, row)
        code = row[COMMAND_CODE] if abs(row[COMMAND_CODE]) < 1e6 else 0.0
        note(safety, EVENT_COMMAND, answer, row[COMMAND_ID], code)


@kernel_inline
def is_finite(row):
    for k in range(COMMAND_SIZE):
        if not abs(row[k]) < math.inf:
            return False
    return True


@kernel_inline
def run(world, gain, option, applied, inputs, safety, row):
    code = int(row[COMMAND_CODE])
    if code <= COMMAND_DISARM:
        return change_mode(inputs, safety, code)
    if code <= COMMAND_RESTART or code == COMMAND_SCENE:
        return change_flow(inputs, safety, code)
    if code == COMMAND_LIMIT:
        return lower_limit(safety, int(row[COMMAND_TARGET]), row[COMMAND_VALUE])
    if code == COMMAND_GRAVITY:
        for k in range(3):
            world[WORLD_GRAVITY + k] = row[COMMAND_VALUE + k]
        return DONE
    if code == COMMAND_MATERIAL:
        return set_material(gain, option, row)
    if code == COMMAND_WRENCH:
        return push(option, applied, safety, row)
    return REFUSED_UNKNOWN


@kernel_inline
def change_mode(inputs, safety, code):
    """Clear, arm, disarm. Nothing is cleared while its reason is still there."""
    word = safety.word
    if code == COMMAND_DISARM:
        if word[WORD_MODE] == FAULT:
            return REFUSED_MODE
        enter(safety, IDLE, CAUSE_COMMAND)
        return DONE
    if word[WORD_LEAVING] > 0:
        return REFUSED_MODE
    if code == COMMAND_CLEAR:
        if word[WORD_MODE] != FAULT or inputs.word[INPUT_STOP] or word[WORD_MISSED_ROW] or not word[WORD_SAMPLES]:
            return REFUSED_MODE
        word[WORD_LEAK] = 0
        enter(safety, IDLE, CAUSE_COMMAND)
        return DONE
    if code == COMMAND_ARM:
        if word[WORD_MODE] != IDLE or word[WORD_PAUSED]:
            return REFUSED_MODE
        if safety.limit[LIMIT_MAY_ARM] == 0.0:
            return REFUSED_REALTIME
        enter(safety, ARMING, CAUSE_COMMAND)
        return DONE
    return REFUSED_UNKNOWN


@kernel_inline
def change_flow(inputs, safety, code):
    """Pause and resume; a scene that begins anew was put in place before this tick (swap.py), or there is none."""
    word = safety.word
    if code == COMMAND_SCENE and not inputs.word[INPUT_RENEW]:
        return REFUSED_TARGET
    if code == COMMAND_PAUSE:
        word[WORD_PAUSED] = 1
    else:
        word[WORD_PAUSED] = 0
        restart_ramp(safety, CAUSE_COMMAND)
    return DONE


@kernel_inline
def lower_limit(safety, cell, value):
    """Force, torque, speed or spin; not the slew, since a low slew limit makes walls active."""
    if not (cell == LIMIT_FORCE or cell == LIMIT_TORQUE or cell == LIMIT_SPEED or cell == LIMIT_SPIN):
        return REFUSED_TARGET
    if not 0.0 < value <= safety.limit[cell]:
        return REFUSED_VALUE
    safety.limit[cell] = value
    return DONE


@kernel_inline
def set_material(gain, option, row):
    """One number of the laws of a pair of materials, both ways round."""
    n = option[OPTION_MATERIALS]
    a, b = int(row[COMMAND_TARGET]) // 256, int(row[COMMAND_TARGET]) % 256
    column, value = int(row[COMMAND_VALUE]), row[COMMAND_VALUE + 1]
    if not (0 <= a < n and 0 <= b < n and 0 <= column < GAIN_FRICTION):
        return REFUSED_TARGET
    if not 0.0 <= value:
        return REFUSED_VALUE
    gain[a * n + b, column] = value
    gain[b * n + a, column] = value
    return DONE


@kernel_inline
def push(option, applied, safety, row):
    """A wrench on a body about its centre of mass, for some ticks or until changed."""
    body = int(row[COMMAND_TARGET])
    if not 0 <= body < option[OPTION_BODIES]:
        return REFUSED_TARGET
    if not row[COMMAND_TICKS] >= 0.0:
        return REFUSED_VALUE
    for k in range(6):
        applied[body, k] = row[COMMAND_VALUE + k]
    safety.push[body] = int(row[COMMAND_TICKS])
    return DONE


@kernel
def end_pushes(option, applied, safety):
    """After the step: a wrench whose ticks are over is taken away."""
    for i in range(option[OPTION_BODIES]):
        if safety.push[i] > 0:
            safety.push[i] -= 1
            if safety.push[i] == 0:
                for k in range(6):
                    applied[i, k] = 0.0
