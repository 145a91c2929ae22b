"""Coulomb friction spread over the contact area, with a static spring and damper: the law between the scene's bodies.

At rest every point of the patch hangs on a tangential spring; r and theta are the displacement of A against B since
they stuck, carried about the patch centre (about the world's origin digits would be lost). Beyond the limit the patch
slides with the integral of the Coulomb law (`sliding.py`), and r, theta are set back so that the springs give just that
wrench. Hasegawa 2003, 4.6 and Fig. 8: (14)-(28), with the cross products in (20)-(28) the right way round.

While it slides, the limit is the dynamic one: motion that goes on keeps the springs above it, motion that stops or
turns back lets them fall below it, and the patch sticks. No velocity threshold is needed for that.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.force.friction.sliding import sliding
from hapticd.kernel.force.patch import along, carried, kept_stretch, mean_radius, mean_square
from hapticd.kernel.layout import (
    AREA,
    CENTRE,
    GAIN_MU_DYNAMIC,
    GAIN_MU_STATIC,
    GAIN_STICK_DAMPING,
    GAIN_STICK_STIFFNESS,
    LAW_CENTRE,
    LAW_SLIPS,
    LAW_STIFFNESS,
    LAW_STRETCH,
    LAW_TWIST,
    NORMAL,
)
from hapticd.kernel.tolerance import CREEP
from hapticd.kernel.vector import cross


@kernel
def friction(contact, law, i, gain, g, spread, load, motion, dt, solid):
    """(fx, fy, fz, tx, ty, tz): force on A and its torque about the patch centre."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    force, dx, dy, dz = load
    out = along(nx, ny, nz, motion[0], motion[1], motion[2])
    vx, vy, vz = motion[0] - out * nx, motion[1] - out * ny, motion[2] - out * nz
    spin = along(nx, ny, nz, motion[3], motion[4], motion[5])
    k = spread * contact[i, AREA] * gain[g, GAIN_STICK_STIFFNESS]
    b = spread * contact[i, AREA] * gain[g, GAIN_STICK_DAMPING]
    rx, ry, rz, theta = stretched(contact, law, i, motion, dt, kept_stretch(law, i, k))
    rx, ry, rz, theta = rx + dt * vx, ry + dt * vy, rz + dt * vz, theta + dt * spin
    square = mean_square(contact, i)
    fx, fy, fz = -(k * rx + b * vx), -(k * ry + b * vy), -(k * rz + b * vz)  # (20), (27)
    torque = -square * (k * theta + b * spin)  # (21), (28) about the centre, along n
    tx, ty, tz = torque * nx, torque * ny, torque * nz
    rho = mean_radius(contact, i)
    limit = force * (gain[g, GAIN_MU_DYNAMIC] if law[i, LAW_SLIPS] != 0.0 else gain[g, GAIN_MU_STATIC])
    # One limit for force and torque: |f|^2 + (tau / rho)^2 <= (mu N)^2, free of a division where rho is zero.
    shared = rho * rho * (fx * fx + fy * fy + fz * fz) + torque * torque
    slips = not shared <= (rho * limit) * (rho * limit)
    if slips:
        if vx * vx + vy * vy + vz * vz + square * spin * spin < CREEP * CREEP:
            # Nothing moves yet: it gives way against the springs' pull.
            vx, vy, vz, spin = rx, ry, rz, theta
            bx, by, bz, bs = 0.0, 0.0, 0.0, 0.0
        else:
            bx, by, bz, bs = b * vx, b * vy, b * vz, b * spin
        fx, fy, fz, torque = sliding(contact, i, force * gain[g, GAIN_MU_DYNAMIC], vx, vy, vz, spin, solid)
        tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
        about = along(tx, ty, tz, nx, ny, nz) + torque
        tx, ty, tz = tx + torque * nx, ty + torque * ny, tz + torque * nz
        rx, ry, rz = -(fx + bx) / k, -(fy + by) / k, -(fz + bz) / k
        theta = -(about / square + bs) / k if square > 0.0 else 0.0
    law[i, LAW_SLIPS] = 1.0 if slips else 0.0
    law[i, LAW_STIFFNESS] = k
    law[i, LAW_STRETCH], law[i, LAW_STRETCH + 1], law[i, LAW_STRETCH + 2], law[i, LAW_TWIST] = rx, ry, rz, theta
    return fx, fy, fz, tx, ty, tz


@kernel_inline
def stretched(contact, law, i, motion, dt, kept):
    """r and theta of the last tick, turned with the pair and moved to this tick's centre."""
    x, y, z = carried(
        contact,
        law,
        i,
        motion[6] * dt,
        kept * law[i, LAW_STRETCH],
        kept * law[i, LAW_STRETCH + 1],
        kept * law[i, LAW_STRETCH + 2],
    )
    theta = kept * law[i, LAW_TWIST]
    # The centre moved over the bodies by what it moved in the world less what they moved: r is affine in the point.
    mx = contact[i, CENTRE] - law[i, LAW_CENTRE] - dt * motion[7]
    my = contact[i, CENTRE + 1] - law[i, LAW_CENTRE + 1] - dt * motion[8]
    mz = contact[i, CENTRE + 2] - law[i, LAW_CENTRE + 2] - dt * motion[9]
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    sx, sy, sz = cross(nx, ny, nz, mx, my, mz)
    return x + theta * sx, y + theta * sy, z + theta * sz, theta
