"""A scene in motion, from Python: no daemon, no clock, as fast as it goes.

    scene = hapticd.load_scene("configs/scene/tower.toml")
    sim = hapticd.Simulation(scene, dt=1e-3)
    sim.step(1000)
    sim.body("block3").position

One tick is one kernel call, and step(n) runs n without leaving it. Poses are those of the scene's body frames. The
wrench and the contacts are those of the last tick, at the poses it began with.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hapticd.errors import ConfigError, SceneError
from hapticd.kernel import layout as k
from hapticd.kernel.contact.pair import pair_contact
from hapticd.kernel.contact.section import section_polygon
from hapticd.kernel.force.select import FRICTIONS, SOLVERS
from hapticd.kernel.status import CONTACT_DEEP, CONTACT_NONE, CONTACT_OK
from hapticd.kernel.step import step
from hapticd.scene import energy, snapshot
from hapticd.scene.build import Settings, build
from hapticd.scene.file import Scene, load_scene
from hapticd.scene.material import PointerLimit
from hapticd.scene.plan import plan, rotation
from hapticd.scene.stability import check

Floats = npt.NDArray[np.float64]

MOST_CORNERS = 512  # of a contact's outline


@dataclass(frozen=True)
class PairContact:
    """Two parts in contact. World frame; `normal` points from B into A, `wrench` is that on A about `centre`."""

    bodies: tuple[str, str]  # A, B
    status: Literal["ok", "deep", "coarse"]
    normal: Floats  # (3,)
    centre: Floats  # (3,) m
    area: float  # m2
    volume: float  # m3
    depth: float  # m
    wrench: Floats  # (6,) N, Nm
    slips: bool
    polygon: Floats  # (n, 3) m


class Simulation:
    """A world of one scene; `world` is what the kernel works on."""

    def __init__(
        self,
        scene: Scene,
        *,
        dt: float | None = None,
        solver: str | None = None,
        friction: str | None = None,
        limit: PointerLimit | None = None,
    ) -> None:
        """`dt`, `solver` and `friction` (one law for all pairs) override the scene; `limit` is the device's."""
        self.scene = scene
        self.dt = scene.table.step if dt is None else float(dt)
        if not 0.0 < self.dt <= 1.0:
            raise ConfigError(f"Simulation: dt = {dt!r} s; allowed is more than 0 and at most 1")
        _known("solver", solver, SOLVERS)
        _known("friction", friction, FRICTIONS)
        self.plan = plan(scene)
        check(self.plan, self.dt, friction, limit)
        self.world = build(self.plan, Settings(self.dt, solver, friction, limit))
        self._index = {body.table.name: i for i, body in enumerate(self.plan.bodies)}

    def set_pointer(
        self,
        position: npt.ArrayLike,
        q_xyzw: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Where the device holds the pointer's frame from the next tick on; it moves there within the travel limit."""
        if self.plan.pointer < 0:
            raise SceneError(f"scene '{self.scene.name}' has no body of kind 'pointer'")
        q = _numbers("q_xyzw", q_xyzw, 4)
        length = math.sqrt(q @ q)
        if not length > 0.0:
            raise ConfigError(f"set_pointer: q_xyzw = {q_xyzw!r}; allowed is a quaternion that is not zero")
        parts = (position, q / length, velocity, angular_velocity)
        names = ("position", "q_xyzw", "velocity", "angular_velocity")
        checked = [_numbers(name, x, 4 if name == "q_xyzw" else 3) for name, x in zip(names, parts, strict=True)]
        self.world.state.device[:] = np.concatenate(checked)

    def step(self, n: int = 1) -> None:
        """n ticks."""
        if n < 0:
            raise ConfigError(f"step: n = {n}; allowed is 0 or more")
        step(*self.world, n)
        dropped = int(self.world.work.report[k.REPORT_DROPPED])
        if dropped:
            room = len(self.world.state.pair)
            raise SceneError(
                f"scene '{self.scene.name}': {room + dropped} pairs of parts are near each other, the capacity is "
                f"{room}; make the scene sparser"
            )

    @property
    def tick(self) -> int:
        return int(self.world.state.tick[0])

    @property
    def time(self) -> float:
        """s since the start."""
        return self.tick * self.dt

    @property
    def pointer_wrench(self) -> Floats:
        """(6,) force and torque for the device, world frame, about the origin of the pointer's frame."""
        return np.array(self.world.work.pointer)

    def body(self, name: str) -> "BodyView":
        if name not in self._index:
            known = ", ".join(list(self._index)[:8]) + (", ..." if len(self._index) > 8 else "")
            raise SceneError(f"scene '{self.scene.name}' has no body {name!r}; known are {known}")
        return BodyView(self, self._index[name])

    @property
    def bodies(self) -> list["BodyView"]:
        return [BodyView(self, i) for i in range(len(self.plan.bodies))]

    def contacts(self) -> list[PairContact]:
        """The pairs that touched in the last tick, in the order of their parts."""
        state = self.world.state
        touching = np.flatnonzero(state.touch[: int(state.pair_count[0])] != CONTACT_NONE)
        return [self._contact(int(i)) for i in touching]

    def _contact(self, i: int) -> PairContact:
        model, state, work, solid = self.world
        part_a, part_b = (int(part) for part in state.pair[i])
        a, b = int(model.part_body[part_a]), int(model.part_body[part_b])
        row = state.contact[i : i + 1].copy()
        cells = row[0].copy()
        # The solid is scratch memory of one pair at a time: the outline needs it once more.
        pair_contact(model.shapes, part_a, part_b, work.X_W, a, b, solid, row, 0)
        outline = np.zeros((MOST_CORNERS, 3))
        n_corner = section_polygon(solid, row, 0, outline)
        status = int(state.touch[i])
        return PairContact(
            bodies=(self.plan.bodies[a].table.name, self.plan.bodies[b].table.name),
            status="ok" if status == CONTACT_OK else "deep" if status == CONTACT_DEEP else "coarse",
            normal=cells[k.NORMAL : k.NORMAL + 3],
            centre=cells[k.CENTRE : k.CENTRE + 3],
            area=float(cells[k.AREA]),
            volume=float(cells[k.VOLUME]),
            depth=float(cells[k.DEPTH]),
            wrench=work.pair_wrench[i].copy(),
            slips=bool(state.law[i, k.LAW_SLIPS]),
            polygon=outline[:n_corner].copy(),
        )

    def energy(self) -> energy.Energy:
        """Kinetic, gravitational and stored in the contacts, J."""
        return energy.energy(self.world)

    @property
    def momentum(self) -> Floats:
        """(3,) kg m/s of all dynamic bodies."""
        return energy.momentum(self.world)

    @property
    def angular_momentum(self) -> Floats:
        """(3,) kg m2/s of all dynamic bodies about the world's origin."""
        return energy.angular_momentum(self.world)

    def state_hash(self) -> str:
        """Of all bits of the state: equal hashes, equal futures."""
        return snapshot.state_hash(self.world)

    def snapshot(self) -> bytes:
        return snapshot.take(self.world)

    def restore(self, data: bytes) -> None:
        """Put a snapshot of the same scene back."""
        snapshot.put(self.world, data)


class BodyView:
    """One body of a running simulation: reads are of now, `push` acts from the next tick on."""

    def __init__(self, sim: Simulation, index: int) -> None:
        self._sim, self.index = sim, index
        self._row, self._origin = sim.world.state.body[index], sim.world.model.origin[index]

    @property
    def name(self) -> str:
        return self._sim.plan.bodies[self.index].table.name

    @property
    def mass(self) -> float:
        """kg; 0 for a body that forces do not move."""
        return self._sim.plan.bodies[self.index].mass

    @property
    def q_xyzw(self) -> Floats:
        return np.array(self._row[k.BODY_Q : k.BODY_Q + 4])

    @property
    def rotation(self) -> Floats:
        """(3, 3), from the body's frame to the world's."""
        return rotation(self.q_xyzw)

    @property
    def centre_of_mass(self) -> Floats:
        return np.array(self._row[k.BODY_POSITION : k.BODY_POSITION + 3])

    @property
    def position(self) -> Floats:
        """(3,) m, of the body's frame as the scene gave it."""
        return np.asarray(self.centre_of_mass + self.rotation @ self._origin)

    @property
    def angular_velocity(self) -> Floats:
        """(3,) rad/s, world frame."""
        return np.array(self._row[k.BODY_OMEGA : k.BODY_OMEGA + 3])

    @property
    def velocity(self) -> Floats:
        """(3,) m/s, of the origin of the body's frame."""
        spin = np.cross(self.angular_velocity, self.rotation @ self._origin)
        return np.array(self._row[k.BODY_VELOCITY : k.BODY_VELOCITY + 3] + spin)

    @property
    def wrench(self) -> Floats:
        """(6,) N, Nm: of the last tick's contacts, and a virtual coupling, about the centre of mass."""
        return np.array(self._sim.world.work.wrench[self.index])

    def push(self, force: npt.ArrayLike = (0, 0, 0), torque: npt.ArrayLike = (0, 0, 0)) -> None:
        """A force and torque about the centre of mass, world frame, until the next push."""
        self._sim.world.state.applied[self.index] = np.concatenate(
            [_numbers("force", force, 3), _numbers("torque", torque, 3)]
        )


def warm_up() -> None:
    """One tick of a small scene, so that the kernels are compiled."""
    box = {"type": "box", "size": [1, 1, 1]}
    bodies = [
        {"name": "a", "kind": "static", "shape": box},
        {"name": "b", "shape": box, "mass": 1, "position": [0, 0, 0.99]},
    ]
    sim = Simulation(load_scene({"material": {"default": {"stiffness": 100, "damping": 1}}, "body": bodies}))
    sim.step()
    sim.contacts()


def _known(what: str, name: str | None, names: tuple[str, ...]) -> None:
    if name is not None and name not in names:
        raise ConfigError(f"Simulation: {what} = {name!r}; allowed are {', '.join(names)}")


def _numbers(name: str, values: npt.ArrayLike, n: int) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (n,) or not np.isfinite(array).all():
        raise ConfigError(f"{name} = {values!r}; allowed are {n} finite numbers")
    return array
