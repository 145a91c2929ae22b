"""Energies and momenta of a world, worked out from its state on demand; the kernel never needs them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.kernel import layout as k
from hapticd.kernel.force.beside import area_beside, link
from hapticd.kernel.force.select import KIKUUWE, MAXWELL_SLIP
from hapticd.scene.arrays import World

Floats = npt.NDArray[np.float64]

BANK_SHARES = (0.4, 0.3, 0.2, 0.1)  # kernel/force/friction/maxwell_slip.STIFFNESS_SHARE


class Energy(NamedTuple):
    """J. Springs: of a flat contact exactly; of others with all of the solid at its mean depth, which is less."""

    kinetic: float
    gravity: float  # zero at the world's origin
    normal: float  # in the springs of the normal forces
    stick: float  # in the springs of static friction

    @property
    def total(self) -> float:
        return sum(self)


def energy(world: World) -> Energy:
    """At the end of the last tick; the springs are those of its beginning."""
    model, state = world.model, world.state
    n = int(model.option[k.OPTION_BODIES])
    body, mass = state.body[:n], model.mass[:n, k.MASS]
    moved = mass > 0.0
    p, v = body[:, k.BODY_MOMENTUM : k.BODY_MOMENTUM + 3], body[:, k.BODY_VELOCITY : k.BODY_VELOCITY + 3]
    L, w = body[:, k.BODY_SPIN : k.BODY_SPIN + 3], body[:, k.BODY_OMEGA : k.BODY_OMEGA + 3]
    g = model.world[k.WORLD_GRAVITY : k.WORLD_GRAVITY + 3]
    height = body[:, k.BODY_POSITION : k.BODY_POSITION + 3] @ g
    normal, stick = _springs(world)
    kinetic = 0.5 * float(np.sum((p * v + L * w)[moved]))
    return Energy(kinetic, -float(np.sum((mass * height)[moved])), normal, stick)


def _springs(world: World) -> tuple[float, float]:
    model, state = world.model, world.state
    touching = np.flatnonzero(state.touch[: int(state.pair_count[0])])
    c, law = state.contact[touching], state.law[touching]
    bodies = model.part_body[state.pair[touching]]
    row = model.material[bodies[:, 0]] * int(model.option[k.OPTION_MATERIALS]) + model.material[bodies[:, 1]]
    gain = model.gain[row]
    area = np.maximum(c[:, k.AREA], c[:, k.VOLUME] / np.maximum(c[:, k.DEPTH], 1e-300))
    whole = area if model.option[k.OPTION_PER_AREA] else area / (area + _beside(world, touching))
    normal = 0.5 * whole * gain[:, k.GAIN_STIFFNESS] * (c[:, k.VOLUME] / area) ** 2 * law[:, k.LAW_FADE]
    kind = gain[:, k.GAIN_FRICTION]
    square = np.where(kind >= KIKUUWE, 1.0, c[:, k.MOMENT : k.MOMENT + 3].sum(axis=1) / area)  # e3 is a length
    first = np.where(kind == MAXWELL_SLIP, BANK_SHARES[0], 1.0)
    stretch = first * (
        np.sum(law[:, k.LAW_STRETCH : k.LAW_STRETCH + 3] ** 2, axis=1) + square * law[:, k.LAW_TWIST] ** 2
    )
    for share, start in zip(BANK_SHARES[1:], range(k.LAW_BANK, k.LAW_BANK + 12, 4), strict=True):
        stretch += share * np.sum(law[:, start : start + 4] ** 2, axis=1) * (kind == MAXWELL_SLIP)
    return float(np.sum(normal)), float(np.sum(0.5 * law[:, k.LAW_STIFFNESS] * stretch))


def _beside(world: World, touching: npt.NDArray[np.intp]) -> Floats:
    """The area that each contact shares its gains with, besides its own."""
    model, state, work, _ = world
    link(model, state, (state.touch != 0).astype(np.int8), work.latest, work.partner, work.stiffness)
    rest = work.partner, work.stiffness, len(state.pair)
    return np.array([area_beside(state.contact, state.law, i, *rest) for i in touching.tolist()])


def momentum(world: World) -> Floats:
    """(3,) kg m/s of all bodies that forces move."""
    body = _moved(world)
    return np.asarray(body[:, k.BODY_MOMENTUM : k.BODY_MOMENTUM + 3].sum(axis=0))


def angular_momentum(world: World) -> Floats:
    """(3,) kg m2/s about the world's origin."""
    body = _moved(world)
    p = body[:, k.BODY_MOMENTUM : k.BODY_MOMENTUM + 3]
    orbital = np.cross(body[:, k.BODY_POSITION : k.BODY_POSITION + 3], p)
    return np.asarray((body[:, k.BODY_SPIN : k.BODY_SPIN + 3] + orbital).sum(axis=0))


def _moved(world: World) -> Floats:
    n = int(world.model.option[k.OPTION_BODIES])
    return np.asarray(world.state.body[:n][world.model.mass[:n, k.MASS] > 0.0])
