"""Impedance-type friction on a contact patch: sliding and spinning share one limit. The law of the haptic pointer.

Runs `impedance.massless_update` on the three-vector w = (t1.v, t2.v, rho omega_n) at the centre of pressure with the
limit mu N(t): an elliptic limit surface. Kikuuwe and Fujimoto, (18), with M = 0; the patch form is ours. Against the
exact Coulomb integral the ellipse is off by at most 0.17 mu N on a square patch, 0.25 on 1:2, 0.41 on 1:10.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.force.friction.impedance import massless_update
from hapticd.kernel.force.friction.stick import carried_stretch, pressure_velocity, stick_gains
from hapticd.kernel.force.patch import along, kept_stretch, mean_radius
from hapticd.kernel.layout import (
    GAIN_MU_DYNAMIC,
    GAIN_MU_STATIC,
    GAIN_STRIBECK,
    GAIN_VISCOSITY,
    LAW_SLIPS,
    LAW_STIFFNESS,
    LAW_STRETCH,
    LAW_TWIST,
    NORMAL,
)
from hapticd.kernel.vector import cross, tangent

STRIBECK_SHAPE = 2  # Gauss


@kernel
def friction(contact, law, i, gain, g, spread, load, motion, dt, solid):
    """(fx, fy, fz, tx, ty, tz): force on A and its torque about the patch centre."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    force, dx, dy, dz = load
    K, B = stick_gains(contact, i, gain, g, spread)
    kept = kept_stretch(law, i, K)
    ex, ey, ez = carried_stretch(contact, law, i, LAW_STRETCH, motion, dt, kept)
    ax, ay, az, bx, by, bz = tangent(nx, ny, nz)
    vx, vy, vz = pressure_velocity(motion, load)
    rho = mean_radius(contact, i)
    e1, e2, e3, f1, f2, f3, status = massless_update(
        along(ax, ay, az, vx, vy, vz),
        along(bx, by, bz, vx, vy, vz),
        rho * along(nx, ny, nz, motion[3], motion[4], motion[5]),
        along(ax, ay, az, ex, ey, ez),
        along(bx, by, bz, ex, ey, ez),
        kept * law[i, LAW_TWIST], K, B, dt, force * gain[g, GAIN_MU_DYNAMIC], force * gain[g, GAIN_MU_STATIC],
        gain[g, GAIN_STRIBECK], STRIBECK_SHAPE, gain[g, GAIN_VISCOSITY],
    )  # fmt: skip
    law[i, LAW_STRETCH] = e1 * ax + e2 * bx
    law[i, LAW_STRETCH + 1] = e1 * ay + e2 * by
    law[i, LAW_STRETCH + 2] = e1 * az + e2 * bz
    law[i, LAW_TWIST] = e3
    law[i, LAW_STIFFNESS] = K
    law[i, LAW_SLIPS] = status
    fx, fy, fz = f1 * ax + f2 * bx, f1 * ay + f2 * by, f1 * az + f2 * bz
    tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
    return fx, fy, fz, tx + rho * f3 * nx, ty + rho * f3 * ny, tz + rho * f3 * nz
