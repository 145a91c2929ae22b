"""How the device moves the pointer, and what the device is to render.

Direct coupling: the pointer is where the device is, and the contact wrench goes straight to the device (Hasegawa 2003,
section 3). Virtual coupling: the pointer is a simulated body on a spring and damper whose other end the device holds.

The pointer never moves more than WORLD_TRAVEL in a tick, turning included: half of the thinnest part, so it cannot pass
through anything unseen. A device that is faster (5 m/s at 1 kHz for parts 1 cm thin) finds its pointer lagging behind
and catching up.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.layout import (
    BODY_OMEGA,
    BODY_POSITION,
    BODY_Q,
    BODY_VELOCITY,
    DEVICE_OMEGA,
    DEVICE_POSITION,
    DEVICE_Q,
    DEVICE_VELOCITY,
    WORLD_COUPLING,
    WORLD_REACH,
    WORLD_TRAVEL,
)
from hapticd.kernel.motion.body import rotated
from hapticd.kernel.vector import cross, quaternion_product

# Angle over chord of two unit quaternions, at most: pi over sqrt 2, at half a turn.
ANGLE_PER_CHORD = 2.2215


@kernel
def begin_at_device(device, origin, p, body):
    """In a scene that begins, the pointer is where the hand is: it does not fly there through the bodies."""
    px, py, pz, x, y, z, w = held_pose(device, origin, p)
    place(body, p, px, py, pz, x, y, z, w)


@kernel
def follow_device(device, origin, p, world, body):
    """Direct coupling: pointer body p to the device's pose, or as far towards it as one tick allows."""
    px, py, pz, x, y, z, w = held_pose(device, origin, p)
    qx, qy, qz, qw = body[p, BODY_Q], body[p, BODY_Q + 1], body[p, BODY_Q + 2], body[p, BODY_Q + 3]
    if qx * x + qy * y + qz * z + qw * w < 0.0:
        x, y, z, w = -x, -y, -z, -w  # the same orientation, on the near side
    dx, dy, dz = px - body[p, BODY_POSITION], py - body[p, BODY_POSITION + 1], pz - body[p, BODY_POSITION + 2]
    ux, uy, uz, uw = x - qx, y - qy, z - qz, w - qw
    chord = math.sqrt(ux * ux + uy * uy + uz * uz + uw * uw)
    way = math.sqrt(dx * dx + dy * dy + dz * dz) + world[WORLD_REACH] * ANGLE_PER_CHORD * chord
    if not way < math.inf:
        return  # a sample that is no number: the pointer stays
    # The hand's velocity, even while catching up: damping and friction answer the hand, not a jump of the scene under
    # it (a scene that was loaded while in contact gave one tick of 10 m/s times the damping).
    vx, vy, vz = device_velocity(device, origin, p, x, y, z, w)
    twist(body, p, vx, vy, vz, device[DEVICE_OMEGA], device[DEVICE_OMEGA + 1], device[DEVICE_OMEGA + 2])
    if way <= world[WORLD_TRAVEL]:
        place(body, p, px, py, pz, x, y, z, w)
        return
    s = world[WORLD_TRAVEL] / way
    x, y, z, w = qx + s * ux, qy + s * uy, qz + s * uz, qw + s * uw
    length = math.sqrt(x * x + y * y + z * z + w * w)  # two unit quaternions on the near side: at least 0.7
    place(
        body, p, body[p, BODY_POSITION] + s * dx, body[p, BODY_POSITION + 1] + s * dy, body[p, BODY_POSITION + 2] + s *
        dz, x / length, y / length, z / length, w / length,
    )  # fmt: skip


@kernel_inline
def held_pose(device, origin, p):
    """Position of the centre of mass and orientation that the device asks for."""
    x, y, z, w = device[DEVICE_Q], device[DEVICE_Q + 1], device[DEVICE_Q + 2], device[DEVICE_Q + 3]
    ox, oy, oz = rotated(x, y, z, w, origin[p, 0], origin[p, 1], origin[p, 2])
    return device[DEVICE_POSITION] - ox, device[DEVICE_POSITION + 1] - oy, device[DEVICE_POSITION + 2] - oz, x, y, z, w


@kernel_inline
def device_velocity(device, origin, p, x, y, z, w):
    """Velocity of the centre of mass: that of the origin, less the turn's share."""
    ox, oy, oz = rotated(x, y, z, w, origin[p, 0], origin[p, 1], origin[p, 2])
    sx, sy, sz = cross(device[DEVICE_OMEGA], device[DEVICE_OMEGA + 1], device[DEVICE_OMEGA + 2], ox, oy, oz)
    return device[DEVICE_VELOCITY] - sx, device[DEVICE_VELOCITY + 1] - sy, device[DEVICE_VELOCITY + 2] - sz


@kernel_inline
def place(body, p, px, py, pz, x, y, z, w):
    body[p, BODY_POSITION], body[p, BODY_POSITION + 1], body[p, BODY_POSITION + 2] = px, py, pz
    body[p, BODY_Q], body[p, BODY_Q + 1], body[p, BODY_Q + 2], body[p, BODY_Q + 3] = x, y, z, w


@kernel_inline
def twist(body, p, vx, vy, vz, ox, oy, oz):
    body[p, BODY_VELOCITY], body[p, BODY_VELOCITY + 1], body[p, BODY_VELOCITY + 2] = vx, vy, vz
    body[p, BODY_OMEGA], body[p, BODY_OMEGA + 1], body[p, BODY_OMEGA + 2] = ox, oy, oz


@kernel
def pull(device, origin, p, world, body, wrench, pointer):
    """Virtual coupling: the device's pull is added to the pointer's wrench; its opposite is what the device renders.

    The spring's stretch counts up to the pointer's reach, so a device that jumps pulls with a bounded force. The
    angular spring goes with 2 sin(angle / 2): the angle itself for small ones, and never a jump below a full half turn.
    """
    px, py, pz, x, y, z, w = held_pose(device, origin, p)
    vx, vy, vz = device_velocity(device, origin, p, x, y, z, w)
    dx, dy, dz = px - body[p, BODY_POSITION], py - body[p, BODY_POSITION + 1], pz - body[p, BODY_POSITION + 2]
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if away > world[WORLD_REACH]:
        s = world[WORLD_REACH] / away
        dx, dy, dz = s * dx, s * dy, s * dz
    tx, ty, tz, tw = quaternion_product(
        x, y, z, w, -body[p, BODY_Q], -body[p, BODY_Q + 1], -body[p, BODY_Q + 2], body[p, BODY_Q + 3]
    )
    double = 2.0 if tw >= 0.0 else -2.0
    K, B, K_turn, B_turn = (
        world[WORLD_COUPLING], world[WORLD_COUPLING + 1], world[WORLD_COUPLING + 2], world[WORLD_COUPLING + 3],
    )  # fmt: skip
    fx = K * dx + B * (vx - body[p, BODY_VELOCITY])
    fy = K * dy + B * (vy - body[p, BODY_VELOCITY + 1])
    fz = K * dz + B * (vz - body[p, BODY_VELOCITY + 2])
    mx = K_turn * double * tx + B_turn * (device[DEVICE_OMEGA] - body[p, BODY_OMEGA])
    my = K_turn * double * ty + B_turn * (device[DEVICE_OMEGA + 1] - body[p, BODY_OMEGA + 1])
    mz = K_turn * double * tz + B_turn * (device[DEVICE_OMEGA + 2] - body[p, BODY_OMEGA + 2])
    for k, part in enumerate((fx, fy, fz, mx, my, mz)):
        wrench[p, k] += part
    about_origin(origin, p, x, y, z, w, -fx, -fy, -fz, -mx, -my, -mz, pointer)


@kernel
def felt(origin, p, body, wrench, pointer):
    """Direct coupling: the contact wrench as the device renders it."""
    about_origin(
        origin, p, body[p, BODY_Q], body[p, BODY_Q + 1], body[p, BODY_Q + 2], body[p, BODY_Q + 3],
        wrench[p, 0], wrench[p, 1], wrench[p, 2], wrench[p, 3], wrench[p, 4], wrench[p, 5], pointer,
    )  # fmt: skip


@kernel_inline
def about_origin(origin, p, x, y, z, w, fx, fy, fz, mx, my, mz, pointer):
    """A wrench about the centre of mass, written down about the origin of the pointer's frame."""
    ox, oy, oz = rotated(x, y, z, w, origin[p, 0], origin[p, 1], origin[p, 2])
    sx, sy, sz = cross(ox, oy, oz, fx, fy, fz)
    pointer[0], pointer[1], pointer[2] = fx, fy, fz
    pointer[3], pointer[4], pointer[5] = mx - sx, my - sy, mz - sz
