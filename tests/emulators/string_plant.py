"""The physics behind an emulated string device: a grip on strings, held by a hand or free.

A rigid grip (mass, inertia, damping) is pulled by string tensions and by a hand that is a spring and damper to a target
pose, with the hand's mass added to the grip's. Semi-implicit Euler in small steps. Encoders count string length
downwards from where they were at home and wrap at 16 bits. Written from the device description; shares no code with
the drivers.
"""

from dataclasses import dataclass

import numba
import numpy as np

SUBSTEP = 1e-4  # s


@dataclass
class Body:
    """Defaults: a SPIDAR grip of 50 g, and a hand as measured on a 3-D handle (0.55 kg, 6.5 Ns/m, 135 N/m)."""

    mass: float = 0.05  # kg
    inertia: float = 2e-5  # kg m2
    damping: float = 0.5  # Ns/m, of the device
    spin_damping: float = 2e-4  # Nms/rad
    hand_mass: float = 0.55
    hand_damping: float = 6.5
    hand_stiffness: float = 135.0
    hand_spin_inertia: float = 2e-4
    hand_spin_damping: float = 0.02  # Nms/rad
    hand_spin_stiffness: float = 1.0  # Nm/rad
    held: bool = True


@numba.njit(cache=True)
def _matrix(q):
    x, y, z, w = q
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        )
    )


@numba.njit(cache=True)
def _advance(p, q, v, w, exits, knots, tension, target, body, spatial, dt, steps):
    mass, inertia, damping, spin_damping, stiffness, grip_b, spin_k, spin_b = body
    for _ in range(steps):
        R = _matrix(q)
        force = -damping * v + stiffness * (target - p) - grip_b * v
        # the hand keeps the grip upright: twice the vector part is the rotation vector for small turns
        torque = -(spin_damping + spin_b) * w - 2.0 * spin_k * q[:3] * (1.0 if q[3] >= 0 else -1.0)
        for i in range(len(tension)):
            arm = R @ knots[i]
            d = exits[i] - (p + arm)
            pull = tension[i] * d / np.sqrt(np.sum(d * d))
            force += pull
            torque += np.array(
                (arm[1] * pull[2] - arm[2] * pull[1], arm[2] * pull[0] - arm[0] * pull[2],
                 arm[0] * pull[1] - arm[1] * pull[0])
            )  # fmt: skip
        v += dt * force / mass
        p += dt * v
        if spatial:
            w += dt * torque / inertia
            h = 0.5 * dt * w
            x, y, z, s = q
            q += np.array(
                (h[0] * s + h[1] * z - h[2] * y, h[1] * s + h[2] * x - h[0] * z, h[2] * s + h[0] * y - h[1] * x,
                 -h[0] * x - h[1] * y - h[2] * z)
            )  # fmt: skip
            q /= np.sqrt(np.sum(q * q))


class StringPlant:
    """Pose, velocity and encoders of one grip."""

    def __init__(self, exits, knots, metres_per_count, spatial, body, start_counts=None):
        self.exits, self.knots = np.array(exits, float), np.array(knots, float)
        self.metres_per_count = np.array(metres_per_count, float)
        self.spatial, self.body = spatial, body
        self.p, self.v, self.w = np.zeros(3), np.zeros(3), np.zeros(3)
        self.q = np.array([0.0, 0.0, 0.0, 1.0])
        self.target = np.zeros(3)
        self.tension = np.zeros(len(self.exits))
        self.home = self.lengths()
        self.advance(0.0)  # compiles before anyone waits for an answer
        self.start = np.zeros(len(self.exits), int) if start_counts is None else np.array(start_counts, int)

    def lengths(self):
        return np.sqrt(np.sum((self.exits - (self.knots @ _matrix(self.q).T + self.p)) ** 2, axis=1))

    def advance(self, seconds):
        b = self.body
        on = 1.0 if b.held else 0.0
        numbers = np.array(
            [
                b.mass + on * b.hand_mass, b.inertia + on * b.hand_spin_inertia, b.damping, b.spin_damping,
                on * b.hand_stiffness, on * b.hand_damping, on * b.hand_spin_stiffness, on * b.hand_spin_damping,
            ]
        )  # fmt: skip
        steps = max(1, round(seconds / SUBSTEP))
        _advance(
            self.p, self.q, self.v, self.w, self.exits, self.knots, self.tension, self.target, numbers, self.spatial,
            seconds / steps, steps,
        )  # fmt: skip

    def place(self, row):
        """A rig, stiffer than any force, holds the grip there."""
        self.p[:], self.q[:], self.v[:], self.w[:] = row[:3], row[3:7], row[7:10], row[10:13]

    def counts(self):
        """What the encoders show: whole counts, not yet wrapped."""
        return np.floor((self.lengths() - self.home) / self.metres_per_count + 0.5).astype(int) + self.start
