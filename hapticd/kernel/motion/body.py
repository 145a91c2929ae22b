"""Rigid motion of dynamic bodies: symplectic Euler on linear and world angular momentum.

Gets the wrench of all contacts, gives the pose and twist of the next tick. The angular momentum is what is integrated,
so an isolated body keeps it to rounding; orientation follows from it. Hasegawa 2003, (1) and (2). No sleeping.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.layout import (
    BODY_MOMENTUM,
    BODY_OMEGA,
    BODY_POSITION,
    BODY_Q,
    BODY_SPIN,
    BODY_VELOCITY,
    INERTIA_INVERSE,
    MASS,
    MASS_INVERSE,
    POINTER,
    WORLD_GRAVITY,
)
from hapticd.kernel.tolerance import SLOW_TURN
from hapticd.kernel.vector import turned


@kernel
def integrate(kind, mass, world, n_body, dt, wrench, applied, body):
    """Advance every body that forces move by one step. A coupled pointer has no weight: the hand holds it."""
    for i in range(n_body):
        inverse = mass[i, MASS_INVERSE]
        if inverse == 0.0:
            continue
        weight = 0.0 if kind[i] == POINTER else mass[i, MASS]
        for k in range(3):
            force = wrench[i, k] + applied[i, k] + weight * world[WORLD_GRAVITY + k]
            body[i, BODY_MOMENTUM + k] += dt * force
            body[i, BODY_SPIN + k] += dt * (wrench[i, 3 + k] + applied[i, 3 + k])
            body[i, BODY_VELOCITY + k] = inverse * body[i, BODY_MOMENTUM + k]
            body[i, BODY_POSITION + k] += dt * body[i, BODY_VELOCITY + k]
        turn(mass, i, dt, body)


@kernel_inline
def turn(mass, i, dt, body):
    """Orientation by the angular velocity in the middle of the step.

    omega = R I^-1 R^T L changes while R does; taken at the start, a spinning body gains energy in first order of the
    step. A turn so small that the difference is rounding noise takes the start's.
    """
    x, y, z, w = body[i, BODY_Q], body[i, BODY_Q + 1], body[i, BODY_Q + 2], body[i, BODY_Q + 3]
    lx, ly, lz = body[i, BODY_SPIN], body[i, BODY_SPIN + 1], body[i, BODY_SPIN + 2]
    ox, oy, oz = angular_velocity(mass, i, x, y, z, w, lx, ly, lz)
    if dt * dt * (ox * ox + oy * oy + oz * oz) > SLOW_TURN * SLOW_TURN:
        h = 0.5 * dt
        hx, hy, hz, hw = turned(x, y, z, w, h * ox, h * oy, h * oz)
        ox, oy, oz = angular_velocity(mass, i, hx, hy, hz, hw, lx, ly, lz)
    x, y, z, w = turned(x, y, z, w, dt * ox, dt * oy, dt * oz)
    body[i, BODY_Q], body[i, BODY_Q + 1], body[i, BODY_Q + 2], body[i, BODY_Q + 3] = x, y, z, w
    ox, oy, oz = angular_velocity(mass, i, x, y, z, w, lx, ly, lz)
    body[i, BODY_OMEGA], body[i, BODY_OMEGA + 1], body[i, BODY_OMEGA + 2] = ox, oy, oz


@kernel_inline
def angular_velocity(mass, i, x, y, z, w, lx, ly, lz):
    """omega = R I^-1 R^T L."""
    xx, yy, zz = mass[i, INERTIA_INVERSE], mass[i, INERTIA_INVERSE + 1], mass[i, INERTIA_INVERSE + 2]
    xy, yz, zx = mass[i, INERTIA_INVERSE + 3], mass[i, INERTIA_INVERSE + 4], mass[i, INERTIA_INVERSE + 5]
    bx, by, bz = rotated(-x, -y, -z, w, lx, ly, lz)
    return rotated(x, y, z, w, xx * bx + xy * by + zx * bz, xy * bx + yy * by + yz * bz, zx * bx + yz * by + zz * bz)


@kernel_inline
def rotated(x, y, z, w, ax, ay, az):
    """The vector a turned by the unit quaternion."""
    tx, ty, tz = 2.0 * (y * az - z * ay), 2.0 * (z * ax - x * az), 2.0 * (x * ay - y * ax)
    return ax + w * tx + y * tz - z * ty, ay + w * ty + z * tx - x * tz, az + w * tz + x * ty - y * tx
