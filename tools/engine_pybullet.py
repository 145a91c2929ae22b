"""PyBullet: Bullet as people use it from Python, double precision; every step is a call through its command queue."""

from importlib.metadata import version

import numpy as np
import pybullet as bullet
from engines import Floats, Item, Maker, friction_of, items

from hapticd.scene.file import Scene


class PyBullet:
    def __init__(self, scene: Scene, dt: float, spring: tuple[float, float] | None = None) -> None:
        """`spring`: N/m and Ns/m of each contact point; without it contacts are as hard as Bullet makes them."""
        self.client = bullet.connect(bullet.DIRECT)
        bullet.setGravity(*scene.table.gravity, physicsClientId=self.client)
        bullet.setPhysicsEngineParameter(
            fixedTimeStep=dt, numSubSteps=0, deterministicOverlappingPairs=1, physicsClientId=self.client
        )
        self._spring = spring
        self._moving = [self._add(item, friction_of(scene)) for item in items(scene)]
        self._moving = [i for i, item in zip(self._moving, items(scene), strict=True) if item.mass]
        self._wrenches: Floats | None = None

    def _add(self, item: Item, mu: float) -> int:
        shape = bullet.createCollisionShape(
            bullet.GEOM_BOX, halfExtents=[0.5 * s for s in item.size], physicsClientId=self.client
        )
        # Maximal coordinates: a plain rigid body, faster than the articulated one it makes by default.
        made = bullet.createMultiBody(
            item.mass, shape, basePosition=item.pose[:3], baseOrientation=item.pose[3:], useMaximalCoordinates=1,
            physicsClientId=self.client,
        )  # fmt: skip
        # Bullet multiplies the coefficients of the two bodies.
        bullet.changeDynamics(
            made, -1, lateralFriction=mu**0.5, linearDamping=0, angularDamping=0,
            activationState=bullet.ACTIVATION_STATE_DISABLE_SLEEPING, physicsClientId=self.client,
        )  # fmt: skip
        if self._spring is not None:
            # Of two bodies Bullet takes the stiffnesses in series and adds the dampings.
            bullet.changeDynamics(
                made, -1, contactStiffness=2 * self._spring[0], contactDamping=0.5 * self._spring[1],
                physicsClientId=self.client,
            )  # fmt: skip
        bullet.resetBaseVelocity(made, item.twist[:3], item.twist[3:], physicsClientId=self.client)
        return int(made)

    def step(self, n: int) -> None:
        for _ in range(n):
            if self._wrenches is not None:
                self._apply(self._wrenches)
            bullet.stepSimulation(physicsClientId=self.client)

    def _apply(self, wrenches: Floats) -> None:
        for i, wrench in zip(self._moving, wrenches, strict=True):
            place = bullet.getBasePositionAndOrientation(i, physicsClientId=self.client)[0]
            bullet.applyExternalForce(i, -1, wrench[:3], place, bullet.WORLD_FRAME, physicsClientId=self.client)
            bullet.applyExternalTorque(i, -1, wrench[3:], bullet.WORLD_FRAME, physicsClientId=self.client)

    def poses(self) -> Floats:
        found = [bullet.getBasePositionAndOrientation(i, physicsClientId=self.client) for i in self._moving]
        return np.array([[*p, *q] for p, q in found])

    def twists(self) -> Floats:
        found = [bullet.getBaseVelocity(i, physicsClientId=self.client) for i in self._moving]
        return np.array([[*v, *omega] for v, omega in found])

    def push(self, wrenches: Floats) -> None:
        self._wrenches = np.array(wrenches) if np.any(wrenches) else None

    def __del__(self) -> None:
        if bullet.isConnected(self.client):
            bullet.disconnect(self.client)


def maker() -> Maker:
    return Maker("PyBullet", version("pybullet"), "one Python call a step", PyBullet)
