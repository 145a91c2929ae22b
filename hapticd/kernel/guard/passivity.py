"""Time-domain passivity: the energy that the hand has put into the device, and damping for what it lacks.

    E += -( f . dx + t . dtheta )       f, t: the wrench that the device really gave while the hand moved by dx, dtheta

f is that of the tick before (zero-order hold), or older where the device answers with a delay of whole ticks; between
two samples with ticks missing in between it is the mean of what was given. All six axes in one account: one may give
what another has taken. E < 0 beyond the encoders' noise says that the device is active. Booking f_k . dx_k instead
cannot see the activity of the hold (K 4000, b 0.5: +172 uJ where the truth is -174).

The controller (option) pays a debt in the tick where it is seen, by damping. Its account is capped: what was dissipated
long ago must not pay for a wall that becomes active now. Source: Hannaford and Ryu, 2002.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.guard.layout import (
    LAGS,
    LIMIT_DAMPING,
    LIMIT_DT,
    LIMIT_FORCE,
    LIMIT_LAG,
    LIMIT_PASSIVE,
    LIMIT_RESERVE,
    LIMIT_TORQUE,
    MEMORY_DAMPING,
    MEMORY_ENERGY,
    MEMORY_HELD,
    MEMORY_PAST,
    MEMORY_POSITION,
    MEMORY_Q,
    MEMORY_RESERVE,
    WORD_FRESH,
    WORD_HELD,
    WORD_LIMITS,
    WORD_SAMPLES,
    WRENCH_RENDERED,
    WRENCH_WANTED,
)
from hapticd.kernel.guard.states import LIMITED_PASSIVITY
from hapticd.kernel.layout import SAMPLE_OMEGA, SAMPLE_POSITION, SAMPLE_Q, SAMPLE_VELOCITY
from hapticd.kernel.vector import quaternion_product


@kernel_inline
def turn_between(a, i, b, j):
    """The rotation vector from the quaternion at a[i:] to that at b[j:], world side, for turns of less than a radian.

    2 arcsin by its series up to the ninth power: off by 3e-8 at half a radian in one tick, which no device does.
    """
    x, y, z, w = quaternion_product(b[j], b[j + 1], b[j + 2], b[j + 3], -a[i], -a[i + 1], -a[i + 2], a[i + 3])
    s = x * x + y * y + z * z
    k = 2.0 * (1.0 + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (15.0 / 336.0 + s * (105.0 / 3456.0)))))
    if w < 0.0:
        k = -k
    return k * x, k * y, k * z


@kernel
def observe(safety):
    """Book what the hand did since the last sample; positions are remembered for the next."""
    word, memory, sample = safety.word, safety.memory, safety.sample
    if not word[WORD_FRESH]:
        return
    if word[WORD_SAMPLES] > 1 and word[WORD_HELD] > 0:
        tx, ty, tz = turn_between(memory, MEMORY_Q, sample, SAMPLE_Q)
        share = 1.0 / word[WORD_HELD]
        work = memory[MEMORY_HELD + 3] * tx + memory[MEMORY_HELD + 4] * ty + memory[MEMORY_HELD + 5] * tz
        for k in range(3):
            work += memory[MEMORY_HELD + k] * (sample[SAMPLE_POSITION + k] - memory[MEMORY_POSITION + k])
        memory[MEMORY_ENERGY] -= share * work
        memory[MEMORY_RESERVE] = min(memory[MEMORY_RESERVE] - share * work, safety.limit[LIMIT_RESERVE])
    word[WORD_HELD] = 0
    for k in range(6):
        memory[MEMORY_HELD + k] = 0.0
    for k in range(3):
        memory[MEMORY_POSITION + k] = sample[SAMPLE_POSITION + k]
    for k in range(4):
        memory[MEMORY_Q + k] = sample[SAMPLE_Q + k]


@kernel
def hold(safety):
    """After encode: the wrench that the device gives from now on (row RENDERED) joins the account of its interval."""
    memory = safety.memory
    for k in range(6 * LAGS - 1, 5, -1):
        memory[MEMORY_PAST + k] = memory[MEMORY_PAST + k - 6]
    lag = min(max(int(safety.limit[LIMIT_LAG]), 0), LAGS - 1)
    for k in range(6):
        given = safety.wrench[WRENCH_RENDERED, k]
        memory[MEMORY_PAST + k] = given if abs(given) < math.inf else 0.0
        memory[MEMORY_HELD + k] += memory[MEMORY_PAST + 6 * lag + k]
    safety.word[WORD_HELD] += 1


@kernel
def control(safety):
    """Damping on the wanted wrench where the account is below zero: alpha = -E / (T (v^2 + r^2 w^2)), bounded.

    r, the ratio of the torque and force limits, makes one measure of both speeds.
    """
    limit, memory, wrench, sample = safety.limit, safety.memory, safety.wrench, safety.sample
    memory[MEMORY_DAMPING] = 0.0
    if limit[LIMIT_PASSIVE] == 0.0 or not memory[MEMORY_RESERVE] < 0.0:
        return
    r2 = (limit[LIMIT_TORQUE] / limit[LIMIT_FORCE]) ** 2
    motion = 0.0
    for k in range(3):
        motion += sample[SAMPLE_VELOCITY + k] ** 2 + r2 * sample[SAMPLE_OMEGA + k] ** 2
    alpha = limit[LIMIT_DAMPING]
    if -memory[MEMORY_RESERVE] < alpha * limit[LIMIT_DT] * motion:
        alpha = -memory[MEMORY_RESERVE] / (limit[LIMIT_DT] * motion)
    for k in range(3):
        wrench[WRENCH_WANTED, k] -= alpha * sample[SAMPLE_VELOCITY + k]
        wrench[WRENCH_WANTED, 3 + k] -= alpha * r2 * sample[SAMPLE_OMEGA + k]
    memory[MEMORY_DAMPING] = alpha
    safety.word[WORD_LIMITS] |= 1 << LIMITED_PASSIVITY
