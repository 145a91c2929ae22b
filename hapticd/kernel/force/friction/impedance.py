"""Impedance-type discrete-time friction: velocity in, force out; one update of a vector of up to three dimensions.

A mass M that rubs on the ground with the law phi hangs on the input point by a spring K and a damper B; backward
differences, so M = 0 is allowed and nothing diverges. Source: Kikuuwe and Fujimoto, equations (12)-(18), with the sign
in (19) being that of u. Lower dimensions are the same numbers with zeros in the unused components. Two updates:

    massless_update(v1, v2, v3, e1, e2, e3, K, B, T, F_c, F_s, v_s, delta, viscosity) -> e1, e2, e3, f1, f2, f3, status
    massive_update(v.., e.., w1, w2, w3, K, B, M, T, F_c, ...)     -> e1, e2, e3, w1, w2, w3, f1, f2, f3, status

v is the velocity of the input point, e = q - p the elongation, w = (q_k - q_(k-1)) / T the sliding velocity, f the
force on the input point. The limits may differ in every call (on a contact patch F_c = mu_d N, F_s = mu_s N); when they
fall, e relaxes. 0 <= F_c <= F_s; B + T K > 0 (massless) or M + T B + T^2 K > 0. Coulomb: F_s = F_c, viscosity = 0.

(18) is written in forces. With D = C / T = M/T + B + T K and the trial force tau = -D u, which would hold the mass:

    tau = K e - (B + T K) v - (M/T) w                             (14), (18a); w = v_(k-1) + (e_(k-1) - e_(k-2)) / T
    g   = tau                      if |tau| <= F_s                (18b)
          gamma tau / |tau|        otherwise, gamma = phi(s), D s + phi(s) = |tau|   (17c), s = |u + T g / C|
    w'  = (g - tau) / D                                           (13)
    e'  = e + T (w' - v),   f = K e' + B (w' - v)                 (18c), (18d); M = 0: f = g

What it guarantees: g opposes w' and |g| <= F_s + viscosity s, in floating point too; w' is exactly zero while stuck. A
sample that makes tau NaN, infinite or larger than 1e154 gives zero force, leaves the state as it was, and says so.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.force.friction.slip import slip_force
from hapticd.kernel.status import FRICTION_BAD_SAMPLE, FRICTION_SLIP, FRICTION_STICK
from hapticd.kernel.tolerance import SLIP_ROUNDING


@kernel_inline
def held_share(tau1, tau2, tau3, D, F_c, F_s, v_s, delta, viscosity):
    """(status, share): the friction force is share * tau."""
    norm = math.sqrt(tau1 * tau1 + tau2 * tau2 + tau3 * tau3)
    if norm <= F_s:
        return FRICTION_STICK, 1.0
    if not norm < math.inf:
        return FRICTION_BAD_SAMPLE, 0.0
    # norm > F_s >= 0: the division is safe
    return FRICTION_SLIP, SLIP_ROUNDING * slip_force(norm, D, F_c, F_s, v_s, delta, viscosity) / norm


@kernel_inline
def massless_update(v1, v2, v3, e1, e2, e3, K, B, T, F_c, F_s, v_s, delta, viscosity):
    """One tick with M = 0, the law of a contact patch; see the module's head."""
    D = B + T * K
    tau1 = K * e1 - D * v1
    tau2 = K * e2 - D * v2
    tau3 = K * e3 - D * v3
    status, share = held_share(tau1, tau2, tau3, D, F_c, F_s, v_s, delta, viscosity)
    if status == FRICTION_STICK:
        # e - T v and not the form below: with v = 0 the bits of e stay, so nothing ever drifts.
        return e1 - T * v1, e2 - T * v2, e3 - T * v3, tau1, tau2, tau3, status
    if status == FRICTION_BAD_SAMPLE:
        return e1, e2, e3, 0.0, 0.0, 0.0, status
    # (18c) with f = g solved for e': a mean of e and f/K, so |e| <= F/K stays true however large v is.
    f1 = share * tau1
    f2 = share * tau2
    f3 = share * tau3
    return (T * f1 + B * e1) / D, (T * f2 + B * e2) / D, (T * f3 + B * e3) / D, f1, f2, f3, status


@kernel_inline
def massive_update(v1, v2, v3, e1, e2, e3, w1, w2, w3, K, B, M, T, F_c, F_s, v_s, delta, viscosity):
    """One tick with M > 0: the force holds the inertia of the rubbing mass, too."""
    P = M / T
    D = P + (B + T * K)
    tau1 = K * e1 - (B + T * K) * v1 - P * w1
    tau2 = K * e2 - (B + T * K) * v2 - P * w2
    tau3 = K * e3 - (B + T * K) * v3 - P * w3
    status, share = held_share(tau1, tau2, tau3, D, F_c, F_s, v_s, delta, viscosity)
    if status == FRICTION_BAD_SAMPLE:
        return e1, e2, e3, w1, w2, w3, 0.0, 0.0, 0.0, status
    z1 = (share - 1.0) * tau1 / D  # w'; share <= 1, so g and w' are opposed; share = 1 gives exactly zero
    z2 = (share - 1.0) * tau2 / D
    z3 = (share - 1.0) * tau3 / D
    a1 = e1 + T * (z1 - v1)
    a2 = e2 + T * (z2 - v2)
    a3 = e3 + T * (z3 - v3)
    f1 = K * a1 + B * (z1 - v1)
    f2 = K * a2 + B * (z2 - v2)
    f3 = K * a3 + B * (z3 - v3)
    return a1, a2, a3, z1, z2, z3, f1, f2, f3, status


@kernel
def impedance_run(v, e, w, f, slide, status, K, B, M, T, F_c, F_s, v_s, delta, viscosity):
    """Many ticks: v (n, 3) in, f and slide (n, 3), status (n,) out, e and w (3,) in place."""
    for k in range(v.shape[0]):
        v1, v2, v3 = v[k, 0], v[k, 1], v[k, 2]
        if M > 0.0:
            e[0], e[1], e[2], w[0], w[1], w[2], f[k, 0], f[k, 1], f[k, 2], status[k] = massive_update(
                v1, v2, v3, e[0], e[1], e[2], w[0], w[1], w[2], K, B, M, T, F_c, F_s, v_s, delta, viscosity
            )
        else:
            a1, a2, a3, f1, f2, f3, status[k] = massless_update(
                v1, v2, v3, e[0], e[1], e[2], K, B, T, F_c, F_s, v_s, delta, viscosity
            )
            if status[k] != FRICTION_BAD_SAMPLE:
                # (13) from the same tau as in the update: zero bits while stuck, and never of the sign of g.
                D = B + T * K
                w[0] = (f1 - (K * e[0] - D * v1)) / D
                w[1] = (f2 - (K * e[1] - D * v2)) / D
                w[2] = (f3 - (K * e[2] - D * v3)) / D
            e[0], e[1], e[2] = a1, a2, a3
            f[k, 0], f[k, 1], f[k, 2] = f1, f2, f3
        slide[k, 0], slide[k, 1], slide[k, 2] = w[0], w[1], w[2]
