"""The factors of the guard's gain, each between 0 and 1; those below 1 name themselves in the mask of limits."""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.guard.layout import (
    LIMIT_CENTRE,
    LIMIT_COS_INNER,
    LIMIT_COS_OUTER,
    LIMIT_DELAY,
    LIMIT_DT,
    LIMIT_HALF,
    LIMIT_LEAVE,
    LIMIT_MARGIN,
    LIMIT_RAMP,
    LIMIT_SILENT,
    LIMIT_SPEED,
    LIMIT_SPEED_FAULT,
    LIMIT_SPIN,
    LIMIT_SPIN_FAULT,
    LIMIT_STALE,
    WORD_CLUTCHED,
    WORD_LEAVING,
    WORD_LIMITS,
    WORD_MISSED_ROW,
    WORD_MODE,
    WORD_PAUSED,
    WORD_RAMP,
)
from hapticd.kernel.guard.mode import lost_share, speed
from hapticd.kernel.guard.states import (
    ARMING,
    LIMITED_DELAY,
    LIMITED_HEAT,
    LIMITED_RAMP,
    LIMITED_STALE,
    LIMITED_VELOCITY,
    LIMITED_WORKSPACE,
)
from hapticd.kernel.layout import (
    SAMPLE_AGE,
    SAMPLE_HEAT,
    SAMPLE_OMEGA,
    SAMPLE_POSITION,
    SAMPLE_Q,
    SAMPLE_VELOCITY,
)
from hapticd.kernel.tolerance import HEAT_FADE, HEAT_FULL, HEAT_HOT, LATE_SAMPLE, LOSS_DEGRADED


@kernel_inline
def unit(x):
    """x between 0 and 1; a NaN is 0."""
    if x >= 1.0:
        return 1.0
    if x > 0.0:
        return x
    return 0.0


@kernel_inline
def marked(safety, code, gain):
    if gain < 1.0:
        safety.word[WORD_LIMITS] |= 1 << code
    return gain


@kernel_inline
def start_gain(safety):
    """Arming ramp and final ramp; nothing while the world stands still or the clutch is open."""
    word, limit = safety.word, safety.limit
    gain = 1.0
    if word[WORD_MODE] == ARMING:
        gain = unit((word[WORD_RAMP] - 1) / limit[LIMIT_RAMP])  # the first tick of the ramp has none
    if word[WORD_LEAVING] > 0:
        gain *= unit(1.0 - word[WORD_LEAVING] / max(limit[LIMIT_LEAVE], 1.0))
    if word[WORD_PAUSED] or word[WORD_CLUTCHED]:
        gain = 0.0
    return marked(safety, LIMITED_RAMP, gain)


@kernel_inline
def workspace_gain(safety):
    """Fades to zero over the margin at the edge of the box, and in the last part of the turn."""
    limit, sample = safety.limit, safety.sample
    gain = 1.0
    for k in range(3):
        half = limit[LIMIT_HALF + k]
        if half > 0.0:
            inside = half - abs(sample[SAMPLE_POSITION + k] - limit[LIMIT_CENTRE + k])
            gain = min(gain, unit(inside / limit[LIMIT_MARGIN]) if limit[LIMIT_MARGIN] > 0.0 else unit(inside * 1e9))
    inner, outer = limit[LIMIT_COS_INNER], limit[LIMIT_COS_OUTER]
    if inner > outer:
        gain = min(gain, unit((abs(sample[SAMPLE_Q + 3]) - outer) / (inner - outer)))
    return marked(safety, LIMITED_WORKSPACE, gain)


@kernel_inline
def speed_gain(safety):
    """1 up to the speed limit, 0 halfway between it and the one that is a fault."""
    limit, sample = safety.limit, safety.sample
    fall = 0.5 * (limit[LIMIT_SPEED_FAULT] - limit[LIMIT_SPEED])
    turn = 0.5 * (limit[LIMIT_SPIN_FAULT] - limit[LIMIT_SPIN])
    over = speed(sample, SAMPLE_VELOCITY) - limit[LIMIT_SPEED]
    spun = speed(sample, SAMPLE_OMEGA) - limit[LIMIT_SPIN]
    gain = 1.0
    if not over <= 0.0:
        gain = unit(1.0 - over / fall) if fall > 0.0 else 0.0
    if not spun <= 0.0:
        gain = min(gain, unit(1.0 - spun / turn) if turn > 0.0 else 0.0)
    return marked(safety, LIMITED_VELOCITY, gain)


@kernel_inline
def sample_gain(safety):
    """Missing samples: decay to zero at the tick that is a fault. Rare or late ones: the stiffness that a delay bears.

    K_stable = b / (T/2 + t_d), so a sample older by t_more leaves (T/2 + t_d) / (T/2 + t_d + t_more) of it.
    """
    word, limit, sample = safety.word, safety.limit, safety.sample
    missed, stale, silent = word[WORD_MISSED_ROW], limit[LIMIT_STALE], limit[LIMIT_SILENT]
    gain = 1.0
    if missed >= stale:
        gain = marked(safety, LIMITED_STALE, unit((silent - missed) / (silent - stale + 1.0)))
    more = 0.0
    lost = lost_share(safety)
    if lost > LOSS_DEGRADED:
        more = limit[LIMIT_DT] * lost / (1.0 - lost) if lost < 1.0 else math.inf
    if sample[SAMPLE_AGE] > LATE_SAMPLE:
        more += sample[SAMPLE_AGE]
    own = 0.5 * limit[LIMIT_DT] + limit[LIMIT_DELAY]
    gain *= marked(safety, LIMITED_DELAY, unit(own / (own + more)))
    if sample[SAMPLE_HEAT] > HEAT_HOT:
        gain *= marked(safety, LIMITED_HEAT, unit((1.0 - sample[SAMPLE_HEAT]) / (1.0 - HEAT_HOT)))
    return gain


@kernel_inline
def thermal_share(heat):
    """1 while the motors are cool, 0 when the budget is used up to HEAT_FULL."""
    return unit((HEAT_FULL - heat) / (HEAT_FULL - HEAT_FADE))
