"""The last stage before the driver: no wrench leaves that was not limited here, in this order.

    wanted -> gain -> norm clamp -> slew -> finite -> sent
              arming ramp x workspace x velocity x thermal x samples x heat

Every bound is written as `if not (abs(x) <= m)`: a NaN fails it, where min, max and clip let it by. Whatever comes in,
what leaves is finite and within LIMIT_FORCE and LIMIT_TORQUE; numbers that are not finite are a fault. Above
LIMIT_SPEED only damping is left. In FAULT and IDLE the wrench is zero.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.guard.events import enter
from hapticd.kernel.guard.gain import sample_gain, speed_gain, start_gain, thermal_share, workspace_gain
from hapticd.kernel.guard.layout import (
    LIMIT_CONTINUOUS,
    LIMIT_CONTINUOUS_TORQUE,
    LIMIT_DAMPING,
    LIMIT_DT,
    LIMIT_FORCE,
    LIMIT_SLEW,
    LIMIT_SLEW_TORQUE,
    LIMIT_THERMAL_TIME,
    LIMIT_TORQUE,
    MEMORY_GAIN,
    MEMORY_HEAT,
    MEMORY_HEAT_TORQUE,
    MEMORY_SENT,
    WORD_LIMITS,
    WORD_MODE,
    WRENCH_SENT,
    WRENCH_WANTED,
)
from hapticd.kernel.guard.states import (
    CAUSE_NUMERIC,
    FAULT,
    IDLE,
    LIMITED_FINITE,
    LIMITED_FORCE,
    LIMITED_SLEW,
    LIMITED_SLEW_TORQUE,
    LIMITED_THERMAL,
    LIMITED_TORQUE,
)
from hapticd.kernel.layout import SAMPLE_OMEGA, SAMPLE_VELOCITY
from hapticd.kernel.tolerance import LIMIT_ROUNDING


@kernel
def limit_wrench(safety):
    """Row SENT of Safety.wrench from row WANTED."""
    word, wrench, memory = safety.word, safety.wrench, safety.memory
    # A fault even where nothing is rendered: it must be seen before someone arms.
    if not is_finite(wrench, WRENCH_WANTED):
        word[WORD_LIMITS] |= 1 << LIMITED_FINITE
        enter(safety, FAULT, CAUSE_NUMERIC)
    if word[WORD_MODE] <= IDLE:
        memory[MEMORY_GAIN] = 0.0
        silence(safety)
    else:
        apply_gain(safety)
        clamp_norm(safety, 0, LIMIT_FORCE, LIMITED_FORCE)
        clamp_norm(safety, 3, LIMIT_TORQUE, LIMITED_TORQUE)
        clamp_slew(safety, 0, LIMIT_SLEW, LIMIT_FORCE, LIMITED_SLEW)
        clamp_slew(safety, 3, LIMIT_SLEW_TORQUE, LIMIT_TORQUE, LIMITED_SLEW_TORQUE)
        check(safety)
    warm_up(safety, 0, MEMORY_HEAT, LIMIT_CONTINUOUS)
    warm_up(safety, 3, MEMORY_HEAT_TORQUE, LIMIT_CONTINUOUS_TORQUE)
    for k in range(6):
        memory[MEMORY_SENT + k] = wrench[WRENCH_SENT, k]


@kernel_inline
def is_finite(wrench, row):
    for k in range(6):
        if not abs(wrench[row, k]) < math.inf:
            return False
    return True


@kernel_inline
def silence(safety):
    for k in range(6):
        safety.wrench[WRENCH_SENT, k] = 0.0


@kernel_inline
def norm(wrench, row, first):
    """|x| of three numbers as a product (largest, ratio) that neither overflows nor underflows; NaN when one is."""
    x, y, z = abs(wrench[row, first]), abs(wrench[row, first + 1]), abs(wrench[row, first + 2])
    largest = max(x, y, z)
    if not largest > 0.0:
        return x + y + z, 1.0  # 0, or NaN
    return largest, math.sqrt((x / largest) ** 2 + (y / largest) ** 2 + (z / largest) ** 2)


@kernel_inline
def apply_gain(safety):
    """SENT = gain x WANTED, and the brake of a hand that is too fast."""
    wrench, limit, sample = safety.wrench, safety.limit, safety.sample
    steady = speed_gain(safety)
    gain = start_gain(safety) * workspace_gain(safety) * sample_gain(safety)
    brake = gain * (1.0 - steady) * limit[LIMIT_DAMPING]
    gain *= steady
    force = thermal_gain(safety, 0, MEMORY_HEAT, LIMIT_FORCE, LIMIT_CONTINUOUS, gain)
    torque = thermal_gain(safety, 3, MEMORY_HEAT_TORQUE, LIMIT_TORQUE, LIMIT_CONTINUOUS_TORQUE, gain)
    r2 = (limit[LIMIT_TORQUE] / limit[LIMIT_FORCE]) ** 2
    for k in range(3):
        wrench[WRENCH_SENT, k] = force * wrench[WRENCH_WANTED, k] - brake * sample[SAMPLE_VELOCITY + k]
        wrench[WRENCH_SENT, 3 + k] = torque * wrench[WRENCH_WANTED, 3 + k] - brake * r2 * sample[SAMPLE_OMEGA + k]
    safety.memory[MEMORY_GAIN] = force


@kernel_inline
def thermal_gain(safety, first, heat, peak, continuous, gain):
    """The gain after the thermal limit: as the budget fills, the peak falls to what may be held for ever."""
    share = thermal_share(safety.memory[heat])
    if share >= 1.0:
        return gain
    low = min(safety.limit[continuous], safety.limit[peak])
    allowed = low + share * (safety.limit[peak] - low)
    largest, ratio = norm(safety.wrench, WRENCH_WANTED, first)
    if not gain * largest > allowed / ratio:
        return gain
    safety.word[WORD_LIMITS] |= 1 << LIMITED_THERMAL
    return allowed / ratio / largest


@kernel_inline
def clamp_norm(safety, first, cell, code):
    """Force or torque to its limit by the norm: the direction is kept."""
    largest, ratio = norm(safety.wrench, WRENCH_SENT, first)
    bound = LIMIT_ROUNDING * safety.limit[cell]
    if largest <= bound / ratio:
        return
    safety.word[WORD_LIMITS] |= 1 << code
    for k in range(first, first + 3):
        # in this order: the norm of 1.7e308 (1, 1, 1) is no number, and bound / 1.7e308 has no digits
        safety.wrench[WRENCH_SENT, k] = bound / ratio * (safety.wrench[WRENCH_SENT, k] / largest)


@kernel_inline
def clamp_slew(safety, first, cell, bound, code):
    """At most so far from the last tick's wrench, along the straight way to the new one.

    Both ends are within the limit, so all between them is: the last one is brought there if the limit was lowered.
    """
    wrench, memory = safety.wrench, safety.memory
    last = way = 0.0
    for k in range(first, first + 3):
        last += memory[MEMORY_SENT + k] ** 2
    last = math.sqrt(last)
    most = LIMIT_ROUNDING * safety.limit[bound]
    shrink = 1.0 if last <= most else most / last
    for k in range(first, first + 3):
        way += (wrench[WRENCH_SENT, k] - shrink * memory[MEMORY_SENT + k]) ** 2
    way = math.sqrt(way)
    if way <= safety.limit[cell]:
        return
    safety.word[WORD_LIMITS] |= 1 << code
    share = safety.limit[cell] / way
    for k in range(first, first + 3):
        start = shrink * memory[MEMORY_SENT + k]
        wrench[WRENCH_SENT, k] = start + share * (wrench[WRENCH_SENT, k] - start)


@kernel_inline
def check(safety):
    """Whatever came before: finite and within the limits, or zero and a fault."""
    wrench, limit = safety.wrench, safety.limit
    for k in range(6):
        bound = limit[LIMIT_FORCE] if k < 3 else limit[LIMIT_TORQUE]
        if not abs(wrench[WRENCH_SENT, k]) <= bound:
            safety.word[WORD_LIMITS] |= 1 << LIMITED_FINITE
            silence(safety)
            enter(safety, FAULT, CAUSE_NUMERIC)
            return


@kernel_inline
def warm_up(safety, first, heat, continuous):
    """I2t: the heat of the motors as a share of what they bear for ever, first order."""
    limit = safety.limit
    largest, ratio = norm(safety.wrench, WRENCH_SENT, first)
    load = largest * ratio / limit[continuous] if limit[continuous] > 0.0 else 0.0
    safety.memory[heat] += limit[LIMIT_DT] / limit[LIMIT_THERMAL_TIME] * (load * load - safety.memory[heat])
