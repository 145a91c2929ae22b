"""Coulomb friction at one point, with a static spring: the papers' baseline, kept honest for comparison.

The whole load is thought to rub at the centre of pressure, so it resists sliding and not spinning: no friction torque.
The static spring and the change between rest and sliding are those of `coulomb_area`. Hasegawa 2003, Fig. 3.
"""

import math

from hapticd.kernel._jit import kernel
from hapticd.kernel.force.friction.stick import carried_stretch, pressure_velocity, stick_gains
from hapticd.kernel.force.patch import along, kept_stretch
from hapticd.kernel.layout import (
    GAIN_MU_DYNAMIC,
    GAIN_MU_STATIC,
    LAW_SLIPS,
    LAW_STIFFNESS,
    LAW_STRETCH,
    NORMAL,
)
from hapticd.kernel.vector import cross


@kernel
def friction(contact, law, i, gain, g, spread, load, motion, dt, solid):
    """(fx, fy, fz, tx, ty, tz): force on A and its torque about the patch centre."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    force, dx, dy, dz = load
    vx, vy, vz = pressure_velocity(motion, load)
    out = along(nx, ny, nz, vx, vy, vz)
    vx, vy, vz = vx - out * nx, vy - out * ny, vz - out * nz
    k, b = stick_gains(contact, i, gain, g, spread)
    rx, ry, rz = carried_stretch(contact, law, i, LAW_STRETCH, motion, dt, kept_stretch(law, i, k))
    rx, ry, rz = rx + dt * vx, ry + dt * vy, rz + dt * vz
    fx, fy, fz = -(k * rx + b * vx), -(k * ry + b * vy), -(k * rz + b * vz)
    size = math.sqrt(fx * fx + fy * fy + fz * fz)
    slides = law[i, LAW_SLIPS] != 0.0
    limit = force * gain[g, GAIN_MU_DYNAMIC if slides else GAIN_MU_STATIC]
    slides = not size <= limit
    if slides:
        # size > limit >= 0: the division is safe. The pull of spring and damper is against the motion by construction.
        s = force * gain[g, GAIN_MU_DYNAMIC] / size
        fx, fy, fz = s * fx, s * fy, s * fz
        rx, ry, rz = -(fx + b * vx) / k, -(fy + b * vy) / k, -(fz + b * vz) / k
    law[i, LAW_SLIPS] = 1.0 if slides else 0.0
    law[i, LAW_STIFFNESS] = k
    law[i, LAW_STRETCH], law[i, LAW_STRETCH + 1], law[i, LAW_STRETCH + 2] = rx, ry, rz
    tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
    return fx, fy, fz, tx, ty, tz
