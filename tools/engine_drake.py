"""Drake with hydroelastic contact: the peer that has a contact surface, too; all boxes compliant, else its defaults."""

from importlib.metadata import version

import numpy as np
from engines import Floats, Maker, friction_of, items
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import AddCompliantHydroelasticProperties, AddContactMaterial, Box, ProximityProperties
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    ExternallyAppliedSpatialForce,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from hapticd.scene.file import Scene

MODULUS = 1e7  # Pa per relative depth; Drake's own default


class Drake:
    def __init__(self, scene: Scene, dt: float, approximation: str = "lagged") -> None:
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(
            time_step=dt, contact_model="hydroelastic_with_fallback", discrete_contact_approximation=approximation
        )
        self.plant, _ = AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector(np.array(scene.table.gravity))
        self._bodies = []
        for i, item in enumerate(items(scene)):
            body = self._add(i, item, friction_of(scene))
            if item.mass:
                self._bodies.append((body, item))
        self.plant.Finalize()
        builder.ExportInput(self.plant.get_applied_spatial_force_input_port(), "push")
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self._diagram, self._root = diagram, self.simulator.get_mutable_context()
        self._context = self.plant.GetMyMutableContextFromRoot(self._root)
        for body, item in self._bodies:
            self.plant.SetFreeBodyPose(self._context, body, _transform(item.pose))
            twist = SpatialVelocity(np.array(item.twist[3:]), np.array(item.twist[:3]))
            self.plant.SetFreeBodySpatialVelocity(self._context, body, twist)
        self.dt, self._steps = dt, 0
        self.push(np.zeros((len(self._bodies), 6)))
        self.simulator.Initialize()

    def _add(self, i: int, item: object, mu: float) -> object:
        shape, proximity = Box(*item.size), ProximityProperties()
        AddContactMaterial(None, None, CoulombFriction(mu, mu), proximity)
        AddCompliantHydroelasticProperties(0.5 * min(item.size), MODULUS, proximity)
        if not item.mass:
            world = self.plant.world_body()
            self.plant.RegisterCollisionGeometry(world, _transform(item.pose), shape, f"box{i}", proximity)
            return world
        inertia = SpatialInertia(item.mass, np.zeros(3), UnitInertia.SolidBox(*item.size))
        body = self.plant.AddRigidBody(f"box{i}", inertia)
        self.plant.RegisterCollisionGeometry(body, RigidTransform(), shape, f"box{i}", proximity)
        return body

    def step(self, n: int) -> None:
        self._steps += n
        self.simulator.AdvanceTo(self._steps * self.dt)

    def poses(self) -> Floats:
        rows = []
        for body, _ in self._bodies:
            X = self.plant.EvalBodyPoseInWorld(self._context, body)
            w, x, y, z = X.rotation().ToQuaternion().wxyz()
            rows.append([*X.translation(), x, y, z, w])
        return np.array(rows)

    def twists(self) -> Floats:
        found = [self.plant.EvalBodySpatialVelocityInWorld(self._context, body) for body, _ in self._bodies]
        return np.array([[*v.translational(), *v.rotational()] for v in found])

    def push(self, wrenches: Floats) -> None:
        forces = []
        for (body, _), wrench in zip(self._bodies, wrenches, strict=True):
            force = ExternallyAppliedSpatialForce()
            force.body_index = body.index()
            force.p_BoBq_B = np.zeros(3)
            force.F_Bq_W = SpatialForce(np.array(wrench[3:]), np.array(wrench[:3]))
            forces.append(force)
        self._diagram.GetInputPort("push").FixValue(self._root, forces)


def _transform(pose: tuple[float, ...]) -> RigidTransform:
    x, y, z, w = pose[3:]
    length = np.linalg.norm([x, y, z, w])
    return RigidTransform(RotationMatrix(Quaternion(np.array([w, x, y, z]) / length)), np.array(pose[:3]))


def maker() -> Maker:
    return Maker("Drake", version("drake"), "hydroelastic, lagged (its default)", Drake)
