"""The engines that the benchmarks compare: one face, one file each, engine_NAME.py.

    engines, missing = load(("hapticd", "mujoco", "ode"))
    engine = engines["MuJoCo"].build(scene, dt)      # a scene of boxes: hapticd.load_scene
    engine.step(1000); engine.poses(); engine.twists()

Rows are the scene's dynamic bodies in their order. Every engine runs on one thread, without sleeping, with its own
defaults for contacts, and with the friction coefficient of the scene's first material.
"""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hapticd.scene.file import Scene
from hapticd.scene.schema import Body, Box

Floats = npt.NDArray[np.float64]
ALL = ("hapticd", "mujoco", "bullet", "pybullet", "ode", "drake")


class Engine(Protocol):
    """A world in one engine."""

    def step(self, n: int) -> None:
        """n steps, in one call if the engine has such a call."""

    def poses(self) -> Floats:
        """(n, 7) position of the centre and q_xyzw."""

    def twists(self) -> Floats:
        """(n, 6) velocity of the centre and angular velocity, world frame."""

    def push(self, wrenches: Floats) -> None:
        """(n, 6) force and torque about the centre, world frame, in every step until the next push."""


@dataclass(frozen=True)
class Maker:
    name: str
    version: str
    about: str  # how it is called, in a few words
    build: Callable[[Scene, float], Engine]


@dataclass(frozen=True)
class Item:
    """One box of a scene; mass 0: it stands still."""

    size: tuple[float, float, float]
    mass: float
    pose: tuple[float, ...]  # position, q_xyzw
    twist: tuple[float, ...]


def load(names: Iterable[str] = ALL) -> tuple[dict[str, Maker], dict[str, str]]:
    """Makers by their display name, and what is not here with the reason."""
    makers, missing = {}, {}
    for name in names:
        try:
            maker = importlib.import_module(f"engine_{name}").maker()
        except Exception as error:  # a peer may fail in any way: it is named, and the others go on
            missing[name] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        else:
            makers[maker.name] = maker
    return makers, missing


def items(scene: Scene) -> list[Item]:
    return [_item(body) for body in scene.bodies]


def friction_of(scene: Scene) -> float:
    return next(iter(scene.materials.values())).mu


def rotation(q_xyzw: Floats) -> Floats:
    x, y, z, w = q_xyzw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _item(body: Body) -> Item:
    (part,) = body.all_parts
    if not isinstance(part, Box) or body.kind not in ("dynamic", "static"):
        raise ValueError(f"{body.name}: the peers are given boxes, dynamic or static")
    mass = (body.mass or 0.0) if body.kind == "dynamic" else 0.0
    return Item(part.size, mass, (*body.position, *body.q_xyzw), (*body.velocity, *body.angular_velocity))
