"""The gains of every pair of materials: means of the two, what [[pair]] and [pointer] say, what the device bears.

A hand feels the stiffness K s_p s_f through a device of damping b whose force comes t_d late; above b / (T/2 + t_d) a
sampled wall feeds it energy. So contacts with the pointer have a material index, and gains, of their own.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.kernel.force.select import FRICTIONS
from hapticd.kernel.layout import (
    GAIN_DAMPING,
    GAIN_FRICTION,
    GAIN_MU_DYNAMIC,
    GAIN_MU_STATIC,
    GAIN_SIZE,
    GAIN_STICK_DAMPING,
    GAIN_STICK_STIFFNESS,
    GAIN_STIFFNESS,
    GAIN_STRIBECK,
    GAIN_VISCOSITY,
)
from hapticd.scene.file import Scene
from hapticd.scene.schema import Gains, Material

STICK_SHARE = 0.5  # default of the stick gains: half the normal ones; rest was quiet at half of their stability sum
DAMPING_SHARE = 0.9  # of the device's own damping that a virtual damper may reach: "below b"


class PointerLimit(NamedTuple):
    """What the device bears: its damping b (Ns/m), its delay t_d (s), and the mount's scales."""

    damping: float
    delay: float = 0.0
    motion_scale: float = 1.0  # s_p
    force_scale: float = 1.0  # s_f

    def stiffness_bound(self, dt: float) -> float:
        """N/m in the world: b / (T/2 + t_d) / (s_p s_f)."""
        return self.damping / (0.5 * dt + self.delay) / (self.motion_scale * self.force_scale)

    def damping_bound(self) -> float:
        """Ns/m in the world."""
        return DAMPING_SHARE * self.damping / (self.motion_scale * self.force_scale)


class Gain(NamedTuple):
    """The laws of one pair of materials; units as in the scene."""

    stiffness: float
    damping: float
    stick_stiffness: float
    stick_damping: float
    mu: float
    mu_static: float
    viscosity: float
    stribeck_speed: float
    friction: str

    def times(self, area: float) -> "Gain":
        """Gains per area as those of a contact of this area."""
        return self._replace(
            stiffness=area * self.stiffness,
            damping=area * self.damping,
            stick_stiffness=area * self.stick_stiffness,
            stick_damping=area * self.stick_damping,
        )

    def row(self) -> npt.NDArray[np.float64]:
        row = np.zeros(GAIN_SIZE)
        row[GAIN_STIFFNESS], row[GAIN_DAMPING] = self.stiffness, self.damping
        row[GAIN_STICK_STIFFNESS], row[GAIN_STICK_DAMPING] = self.stick_stiffness, self.stick_damping
        row[GAIN_MU_STATIC], row[GAIN_MU_DYNAMIC] = self.mu_static, self.mu
        row[GAIN_VISCOSITY], row[GAIN_STRIBECK] = self.viscosity, self.stribeck_speed
        row[GAIN_FRICTION] = FRICTIONS.index(self.friction)
        return row


def material_names(scene: Scene) -> list[str]:
    """In the order of their indices; the pointer's own material is the one after the last."""
    return list(scene.materials)


def pair_gain(scene: Scene, a: str, b: str, friction: str | None = None) -> Gain:
    """Two materials of the scene against each other; `friction` overrides the scene's choice."""
    one, other = own(scene.materials[a]), own(scene.materials[b])
    law = friction or scene.table.friction
    gain = Gain(
        stiffness=_harmonic(one.stiffness, other.stiffness),
        damping=_harmonic(one.damping, other.damping),
        stick_stiffness=_harmonic(one.stick_stiffness, other.stick_stiffness),
        stick_damping=_harmonic(one.stick_damping, other.stick_damping),
        mu=math.sqrt(one.mu * other.mu),
        mu_static=math.sqrt(one.mu_static * other.mu_static),
        viscosity=math.sqrt(one.viscosity * other.viscosity),
        stribeck_speed=_harmonic(one.stribeck_speed, other.stribeck_speed),
        friction=law,
    )
    for pair in scene.table.pair:
        if set(pair.materials) == {a, b}:
            gain = overridden(gain, pair)
            law = friction or gain.friction
    return gain._replace(friction=law)


def pointer_gain(
    scene: Scene, own_name: str, other: str, area: float, dt: float, limit: PointerLimit | None, friction: str | None
) -> Gain:
    """The pointer against a material; `area` is the largest contact it can make (read only for gains per area)."""
    gain = pair_gain(scene, own_name, other)
    named = any(pair.friction and set(pair.materials) == {own_name, other} for pair in scene.table.pair)
    if not named:
        gain = gain._replace(friction=scene.table.pointer_friction)
    gain = overridden(gain, scene.table.pointer)
    if friction is not None:
        gain = gain._replace(friction=friction)
    if limit is None or scene.table.pointer.unbounded or scene.table.pointer.coupling is not None:
        return gain  # on a virtual coupling it is the coupling that the device feels, and that is bounded
    unit = area if scene.table.stiffness_is == "per_area" else 1.0
    most, damp = limit.stiffness_bound(dt) / unit, limit.damping_bound() / unit
    return gain._replace(
        stiffness=min(gain.stiffness, most),
        damping=min(gain.damping, damp),
        stick_stiffness=min(gain.stick_stiffness, most),
        stick_damping=min(gain.stick_damping, damp),
    )


def coupling_gains(scene: Scene, dt: float, limit: PointerLimit | None) -> tuple[float, float, float, float]:
    """Stiffness and damping of the virtual coupling, then those of turning, which no device declares a bound for."""
    coupling = scene.table.pointer.coupling
    if coupling is None:
        return 0.0, 0.0, 0.0, 0.0
    K, B = coupling.stiffness, coupling.damping
    if limit is not None and not scene.table.pointer.unbounded:
        K, B = min(K, limit.stiffness_bound(dt)), min(B, limit.damping_bound())
    return K, B, coupling.turn_stiffness, coupling.turn_damping


def own(material: Material) -> Gain:
    """A material against itself."""
    stiffness, damping = material.stick_stiffness, material.stick_damping
    return Gain(
        material.stiffness,
        material.damping,
        STICK_SHARE * material.stiffness if stiffness is None else stiffness,
        STICK_SHARE * material.damping if damping is None else damping,
        material.mu,
        material.mu if material.mu_static is None else material.mu_static,
        material.viscosity,
        material.stribeck_speed,
        "none",
    )


def overridden(gain: Gain, gains: Gains) -> Gain:
    """What `gains` names replaces what was there; a new mu takes mu_static along unless that is named, too."""
    named = {name: value for name in Gain._fields if (value := getattr(gains, name)) is not None}
    if "mu" in named:
        named.setdefault("mu_static", named["mu"])
    for part in ("stiffness", "damping"):
        if part in named:
            named.setdefault(f"stick_{part}", STICK_SHARE * named[part])
    return gain._replace(**named)


def _harmonic(x: float, y: float) -> float:
    """Springs in series, times two: equal ones give their own value, a soft one rules."""
    return 2.0 * x * y / (x + y) if x + y > 0.0 else 0.0
