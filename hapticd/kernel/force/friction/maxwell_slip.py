"""Maxwell-slip friction on a contact patch: four impedance elements in parallel, so that it yields before it slides.

As `kikuuwe`, with the stick stiffness and the limit mu_d N shared out over four elements: the stiffest part gives way
first, which is the presliding hysteresis of real surfaces. Kikuuwe and Fujimoto, section 4.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.force.friction.impedance import massless_update
from hapticd.kernel.force.friction.stick import carried_stretch, pressure_velocity, stick_gains
from hapticd.kernel.force.patch import along, kept_stretch, mean_radius
from hapticd.kernel.layout import (
    GAIN_MU_DYNAMIC,
    LAW_BANK,
    LAW_SLIPS,
    LAW_STIFFNESS,
    LAW_STRETCH,
    NORMAL,
)
from hapticd.kernel.status import FRICTION_STICK
from hapticd.kernel.vector import cross, tangent

ELEMENTS = 4
# Shares of limit and stiffness: equal steps of the limit, stiffness falling the other way, so that the elements give
# way one after the other at 1, 2.7, 6 and 16 quarters of mu N / K.
LIMIT_SHARE = (0.1, 0.2, 0.3, 0.4)
STIFFNESS_SHARE = (0.4, 0.3, 0.2, 0.1)


@kernel
def friction(contact, law, i, gain, g, spread, load, motion, dt, solid):
    """(fx, fy, fz, tx, ty, tz): force on A and its torque about the patch centre."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    force, dx, dy, dz = load
    K, B = stick_gains(contact, i, gain, g, spread)
    ax, ay, az, bx, by, bz = tangent(nx, ny, nz)
    vx, vy, vz = pressure_velocity(motion, load)
    rho = mean_radius(contact, i)
    v1, v2 = along(ax, ay, az, vx, vy, vz), along(bx, by, bz, vx, vy, vz)
    v3 = rho * along(nx, ny, nz, motion[3], motion[4], motion[5])
    sum1 = sum2 = sum3 = 0.0
    held = 0
    kept = kept_stretch(law, i, K)
    for element in range(ELEMENTS):
        j = LAW_STRETCH if element == 0 else LAW_BANK + 4 * (element - 1)
        ex, ey, ez = carried_stretch(contact, law, i, j, motion, dt, kept)
        limit = LIMIT_SHARE[element] * gain[g, GAIN_MU_DYNAMIC] * force
        e1, e2, e3, f1, f2, f3, status = massless_update(
            v1, v2, v3, along(ax, ay, az, ex, ey, ez), along(bx, by, bz, ex, ey, ez), kept * law[i, j + 3],
            STIFFNESS_SHARE[element] * K, STIFFNESS_SHARE[element] * B, dt, limit, limit, 1.0, 1, 0.0,
        )  # fmt: skip
        law[i, j], law[i, j + 1], law[i, j + 2] = e1 * ax + e2 * bx, e1 * ay + e2 * by, e1 * az + e2 * bz
        law[i, j + 3] = e3
        sum1, sum2, sum3 = sum1 + f1, sum2 + f2, sum3 + f3
        held += status == FRICTION_STICK
    law[i, LAW_SLIPS] = 1.0 if held == 0 else 0.0
    law[i, LAW_STIFFNESS] = K
    fx, fy, fz = sum1 * ax + sum2 * bx, sum1 * ay + sum2 * by, sum1 * az + sum2 * bz
    tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
    return fx, fy, fz, tx + rho * sum3 * nx, ty + rho * sum3 * ny, tz + rho * sum3 * nz
