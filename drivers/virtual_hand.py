"""A hand without a person: a path that it wants to follow, and the spring, damper and mass that it does so with.

    grip mass and device damping  <── force of the device
              │
    hand: spring and damper towards the point that moves along the path

Used by the virtual device. The hand's numbers are those of a relaxed grip (0.55 kg, 6.5 Ns/m, 135 N/m). A stiff hand
follows its path whatever the force. What it does not model: friction of the device, fingers that let go.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.vector import turned

# Cells of a grip.
GRIP_POSITION = 0
GRIP_Q = 3
GRIP_VELOCITY = 7
GRIP_OMEGA = 10
GRIP_SIZE = 13

# Cells of a hand.
HAND_MASS = 0  # kg, of hand and grip
HAND_DAMPING = 1  # Ns/m towards the target's velocity
HAND_STIFFNESS = 2  # N/m
HAND_FRICTION = 3  # Ns/m, the device's own damping b
HAND_INERTIA = 4  # kg m2
HAND_TURN_DAMPING = 5  # Nms/rad
HAND_TURN_STIFFNESS = 6  # Nm/rad
HAND_SIZE = 7

# Columns of a waypoint: time, position, rotation vector (of less than a radian).
WAY_TIME = 0
WAY_POSITION = 1
WAY_TURN = 4
WAY_SIZE = 7


@kernel_inline
def on_path(path, t, out):
    """Position, turn and their rates at time t into out (12,); the path is walked over and over.

    Minimum jerk between two waypoints: s = 10 u^3 - 15 u^4 + 6 u^5 starts and ends at rest.
    """
    n = path.shape[0]
    t = t - math.floor(t / path[n - 1, WAY_TIME]) * path[n - 1, WAY_TIME]
    i = 0
    while i < n - 2 and path[i + 1, WAY_TIME] <= t:
        i += 1
    span = path[i + 1, WAY_TIME] - path[i, WAY_TIME]  # above zero: the options are checked
    u = (t - path[i, WAY_TIME]) / span
    s = u * u * u * (10.0 - u * (15.0 - 6.0 * u))
    rate = 30.0 * u * u * (1.0 - u) * (1.0 - u) / span
    for k in range(6):
        way = path[i + 1, WAY_POSITION + k] - path[i, WAY_POSITION + k]
        out[k] = path[i, WAY_POSITION + k] + s * way
        out[6 + k] = rate * way


@kernel
def follow(grip, path, t, target):
    """A stiff hand: the grip is where the path is."""
    on_path(path, t, target)
    for k in range(3):
        grip[GRIP_POSITION + k] = target[k]
        grip[GRIP_VELOCITY + k] = target[6 + k]
        grip[GRIP_OMEGA + k] = target[9 + k]
    grip[GRIP_Q], grip[GRIP_Q + 1], grip[GRIP_Q + 2], grip[GRIP_Q + 3] = turned(
        0.0, 0.0, 0.0, 1.0, target[3], target[4], target[5]
    )


@kernel
def drag(grip, path, t, target, hand, wrench, dt, steps):
    """A soft hand: `steps` steps of length dt under a constant wrench; damping implicit, so that any hand is stable."""
    for j in range(steps):
        on_path(path, t + j * dt, target)
        for k in range(3):
            pull = hand[HAND_STIFFNESS] * (target[k] - grip[GRIP_POSITION + k]) + hand[HAND_DAMPING] * target[6 + k]
            drag_rate = (hand[HAND_DAMPING] + hand[HAND_FRICTION]) * dt / hand[HAND_MASS]
            start = grip[GRIP_VELOCITY + k] + dt / hand[HAND_MASS] * (pull + wrench[k])
            grip[GRIP_VELOCITY + k] = start / (1.0 + drag_rate)
            grip[GRIP_POSITION + k] += dt * grip[GRIP_VELOCITY + k]
        turn(grip, target, hand, wrench, dt)


@kernel_inline
def turn(grip, target, hand, wrench, dt):
    """The same for the turn; its error from small angles, 2 (q_target q^-1)."""
    a, b, c, d = turned(0.0, 0.0, 0.0, 1.0, target[3], target[4], target[5])
    x, y, z, w = grip[GRIP_Q], grip[GRIP_Q + 1], grip[GRIP_Q + 2], grip[GRIP_Q + 3]
    ex = 2.0 * (-d * x + a * w - b * z + c * y)
    ey = 2.0 * (-d * y + a * z + b * w - c * x)
    ez = 2.0 * (-d * z - a * y + b * x + c * w)
    ease = 1.0 + hand[HAND_TURN_DAMPING] * dt / hand[HAND_INERTIA]
    gain = dt / hand[HAND_INERTIA]
    stiff, damp = hand[HAND_TURN_STIFFNESS], hand[HAND_TURN_DAMPING]
    p = (grip[GRIP_OMEGA] + gain * (stiff * ex + damp * target[9] + wrench[3])) / ease
    q = (grip[GRIP_OMEGA + 1] + gain * (stiff * ey + damp * target[10] + wrench[4])) / ease
    r = (grip[GRIP_OMEGA + 2] + gain * (stiff * ez + damp * target[11] + wrench[5])) / ease
    grip[GRIP_OMEGA], grip[GRIP_OMEGA + 1], grip[GRIP_OMEGA + 2] = p, q, r
    grip[GRIP_Q], grip[GRIP_Q + 1], grip[GRIP_Q + 2], grip[GRIP_Q + 3] = turned(x, y, z, w, p * dt, q * dt, r * dt)
