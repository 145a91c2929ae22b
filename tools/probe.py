"""One box in any engine, and the contact wrench on it: by the balance of momentum, so that no engine has to be asked.

    f = m (v1 - v0) / dt - m g - push,     torque likewise about the centre

The same formula for all, on the same motion. `Hand` holds the box by a spring and damper, as a virtual coupling does.
"""

from dataclasses import dataclass

import numpy as np
from engines import Engine, Floats, Maker, items, rotation

from hapticd.scene.file import Scene


class Probe:
    """The first dynamic box of a scene, tick by tick."""

    def __init__(self, maker: Maker, scene: Scene, dt: float) -> None:
        self.engine: Engine = maker.build(scene, dt)
        self.dt, self.gravity = dt, np.array(scene.table.gravity)
        item = next(item for item in items(scene) if item.mass)
        x, y, z = item.size
        self.mass = item.mass
        self.inertia = item.mass / 12.0 * np.array([y * y + z * z, z * z + x * x, x * x + y * y])
        self.push = np.zeros(6)

    def run(self, seconds: float) -> None:
        self.engine.step(round(seconds / self.dt))

    def tick(self, push: Floats | None = None) -> Floats:
        """One step under a push; the contact wrench of it, (6,) about the centre."""
        if push is not None:
            self.push = np.asarray(push, dtype=float)
            self.engine.push(self.push[None])
        before = self.momentum()
        self.engine.step(1)
        wrench = (self.momentum() - before) / self.dt - self.push
        wrench[:3] -= self.mass * self.gravity
        return wrench

    @property
    def position(self) -> Floats:
        return np.array(self.engine.poses()[0, :3])

    @property
    def rotation(self) -> Floats:
        return rotation(self.engine.poses()[0, 3:])

    @property
    def twist(self) -> Floats:
        return np.array(self.engine.twists()[0])

    def momentum(self) -> Floats:
        """(6,) linear, and angular about the centre; world frame."""
        R, twist = self.rotation, self.twist
        return np.concatenate([self.mass * twist[:3], R @ (self.inertia * (R.T @ twist[3:]))])

    def energy(self) -> float:
        """Kinetic and of height, J."""
        v, L = self.twist, self.momentum()
        return float(0.5 * (L @ v) - self.mass * self.gravity @ self.position)


@dataclass(frozen=True)
class Hand:
    """A spring and damper towards a pose: N/m, Ns/m, Nm/rad, Nms/rad."""

    stiffness: float
    damping: float
    turn_stiffness: float
    turn_damping: float

    def wrench(self, probe: Probe, position: Floats, R: Floats) -> Floats:
        twist, error = probe.twist, R @ probe.rotation.T
        # the vector part of a small rotation
        turn = 0.5 * np.array([error[2, 1] - error[1, 2], error[0, 2] - error[2, 0], error[1, 0] - error[0, 1]])
        force = self.stiffness * (position - probe.position) - self.damping * twist[:3]
        return np.concatenate([force, self.turn_stiffness * turn - self.turn_damping * twist[3:]])


def about_y(angle: float) -> Floats:
    return rotation(np.array([0.0, np.sin(0.5 * angle), 0.0, np.cos(0.5 * angle)]))
