"""What a client sees: a state, an event, the scene; read-only, with numpy views on the bytes that came."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd import wire
from hapticd.errors import WireError
from hapticd.wire import Message
from hapticd.words import limit_names

Floats = NDArray[np.floating[Any]]
CONTACT = {name: i for i, name in enumerate(wire.BLOBS["contact"].columns)}
OF = {name: i for i, name in enumerate(wire.BLOBS["contact_of"].columns)}


@dataclass(frozen=True)
class Shape:
    """A convex part in its body's frame: corners in m, and triangles that face outwards."""

    vertices: Floats  # (n, 3)
    faces: NDArray[np.int32]  # (m, 3)


@dataclass(frozen=True)
class Body:
    """A body as the scene names it."""

    name: str
    kind: str  # dynamic, static, kinematic, pointer
    material: str
    colour: tuple[float, float, float] | None
    shapes: tuple[int, ...]  # into Scene.shapes


class Scene:
    """The scene of a `hello`."""

    def __init__(self, hello: Message) -> None:
        scene = hello.get("scene", {})
        self.hello = hello
        self.name = str(scene.get("name", ""))
        self.generation = int(scene.get("generation", -1))
        self.pointer = int(scene.get("pointer", -1))
        self.materials: list[str] = list(scene.get("materials", []))
        self.gains: list[Message] = list(scene.get("gains", []))
        self.bodies = tuple(_body(told) for told in scene.get("bodies", []))
        self.shapes = tuple(
            Shape(
                np.frombuffer(told["vertices"], "<f4").reshape(-1, 3),
                np.frombuffer(told["faces"], "<i4").reshape(-1, 3),
            )
            for told in scene.get("shapes", [])
        )
        self.index = {body.name: i for i, body in enumerate(self.bodies)}


def _body(told: Message) -> Body:
    colour = told.get("colour")
    return Body(
        str(told["name"]),
        str(told["kind"]),
        str(told.get("material", "")),
        (float(colour[0]), float(colour[1]), float(colour[2])) if colour else None,
        tuple(int(i) for i in told.get("shapes", [])),
    )


class Contact:
    """One contact of a state: the force is that on body_a, the normal points from body_b into body_a."""

    def __init__(self, row: Floats, of: NDArray[np.int32], points: Floats) -> None:
        self.body_a, self.body_b, self.status = int(of[OF["body_a"]]), int(of[OF["body_b"]]), int(of[OF["status"]])
        self.volume, self.area, self.depth = (float(row[CONTACT[name]]) for name in ("volume", "area", "depth"))
        self.normal = row[CONTACT["nx"] : CONTACT["nx"] + 3]
        self.centre = row[CONTACT["cx"] : CONTACT["cx"] + 3]
        self.wrench = row[CONTACT["fx"] : CONTACT["fx"] + 6]
        first = int(of[OF["point"]])
        self.polygon = points[first : first + int(of[OF["points"]])]  # (n, 3) m, world


class Contacts:
    """All contacts of a state as columns, for those who draw them: objects for ten would cost more than the drawing."""

    def __init__(self, rows: Floats, of: NDArray[np.int32], points: Floats) -> None:
        if len(rows) != len(of):
            raise WireError(f"state: {len(rows)} rows of contact, {len(of)} of contact_of")
        self.points = points  # (m, 3) m, corners of all polygons, world
        self.area, self.depth = rows[:, CONTACT["area"]], rows[:, CONTACT["depth"]]  # (n,) m2, m
        self.normal = rows[:, CONTACT["nx"] : CONTACT["nx"] + 3]
        self.centre = rows[:, CONTACT["cx"] : CONTACT["cx"] + 3]
        self.force = rows[:, CONTACT["fx"] : CONTACT["fx"] + 3]  # on A
        self.first, count = of[:, OF["point"]], of[:, OF["points"]]
        # A polygon that lies outside of the points that came is none: the numbers are another machine's.
        inside = (self.first >= 0) & (count >= 0) & (count <= len(points) - self.first)
        self.count = np.where(inside, count, 0)  # (n,) corners of each, points[first : first + count]


class State:
    """One published state. SI units, world frame, quaternions x y z w; arrays are views on the message."""

    def __init__(self, message: Message, received_ns: int) -> None:
        self.message = message
        self.received_ns = received_ns
        self.seq: int = message["seq"]
        self.tick: int = message["tick"]
        self.time_ns: int = message["t_ns"]
        self.sent_ns: int = message["sent_ns"]
        self.generation: int = message["scene"]
        self.mode: str = message["mode"]
        self.cause: str = message["cause"]
        self.paused: bool = message["paused"]
        self.realtime: bool = message["realtime"]
        self.overruns: int = message["overruns"]

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        return wire.arrays(self.message)

    def _row(self, name: str, row: int) -> Floats:
        found: Floats = self._arrays[name][row]
        return found

    @property
    def body(self) -> Floats:
        """(bodies, 13): position, q_xyzw, velocity, angular velocity of every body's centre of mass."""
        return self._arrays["body"]

    @property
    def positions(self) -> Floats:
        return self.body[:, :3]

    @property
    def q_xyzw(self) -> Floats:
        return self.body[:, 3:7]

    @property
    def pointer(self) -> Floats:
        """(13,): where the device holds the pointer."""
        return self._row("pointer", 0)

    @property
    def pointer_wrench(self) -> Floats:
        """(6,): force and torque on the pointer, world frame."""
        return self._row("wrench", 0)

    @property
    def device_wrench(self) -> Floats:
        """(6,): what the device renders, its own frame, after all limits."""
        return self._row("wrench", 2)

    @property
    def energy(self) -> float:
        """J, of the passivity observer."""
        return float(self._arrays["guard"][0, 0])

    @property
    def limits(self) -> list[str]:
        """The limits that act in this tick, as "105 FORCE"."""
        return limit_names(int(self.message["limits"]))

    @property
    def contacts(self) -> list[Contact]:
        points = self._arrays["point"]
        rows = zip(self._arrays["contact"], self._arrays["contact_of"], strict=True)
        return [Contact(row, of, points) for row, of in rows]

    @property
    def contact_columns(self) -> Contacts:
        return Contacts(self._arrays["contact"], self._arrays["contact_of"], self._arrays["point"])

    @property
    def contact_count(self) -> int:
        return len(self._arrays["contact"])


def read_state(message: Message, received_ns: int) -> State:
    """A State, or a WireError where the message lacks something or has it of another type."""
    try:
        state = State(message, received_ns)
    except KeyError as error:
        raise WireError(f"state: {error} is missing") from None
    whole = (state.seq, state.tick, state.time_ns, state.sent_ns, state.generation, message.get("limits"))
    if not all(type(number) is int for number in whole) or not isinstance(state.mode, str):
        raise WireError("state: a field is of the wrong type")
    return state
