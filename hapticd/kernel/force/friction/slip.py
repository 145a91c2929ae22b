"""How hard a sliding contact rubs: the implicit equation (17c) of the discrete-time friction laws, |tau| > phi(0).

The law phi(s) = F_c + (F_s - F_c) exp(-(s/v_s)^delta) + viscosity s, s >= 0 the sliding speed; delta is 1 (Tustin) or 2
(Gauss), so that no logarithm is needed. One scalar equation in any dimension, since force and slip share a line:

    h(s) = D s + phi(s) - |tau| = 0

A steep Stribeck curve gives three roots (delta 2). Then the smallest is taken: it is what the stick branch of (17b),
s = 0 whenever that is possible, asks for. Impedance and admittance laws use it; time stepping is theirs.
"""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.polynomial import exp_negative
from hapticd.kernel.tolerance import NEWTON_STEPS

INFLECTION = math.sqrt(0.5)  # of exp(-x^2)


@kernel_inline
def slip_force(norm, D, F_c, F_s, v_s, delta, viscosity):
    """gamma = phi(s) in [0, norm]; norm = |tau| > F_s, D > 0."""
    if F_s == F_c:
        gamma = F_c + viscosity * ((norm - F_c) / (D + viscosity))
    else:
        s = slip_speed(norm, D, F_c, F_s, v_s, delta, viscosity)
        gamma = F_c + (F_s - F_c) * stribeck(s / v_s, delta) + viscosity * s
    return min(gamma, norm)  # by rounding only


@kernel_inline
def stribeck(x, delta):
    if delta == 1:
        return exp_negative(x)
    return exp_negative(x * x)


@kernel_inline
def slip_speed(norm, D, F_c, F_s, v_s, delta, viscosity):
    """The smallest root s, in x = s / v_s: slope x + drop exp(-x^delta) = load.

    h(0) < 0. Where h is concave (delta 2, x below the inflection) Newton from the left never passes the first root;
    where it is convex Newton from the right never does. So neither needs a bracket; the steps are bounded.
    """
    slope = (D + viscosity) * v_s
    drop = F_s - F_c
    load = norm - F_c
    if delta == 2:
        x = 0.0
        for _ in range(NEWTON_STEPS):
            curve = drop * exp_negative(x * x)
            h = slope * x + curve - load
            rise = slope - 2.0 * x * curve
            if rise <= 0.0 or x - h / rise > INFLECTION:
                break  # h < 0 on the whole concave part: the first root lies in the convex one
            if x - h / rise <= x:
                return x * v_s  # converged to the last bit
            x -= h / rise
        else:
            return x * v_s
    x = load / slope  # h is the curve alone here, so this lies right of the root
    for _ in range(NEWTON_STEPS):
        curve = drop * stribeck(x, delta)
        h = slope * x + curve - load
        rise = slope - curve if delta == 1 else slope - 2.0 * x * curve
        if rise <= 0.0 or x - h / rise >= x:
            break
        x -= h / rise
    return x * v_s
