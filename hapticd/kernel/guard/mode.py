"""The modes of the servo: what the inputs of a tick do to them, before anything is simulated.

    FAULT --clear--> IDLE --arm--> ARMING --ramp--> ACTIVE <--> DEGRADED
      ^                |______________|_______________|____________|     stop, fault: at once; disarm, deadman: to IDLE

Gets Inputs and Safety, changes Safety.word. The mode after this stage may still fall to FAULT: by the numbers that the
simulation gives (limits.py). Policy and numbers: what late ticks, lost samples and a hot device lead to.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.guard.events import enter, note
from hapticd.kernel.guard.layout import (
    INPUT_CODE,
    INPUT_DEGRADE,
    INPUT_GAP,
    INPUT_LEAVE,
    INPUT_STOP,
    LIMIT_FORGIVE,
    LIMIT_GAP_FAULT,
    LIMIT_GAP_RAMP,
    LIMIT_LEAVE,
    LIMIT_OVERRUNS,
    LIMIT_RAMP,
    LIMIT_REFUSED,
    LIMIT_SILENT,
    LIMIT_SPEED_FAULT,
    LIMIT_SPIN_FAULT,
    WORD_CAUSE,
    WORD_EVENTS,
    WORD_FRESH,
    WORD_GOOD,
    WORD_HEALTHY,
    WORD_LEAK,
    WORD_LEAVING,
    WORD_LIMITS,
    WORD_MISSED,
    WORD_MISSED_ROW,
    WORD_MODE,
    WORD_OVERRUNS,
    WORD_RAMP,
    WORD_REFUSED,
    WORD_REFUSED_ROW,
    WORD_SAMPLES,
    WORD_SKIPPED,
    WORD_STREAK,
)
from hapticd.kernel.guard.states import (
    ACTIVE,
    ARMING,
    CAUSE_DEADMAN,
    CAUSE_ENCODER,
    CAUSE_GAP,
    CAUSE_HEAT,
    CAUSE_LATE,
    CAUSE_LEAVE,
    CAUSE_NONE,
    CAUSE_OVERRUN,
    CAUSE_RAMPED,
    CAUSE_RECOVERED,
    CAUSE_REFUSED,
    CAUSE_SILENT,
    CAUSE_SLOW,
    CAUSE_VELOCITY,
    CAUSE_WARM,
    DEGRADED,
    EVENT_GAP,
    EVENT_OVERRUN,
    FAULT,
    IDLE,
)
from hapticd.kernel.layout import (
    SAMPLE_AGE,
    SAMPLE_HEAT,
    SAMPLE_HELD,
    SAMPLE_OMEGA,
    SAMPLE_Q,
    SAMPLE_SIZE,
    SAMPLE_VELOCITY,
)
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK
from hapticd.kernel.tolerance import (
    HEAT_WARM,
    LATE_SAMPLE,
    LOSS_DEGRADED,
    RECOVERY_TICKS,
    SAMPLE_BOUND,
    STREAK_TICKS,
    UNIT_QUATERNION,
)


@kernel
def advance_mode(inputs, safety):
    """The first stage of a tick."""
    word = safety.word
    word[WORD_LIMITS] = 0
    word[WORD_EVENTS] = 0
    count_time(inputs, safety)
    count_samples(inputs, safety)
    if word[WORD_FRESH]:
        judge_sample(safety)
    if inputs.word[INPUT_STOP] != 0:
        enter(safety, FAULT, inputs.word[INPUT_STOP])
    leave(inputs, safety)
    degrade(inputs, safety)
    if word[WORD_MODE] == ARMING:
        if word[WORD_RAMP] >= safety.limit[LIMIT_RAMP]:
            enter(safety, ACTIVE, CAUSE_RAMPED)
        word[WORD_RAMP] += 1


@kernel_inline
def count_time(inputs, safety):
    """Late ticks are counted; too many, or too long a pause, is a fault; a long one starts the force from zero."""
    word, limit = safety.word, safety.limit
    gap = inputs.word[INPUT_GAP]
    if gap <= 0:
        word[WORD_GOOD] += 1
        if word[WORD_GOOD] >= limit[LIMIT_FORGIVE]:
            word[WORD_GOOD] = 0
            word[WORD_LEAK] = max(word[WORD_LEAK] - 1, 0)
        return
    word[WORD_OVERRUNS] += 1
    word[WORD_SKIPPED] += gap
    word[WORD_LEAK] += 1
    note(safety, EVENT_OVERRUN, gap, word[WORD_LEAK], 0)
    if word[WORD_MODE] == FAULT:
        return
    if gap >= limit[LIMIT_GAP_FAULT]:
        enter(safety, FAULT, CAUSE_GAP)
    elif word[WORD_LEAK] >= limit[LIMIT_OVERRUNS]:
        enter(safety, FAULT, CAUSE_OVERRUN)
    elif gap >= limit[LIMIT_GAP_RAMP]:
        note(safety, EVENT_GAP, gap, 0, 0)
        restart_ramp(safety, CAUSE_GAP)


@kernel_inline
def restart_ramp(safety, cause):
    """Force from zero again, after a pause or a change of the world; nothing where there is no force."""
    if safety.word[WORD_MODE] >= ARMING:
        enter(safety, ARMING, cause)


@kernel_inline
def count_samples(inputs, safety):
    """Missing and refused samples: 3 refused or 5 missing in a row are a fault; the force decays before (limits.py)."""
    word, limit = safety.word, safety.limit
    code = inputs.word[INPUT_CODE]
    good = code == SAMPLE_OK and is_sane(inputs.sample)
    word[WORD_FRESH] = 1 if good else 0
    word[WORD_STREAK] = ((word[WORD_STREAK] << 1) | (0 if good else 1)) & ((1 << STREAK_TICKS) - 1)
    if good:
        for k in range(SAMPLE_SIZE):
            safety.sample[k] = inputs.sample[k]
        word[WORD_SAMPLES] += 1
        word[WORD_MISSED_ROW] = 0
        word[WORD_REFUSED_ROW] = 0
        return
    word[WORD_MISSED_ROW] += 1
    if code == SAMPLE_NONE:
        word[WORD_MISSED] += 1
    else:
        word[WORD_REFUSED] += 1
        word[WORD_REFUSED_ROW] += 1
    if word[WORD_MODE] == FAULT:
        return
    if code == SAMPLE_ENCODER:
        enter(safety, FAULT, CAUSE_ENCODER)
    elif word[WORD_REFUSED_ROW] >= limit[LIMIT_REFUSED]:
        enter(safety, FAULT, CAUSE_REFUSED)
    elif word[WORD_MISSED_ROW] >= limit[LIMIT_SILENT]:
        enter(safety, FAULT, CAUSE_SILENT)


@kernel_inline
def is_sane(sample):
    """Every number finite and of this world, the quaternion of unit length: whatever the driver says."""
    for k in range(SAMPLE_SIZE):
        if not abs(sample[k]) <= SAMPLE_BOUND:
            return False
    norm = 0.0
    for k in range(4):
        norm += sample[SAMPLE_Q + k] * sample[SAMPLE_Q + k]
    return abs(norm - 1.0) <= UNIT_QUATERNION


@kernel_inline
def speed(sample, first):
    return math.sqrt(sample[first] ** 2 + sample[first + 1] ** 2 + sample[first + 2] ** 2)


@kernel_inline
def judge_sample(safety):
    """A good sample may still tell of a thrown handle, a hot motor or a hand that let go."""
    word, limit, sample = safety.word, safety.limit, safety.sample
    if word[WORD_MODE] <= IDLE:
        return
    if (
        speed(sample, SAMPLE_VELOCITY) > limit[LIMIT_SPEED_FAULT]
        or speed(sample, SAMPLE_OMEGA) > limit[LIMIT_SPIN_FAULT]
    ):
        enter(safety, FAULT, CAUSE_VELOCITY)
    elif sample[SAMPLE_HEAT] >= 1.0:
        enter(safety, FAULT, CAUSE_HEAT)
    elif sample[SAMPLE_HELD] == 0.0:
        enter(safety, IDLE, CAUSE_DEADMAN)


@kernel_inline
def leave(inputs, safety):
    """The daemon stops: the gain falls over LIMIT_LEAVE ticks (limits.py), then IDLE."""
    word = safety.word
    if inputs.word[INPUT_LEAVE] == 0:
        return
    word[WORD_LEAVING] += 1
    if word[WORD_MODE] >= ARMING and word[WORD_LEAVING] > safety.limit[LIMIT_LEAVE]:
        enter(safety, IDLE, CAUSE_LEAVE)


@kernel_inline
def lost_share(safety):
    """Share of the last ticks that came without a sample."""
    streak, count = safety.word[WORD_STREAK], 0
    while streak:
        streak &= streak - 1
        count += 1
    return count / STREAK_TICKS


@kernel_inline
def degrade(inputs, safety):
    """ACTIVE <-> DEGRADED: rare or late samples, a warm device, a service that is gone."""
    word, sample = safety.word, safety.sample
    if word[WORD_MODE] < ACTIVE:
        return
    cause = inputs.word[INPUT_DEGRADE]
    if lost_share(safety) > LOSS_DEGRADED:
        cause = CAUSE_SLOW
    elif sample[SAMPLE_AGE] > LATE_SAMPLE:
        cause = CAUSE_LATE
    elif sample[SAMPLE_HEAT] >= HEAT_WARM:
        cause = CAUSE_WARM
    if cause != CAUSE_NONE:
        word[WORD_HEALTHY] = 0
        if word[WORD_MODE] != DEGRADED or word[WORD_CAUSE] != cause:
            enter(safety, DEGRADED, cause)
        return
    word[WORD_HEALTHY] += 1
    if word[WORD_MODE] == DEGRADED and word[WORD_HEALTHY] >= RECOVERY_TICKS:
        enter(safety, ACTIVE, CAUSE_RECOVERED)
