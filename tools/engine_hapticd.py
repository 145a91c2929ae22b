"""hapticd itself, behind the face of `engines.py`; also the contact wrench that it felt, which only it is asked for."""

import numpy as np
from engines import Floats, Maker

import hapticd
from hapticd.kernel import layout as k
from hapticd.kernel.step import step
from hapticd.scene.file import Scene
from hapticd.simulation import Simulation


class Hapticd:
    def __init__(self, scene: Scene, dt: float) -> None:
        self.sim = Simulation(scene, dt=dt)
        self._world, self._body = self.sim.world, self.sim.world.state.body
        self._moving = np.flatnonzero(self.sim.world.model.kind == k.DYNAMIC)

    def step(self, n: int) -> None:
        step(*self._world, n)

    def poses(self) -> Floats:
        rows = self._body[self._moving]
        return np.hstack([rows[:, k.BODY_POSITION : k.BODY_POSITION + 3], rows[:, k.BODY_Q : k.BODY_Q + 4]])

    def twists(self) -> Floats:
        rows = self._body[self._moving]
        return np.hstack([rows[:, k.BODY_VELOCITY : k.BODY_VELOCITY + 3], rows[:, k.BODY_OMEGA : k.BODY_OMEGA + 3]])

    def push(self, wrenches: Floats) -> None:
        self._world.state.applied[self._moving] = wrenches


def maker() -> Maker:
    return Maker("hapticd", hapticd.__version__, "step(n), one kernel call", Hapticd)
