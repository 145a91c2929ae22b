"""Coulomb friction spread over the contact area, with a static spring and damper: the law between the scene's bodies.

At rest every point of the patch hangs on a tangential spring; r and theta are the displacement of A against B since
they stuck, carried about the patch centre (about the world's origin digits would be lost). Beyond the limit the patch
slides with the integral of the Coulomb law (`sliding.py`), and r, theta are set back so that the springs give just that
wrench. Hasegawa 2003, 4.6 and Fig. 8: (14)-(28), with the cross products in (20)-(28) the right way round.

The direction of the slip is not that of the last velocity but of the last stretch, mu N / k long, dragged along by the
motion: it turns within that distance, a fraction of a millimetre. A patch that creeps at v resists a turn like a damper
of mu N rho^2 / v, and taken from the velocity that is unstable at any step: a block that should rest at 0.98 of its
limit was seen to spin up and walk away (2026-11-18).

While it slides, the limit is the dynamic one: motion that goes on keeps the springs above it, motion that stops or
turns back lets them fall below it, and the patch sticks. No velocity threshold is needed for that.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.force.friction.sliding import sliding
from hapticd.kernel.force.friction.stick import carried_stretch, stick_gains
from hapticd.kernel.force.patch import along, kept_stretch, mean_radius, mean_square
from hapticd.kernel.layout import (
    CENTRE,
    GAIN_MU_DYNAMIC,
    GAIN_MU_STATIC,
    LAW_BANK,
    LAW_CENTRE,
    LAW_SLIPS,
    LAW_STIFFNESS,
    LAW_STRETCH,
    NORMAL,
)
from hapticd.kernel.vector import cross

LAW_SLIP = LAW_BANK  # 4 columns: the stretch that gives the direction of the slip, and its twist


@kernel
def friction(contact, law, i, gain, g, spread, load, motion, dt, solid):
    """(fx, fy, fz, tx, ty, tz): force on A and its torque about the patch centre."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    force, dx, dy, dz = load
    out = along(nx, ny, nz, motion[0], motion[1], motion[2])
    vx, vy, vz = motion[0] - out * nx, motion[1] - out * ny, motion[2] - out * nz
    spin = along(nx, ny, nz, motion[3], motion[4], motion[5])
    k, b = stick_gains(contact, i, gain, g, spread)
    rx, ry, rz, theta = stretched(contact, law, i, LAW_STRETCH, motion, dt, kept_stretch(law, i, k))
    rx, ry, rz, theta = rx + dt * vx, ry + dt * vy, rz + dt * vz, theta + dt * spin
    square = mean_square(contact, i)
    fx, fy, fz = -(k * rx + b * vx), -(k * ry + b * vy), -(k * rz + b * vz)  # (20), (27)
    torque = -square * (k * theta + b * spin)  # (21), (28) about the centre, along n
    tx, ty, tz = torque * nx, torque * ny, torque * nz
    rho = mean_radius(contact, i)
    slid = law[i, LAW_SLIPS] != 0.0
    limit = force * (gain[g, GAIN_MU_DYNAMIC] if slid else gain[g, GAIN_MU_STATIC])
    # One limit for force and torque: |f|^2 + (tau / rho)^2 <= (mu N)^2, free of a division where rho is zero.
    shared = rho * rho * (fx * fx + fy * fy + fz * fz) + torque * torque
    slips = not shared <= (rho * limit) * (rho * limit)
    if slips:
        sx, sy, sz, turn = rx, ry, rz, theta
        if slid:
            sx, sy, sz, turn = stretched(contact, law, i, LAW_SLIP, motion, dt, 1.0)
            sx, sy, sz, turn = sx + dt * vx, sy + dt * vy, sz + dt * vz, turn + dt * spin
        limit = force * gain[g, GAIN_MU_DYNAMIC]
        lag = b / k
        fx, fy, fz, torque = sliding(
            contact, i, limit, sx + lag * vx, sy + lag * vy, sz + lag * vz, turn + lag * spin, solid
        )
        keep_direction(law, i, limit / k, square, sx, sy, sz, turn)
        tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
        about = along(tx, ty, tz, nx, ny, nz) + torque
        tx, ty, tz = tx + torque * nx, ty + torque * ny, tz + torque * nz
        rx, ry, rz = -fx / k - lag * vx, -fy / k - lag * vy, -fz / k - lag * vz
        theta = -about / (square * k) - lag * spin if square > 0.0 else 0.0
    law[i, LAW_SLIPS] = 1.0 if slips else 0.0
    law[i, LAW_STIFFNESS] = k
    write_stretch(law, i, LAW_STRETCH, rx, ry, rz, theta)
    return fx, fy, fz, tx, ty, tz


@kernel_inline
def stretched(contact, law, i, j, motion, dt, kept):
    """A stretch and twist of the last tick (columns j..), turned with the pair and moved to this tick's centre."""
    x, y, z = carried_stretch(contact, law, i, j, motion, dt, kept)
    theta = kept * law[i, j + 3]
    # The centre moved over the bodies by what it moved in the world less what they moved: r is affine in the point.
    mx = contact[i, CENTRE] - law[i, LAW_CENTRE] - dt * motion[7]
    my = contact[i, CENTRE + 1] - law[i, LAW_CENTRE + 1] - dt * motion[8]
    mz = contact[i, CENTRE + 2] - law[i, LAW_CENTRE + 2] - dt * motion[9]
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    sx, sy, sz = cross(nx, ny, nz, mx, my, mz)
    return x + theta * sx, y + theta * sy, z + theta * sz, theta


@kernel_inline
def keep_direction(law, i, length, square, x, y, z, turn):
    """The direction of the slip for the next tick, as a stretch of this (rms) length."""
    size = math.sqrt(x * x + y * y + z * z + square * turn * turn)
    s = length / size if size > 0.0 else 0.0
    write_stretch(law, i, LAW_SLIP, s * x, s * y, s * z, s * turn)


@kernel_inline
def write_stretch(law, i, j, x, y, z, turn):
    law[i, j], law[i, j + 1], law[i, j + 2], law[i, j + 3] = x, y, z, turn
