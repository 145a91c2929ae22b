"""Maxwell-slip friction: a parallel bank of massless impedance laws, which together show presliding hysteresis.

Element i is `massless_update` with its own K_i, B_i and limit F_i = share_i * limit, all driven by the same velocity;
the force is the sum. Coulomb limits only. Source: Kikuuwe and Fujimoto, section 4, Fig. 5. On a contact patch the
shares add up to one and limit = mu N; in the stand-alone law share_i is F_i itself and limit is 1.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.force.friction.impedance import massless_update


@kernel_inline
def maxwell_update(v1, v2, v3, e, K, B, share, limit, T):
    """One tick: e (n, 3) in place, K, B and share (n,); returns f1, f2, f3 and the largest status of the elements.

    FRICTION_SLIP says that at least one element slides, FRICTION_BAD_SAMPLE that the velocity was not usable.
    """
    f1 = 0.0
    f2 = 0.0
    f3 = 0.0
    worst = 0
    for i in range(K.shape[0]):
        F = share[i] * limit
        e[i, 0], e[i, 1], e[i, 2], g1, g2, g3, status = massless_update(
            v1, v2, v3, e[i, 0], e[i, 1], e[i, 2], K[i], B[i], T, F, F, 1.0, 1, 0.0
        )
        f1 += g1
        f2 += g2
        f3 += g3
        worst = max(worst, status)
    return f1, f2, f3, worst


@kernel
def maxwell_run(v, e, f, status, K, B, share, T):
    """Many ticks: v (n, 3) in, f (n, 3) and status (n,) out, e (elements, 3) in place; the limit is 1."""
    for k in range(v.shape[0]):
        f[k, 0], f[k, 1], f[k, 2], status[k] = maxwell_update(v[k, 0], v[k, 1], v[k, 2], e, K, B, share, 1.0, T)
