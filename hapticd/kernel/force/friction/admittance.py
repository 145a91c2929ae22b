"""Admittance-type discrete-time friction: force in, velocity out, for devices with a force sensor.

The twin of `impedance.py`: a mass M on rubbing ground, pushed by h. Source: Kikuuwe and Fujimoto, equations (3)-(7). In
forces, with D = M / T and the trial force tau = -(D v_(k-1) + h), which would stop the mass within the tick:

    g = tau if |tau| <= F_s, else phi at the new speed;   v_k = (g - tau) / D        (7a), (7b)

So g opposes v_k, and v_k is exactly zero when friction can stop the mass: from any speed after a finite time.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.force.friction.impedance import held_share
from hapticd.kernel.status import FRICTION_BAD_SAMPLE


@kernel_inline
def admittance_update(h1, h2, h3, v1, v2, v3, M, T, F_c, F_s, v_s, delta, viscosity):
    """One tick: returns v1, v2, v3, g1, g2, g3, status; M > 0. A bad sample keeps v and gives zero friction."""
    D = M / T
    tau1 = -(D * v1 + h1)
    tau2 = -(D * v2 + h2)
    tau3 = -(D * v3 + h3)
    status, share = held_share(tau1, tau2, tau3, D, F_c, F_s, v_s, delta, viscosity)
    if status == FRICTION_BAD_SAMPLE:
        return v1, v2, v3, 0.0, 0.0, 0.0, status
    free = (share - 1.0) / D  # exactly zero while stuck
    return free * tau1, free * tau2, free * tau3, share * tau1, share * tau2, share * tau3, status


@kernel
def admittance_run(h, v, velocity, g, status, M, T, F_c, F_s, v_s, delta, viscosity):
    """Many ticks: h (n, 3) in, velocity and g (n, 3), status (n,) out, v (3,) in place."""
    for k in range(h.shape[0]):
        v[0], v[1], v[2], g[k, 0], g[k, 1], g[k, 2], status[k] = admittance_update(
            h[k, 0], h[k, 1], h[k, 2], v[0], v[1], v[2], M, T, F_c, F_s, v_s, delta, viscosity
        )
        velocity[k, 0], velocity[k, 1], velocity[k, 2] = v[0], v[1], v[2]
