"""The wrench of one contact: relative motion of the patch, normal force, friction, and what each body gets of it.

Gets the contact row and the solid that `contact/pair.py` has just left, gives sums into `wrench`. Action is reaction:
one wrench about one point, on A and negated on B.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.force.beside import patch_area
from hapticd.kernel.force.friction import coulomb_area, coulomb_point, kikuuwe, maxwell_slip
from hapticd.kernel.force.select import COULOMB_AREA, COULOMB_POINT, KIKUUWE, MAXWELL_SLIP, POINT_PENALTY
from hapticd.kernel.force.solver import point_penalty, volume_penalty
from hapticd.kernel.layout import (
    BODY_OMEGA,
    BODY_POSITION,
    BODY_VELOCITY,
    CENTRE,
    DEPTH,
    GAIN_FRICTION,
    LAW_AGE,
    LAW_CENTRE,
    LAW_FADE,
    LAW_NORMAL,
    LAW_SIZE,
    NORMAL,
)
from hapticd.kernel.tolerance import FADE_SLACK, FADE_TIME
from hapticd.kernel.vector import cross


@kernel
def pair_force(contact, law, i, a, b, body, gain, g, solver, per_area, beside, fades, dt, solid, wrench, pair_wrench):
    """Add the wrench of contact row i to bodies a and b, and note it on A about the patch centre.

    `beside`: the area that gains per contact are spread over besides the contact's own, see beside.py.
    """
    motion = patch_motion(contact, i, a, b, body)
    if law[i, LAW_AGE] == 0.0:
        begin(contact, law, i, motion, fades, dt)
    spread = 1.0
    if not per_area:
        spread = 1.0 / (patch_area(contact, i) + beside)
    v, omega = (motion[0], motion[1], motion[2]), (motion[3], motion[4], motion[5])
    fade = law[i, LAW_FADE]
    if solver == POINT_PENALTY:
        load = point_penalty.solve(contact, i, gain, g, fade * spread, v, omega, solid)
    else:
        load = volume_penalty.solve(contact, i, gain, g, fade * spread, v, omega, solid)
    law[i, LAW_FADE] = min(1.0, fade + dt / FADE_TIME)
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    fx, fy, fz, tx, ty, tz = friction(contact, law, i, gain, g, spread, load, motion, dt, solid)
    px, py, pz = cross(load[1], load[2], load[3], load[0] * nx, load[0] * ny, load[0] * nz)
    total = (fx + load[0] * nx, fy + load[0] * ny, fz + load[0] * nz, tx + px, ty + py, tz + pz)
    share(contact, i, a, b, body, total, wrench)
    for k in range(3):
        law[i, LAW_NORMAL + k] = contact[i, NORMAL + k]
        law[i, LAW_CENTRE + k] = contact[i, CENTRE + k]
    law[i, LAW_AGE] += 1.0
    for k in range(6):
        pair_wrench[i, k] = total[k]


@kernel_inline
def needs_solid(gain, g, solver):
    """Whether one of the laws looks at the solid itself, not only at the contact row."""
    kind = int(gain[g, GAIN_FRICTION])
    return solver == POINT_PENALTY or kind == COULOMB_AREA


@kernel_inline
def begin(contact, law, i, motion, fades, dt):
    """A contact begins: nothing stretched, and no normal or centre to carry anything from but its own.

    `fades`: a pair with the pointer. Deeper than one tick of motion can take it, the pointer was not pushed in but put
    there (a scene begins or changes, the device jumps): the force then grows from zero instead of stepping in.
    """
    for k in range(LAW_SIZE):
        law[i, k] = 0.0
    law[i, LAW_FADE] = 1.0
    speed = math.sqrt(motion[0] * motion[0] + motion[1] * motion[1] + motion[2] * motion[2])
    if fades and contact[i, DEPTH] > FADE_SLACK + 2.0 * dt * speed:
        law[i, LAW_FADE] = 0.0
    for k in range(3):
        law[i, LAW_NORMAL + k] = contact[i, NORMAL + k]
        law[i, LAW_CENTRE + k] = contact[i, CENTRE + k]


@kernel_inline
def patch_motion(contact, i, a, b, body):
    """Velocity of A against B at the patch centre (0..2), angular velocity (3..5); means of both: spin about n (6),
    velocity (7..9).
    """
    ax, ay, az = velocity_at(contact, i, a, body)
    bx, by, bz = velocity_at(contact, i, b, body)
    px, py, pz = body[a, BODY_OMEGA], body[a, BODY_OMEGA + 1], body[a, BODY_OMEGA + 2]
    qx, qy, qz = body[b, BODY_OMEGA], body[b, BODY_OMEGA + 1], body[b, BODY_OMEGA + 2]
    spin = 0.5 * (
        contact[i, NORMAL] * (px + qx) + contact[i, NORMAL + 1] * (py + qy) + contact[i, NORMAL + 2] * (pz + qz)
    )
    mean = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
    return ax - bx, ay - by, az - bz, px - qx, py - qy, pz - qz, spin, mean[0], mean[1], mean[2]


@kernel_inline
def velocity_at(contact, i, a, body):
    """Velocity of the point of body a that is at the patch centre."""
    x = contact[i, CENTRE] - body[a, BODY_POSITION]
    y = contact[i, CENTRE + 1] - body[a, BODY_POSITION + 1]
    z = contact[i, CENTRE + 2] - body[a, BODY_POSITION + 2]
    x, y, z = cross(body[a, BODY_OMEGA], body[a, BODY_OMEGA + 1], body[a, BODY_OMEGA + 2], x, y, z)
    return body[a, BODY_VELOCITY] + x, body[a, BODY_VELOCITY + 1] + y, body[a, BODY_VELOCITY + 2] + z


@kernel_inline
def friction(contact, law, i, gain, g, spread, load, motion, dt, solid):
    """Choose the law; each gives the force on A and its torque about the patch centre."""
    kind = int(gain[g, GAIN_FRICTION])
    if kind == COULOMB_AREA:
        return coulomb_area.friction(contact, law, i, gain, g, spread, load, motion, dt, solid)
    if kind == KIKUUWE:
        return kikuuwe.friction(contact, law, i, gain, g, spread, load, motion, dt, solid)
    if kind == MAXWELL_SLIP:
        return maxwell_slip.friction(contact, law, i, gain, g, spread, load, motion, dt, solid)
    if kind == COULOMB_POINT:
        return coulomb_point.friction(contact, law, i, gain, g, spread, load, motion, dt, solid)
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@kernel_inline
def share(contact, i, a, b, body, total, wrench):
    """The wrench `total` (on A, about the patch centre) to both bodies, each about its own centre of mass."""
    fx, fy, fz, tx, ty, tz = total
    cx, cy, cz = contact[i, CENTRE], contact[i, CENTRE + 1], contact[i, CENTRE + 2]
    x, y, z = cx - body[a, BODY_POSITION], cy - body[a, BODY_POSITION + 1], cz - body[a, BODY_POSITION + 2]
    mx, my, mz = cross(x, y, z, fx, fy, fz)
    add(wrench, a, (fx, fy, fz, mx + tx, my + ty, mz + tz))
    x, y, z = cx - body[b, BODY_POSITION], cy - body[b, BODY_POSITION + 1], cz - body[b, BODY_POSITION + 2]
    mx, my, mz = cross(x, y, z, fx, fy, fz)
    add(wrench, b, (-fx, -fy, -fz, -mx - tx, -my - ty, -mz - tz))


@kernel_inline
def add(wrench, a, w):
    for k in range(6):
        wrench[a, k] += w[k]
