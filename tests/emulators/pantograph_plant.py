"""The physics behind an emulated pantograph: a mass at the tip, torques at the motors, a hand.

Works in the plane of the tip: angles by the law of cosines, forces from torques by virtual work with differences of the
angles. So nothing here repeats the driver's way from angles to the tip.
"""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Arm:
    inner: float = 0.05  # m
    outer: float = 0.07
    span: float = 0.02
    mass: float = 0.1  # kg, at the tip
    damping: float = 0.2  # Ns/m
    hand_mass: float = 0.5
    hand_damping: float = 6.5
    hand_stiffness: float = 135.0
    held: bool = True


class PantographPlant:
    def __init__(self, arm, tip=(0.01, 0.0704)):
        self.arm = arm
        self.p, self.v, self.target = np.array(tip, float), np.zeros(2), np.array(tip, float)
        self.torque = np.zeros(2)

    def angles(self, p=None):
        """Motor angles in rad that put the tip there; the elbows point outwards."""
        x, y = self.p if p is None else p
        a = self.arm
        left, right = math.hypot(x, y), math.hypot(x - a.span, y)
        bend_left = math.acos((left**2 + a.inner**2 - a.outer**2) / (2 * left * a.inner))
        bend_right = math.acos((right**2 + a.inner**2 - a.outer**2) / (2 * right * a.inner))
        return np.array([math.atan2(y, x) + bend_left, math.atan2(y, x - a.span) - bend_right])

    def force(self):
        """At the tip, from torque . d(angle) = force . d(tip)."""
        h = 1e-6
        out = []
        for axis in np.eye(2):
            slope = (self.angles(self.p + h * axis) - self.angles(self.p - h * axis)) / (2 * h)
            out.append(self.torque @ slope)
        return np.array(out)

    def advance(self, seconds, steps=5):
        a, dt = self.arm, seconds / steps
        on = 1.0 if a.held else 0.0
        for _ in range(steps):
            pull = self.force() - a.damping * self.v
            pull += on * (a.hand_stiffness * (self.target - self.p) - a.hand_damping * self.v)
            self.v += dt * pull / (a.mass + on * a.hand_mass)
            self.p += dt * self.v
