"""Friction laws to be used from Python without a scene: impedance law, Maxwell-slip bank, admittance twin.

    law = hapticd.friction.Kikuuwe(K=6000, B=10, F=4, T=1e-3, dim=2)
    f = law.step([0.1, 0.0])            # one sample: a velocity in, the force on the moved point out
    f = law.step(velocities)            # (n, 2) in, (n, 2) out: one kernel call, the same bits as n single steps

With dim = 1 a sample is a number and many are an array (n,). Each law remembers its state between calls (`state`,
`reset()`). A sample that is NaN, infinite or absurdly large gives zero force and leaves the state alone; `bad` marks
it.
Source: Kikuuwe and Fujimoto; the mathematics is in `kernel/force/friction`. Friction of contacts is the scene's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.errors import ConfigError
from hapticd.kernel.force.friction.admittance import admittance_run
from hapticd.kernel.force.friction.impedance import impedance_run
from hapticd.kernel.force.friction.maxwell import maxwell_run
from hapticd.kernel.status import FRICTION_BAD_SAMPLE

Floats = npt.NDArray[np.float64]

SMALLEST, LARGEST = 1e-30, 1e30  # of a parameter that is not zero: their products stay far from under- and overflow


def warm_up() -> None:
    """Call each law once, so that its kernels are compiled."""
    Kikuuwe(K=1.0, F=1.0, T=1e-3).step(0.0)
    MaxwellSlip(K=[1.0], F=[1.0], T=1e-3).step(0.0)
    Admittance(M=1.0, F=1.0, T=1e-3).step(0.0)


class Stribeck(NamedTuple):
    """The extra friction of slow sliding: F_s at rest falls to F as exp(-(|v| / speed)^delta); delta is 1 or 2."""

    static: float  # F_s, N, at least F
    speed: float  # v_s, m/s
    delta: int = 2


@dataclass(frozen=True)
class State:
    """What a law remembers; copies, so that it can be kept and put back."""

    elongation: Floats  # e = q - p, m: (dim,), or (elements, dim) of a bank
    velocity: Floats  # (dim,) m/s, of the rubbing mass
    position: Floats  # (dim,) m, the last one given to step_position; NaN before the first


class _Law:
    """Shapes, state and bad samples: what all laws share."""

    _memory: tuple[int, ...] = (3,)  # shape of e

    def __init__(self, T: float, dim: int) -> None:
        if dim not in (1, 2, 3):
            raise ConfigError(f"{type(self).__name__}: dim = {dim!r}; allowed are 1, 2 and 3")
        self.dim = int(dim)
        self.T = self._number("T", T, "step in s", zero=False)
        self.reset()

    def reset(self) -> None:
        """Forget everything: no elongation, at rest, no last position."""
        self._e = np.zeros(self._memory)
        self._w = np.zeros(3)
        self._p = np.full(3, math.nan)
        self.bad = np.zeros(0, dtype=bool)  # one mark per sample of the last call

    @property
    def state(self) -> State:
        parts = (self._e, self._w, self._p)
        return State(*(part[..., : self.dim].copy() for part in parts))

    @state.setter
    def state(self, state: State) -> None:
        for part, new in ((self._e, state.elongation), (self._w, state.velocity), (self._p, state.position)):
            if np.shape(new) != part[..., : self.dim].shape:
                raise ConfigError(
                    f"{type(self).__name__}: state of shape {np.shape(new)}, wanted {part[..., : self.dim].shape}; "
                    "give it back to a law of the same kind, dim and number of elements"
                )
            part[..., : self.dim] = new

    def step(self, samples: npt.ArrayLike) -> Floats:
        """One sample or many; the answer has the same shape."""
        return self._shaped(self._advance(self._rows(samples)))

    def _advance(self, rows: Floats) -> Floats:
        raise NotImplementedError  # each law's one kernel call

    def _rows(self, samples: npt.ArrayLike) -> Floats:
        """The samples as (n, 3) with zeros in the unused columns; their own shape is kept for the answer."""
        given = np.asarray(samples, dtype=np.float64)
        one = given.shape == (() if self.dim == 1 else (self.dim,))
        many = given.shape[1:] == (self.dim,) if given.ndim == 2 else given.ndim == self.dim == 1
        if not one and not many:
            wanted = "a number or (n,)" if self.dim == 1 else f"({self.dim},) or (n, {self.dim})"
            raise ConfigError(f"{type(self).__name__}: samples of shape {given.shape}; dim = {self.dim} wants {wanted}")
        self._shape = given.shape
        rows = np.zeros((given.size // self.dim, 3))
        rows[:, : self.dim] = given.reshape(-1, self.dim)
        return rows

    def _shaped(self, rows: Floats) -> Floats:
        answer: Floats = rows[:, : self.dim].reshape(self._shape)[()]
        return answer

    def _number(self, name: str, value: float, meaning: str, zero: bool = True) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if (zero and number == 0.0) or SMALLEST <= number <= LARGEST:
            return number
        allowed = f"{'0 or ' if zero else ''}a number from {SMALLEST:g} to {LARGEST:g}"
        raise ConfigError(f"{type(self).__name__}: {name} = {value!r} ({meaning}); allowed is {allowed}")

    def _curve(self, F: float, viscosity: float, stribeck: Stribeck | None) -> tuple[float, float, float, int, float]:
        """The law phi as the kernel takes it: F_c, F_s, v_s, delta, viscosity."""
        F_c = self._number("F", F, "Coulomb friction in N")
        sigma = self._number("viscosity", viscosity, "Ns/m")
        if stribeck is None:
            return F_c, F_c, 1.0, 1, sigma
        static, speed, delta = Stribeck(*stribeck)
        F_s = self._number("stribeck.static", static, "friction at rest in N")
        if F_s < F_c:
            raise ConfigError(f"{type(self).__name__}: stribeck.static = {F_s:g} N; must be at least F = {F_c:g} N")
        if delta not in (1, 2):
            raise ConfigError(f"{type(self).__name__}: stribeck.delta = {delta!r}; allowed are 1 and 2")
        return F_c, F_s, self._number("stribeck.speed", speed, "m/s", zero=False), int(delta), sigma


class _VelocityLaw(_Law):
    """A law driven by velocity, or by position through backward differences."""

    def step_position(self, positions: npt.ArrayLike) -> Floats:
        """As `step`, with v_k = (p_k - p_(k-1)) / T; the first position counts as rest. Bad positions are left out."""
        rows = self._rows(positions)
        usable = np.isfinite(rows).all(axis=1)
        track = np.vstack([self._p, rows])
        # index of the newest usable position up to each row; row 0 is the one remembered from the last call
        newest = np.maximum.accumulate(np.where(np.concatenate([[True], usable]), np.arange(len(track)), 0))
        before = track[newest[:-1]]
        velocity = np.where(np.isnan(before), 0.0, (rows - before) / self.T)
        velocity[~usable] = math.nan
        self._p = track[newest[-1]].copy()
        return self._shaped(self._advance(velocity))


class Kikuuwe(_VelocityLaw):
    """Impedance-type friction (18): a mass M >= 0 that rubs with the law phi, on a spring K and a damper B.

    `sliding` is the sliding velocity at the last call's samples: exactly zero while stuck, never along the friction.
    The force is the friction force for M = 0; for M > 0 it holds the mass's inertia, too.
    """

    def __init__(
        self,
        *,
        K: float,
        F: float,
        T: float,
        B: float = 0.0,
        M: float = 0.0,
        viscosity: float = 0.0,
        stribeck: Stribeck | None = None,
        dim: int = 1,
    ) -> None:
        super().__init__(T, dim)
        self.K = self._number("K", K, "stiffness in N/m")
        self.B = self._number("B", B, "damping in Ns/m")
        self.M = self._number("M", M, "mass in kg")
        if self.K == 0.0 and self.B == 0.0 and self.M == 0.0:
            raise ConfigError("Kikuuwe: K, B and M are all zero, so C = M + T B + T^2 K is; make one positive")
        self._phi = self._curve(F, viscosity, stribeck)

    def reset(self) -> None:
        super().reset()
        self.sliding = np.zeros(0)

    def _advance(self, rows: Floats) -> Floats:
        force, sliding, status = np.zeros_like(rows), np.zeros_like(rows), np.zeros(len(rows), dtype=np.int64)
        impedance_run(rows, self._e, self._w, force, sliding, status, self.K, self.B, self.M, self.T, *self._phi)
        self.sliding = self._shaped(sliding)
        self.bad = status == FRICTION_BAD_SAMPLE
        return force


class MaxwellSlip(_VelocityLaw):
    """A parallel bank of massless Coulomb elements: presliding hysteresis with closed loops (section 4)."""

    def __init__(
        self, *, K: Sequence[float], F: Sequence[float], T: float, B: float | Sequence[float] = 0.0, dim: int = 1
    ) -> None:
        stiffness, limits = np.atleast_1d(K), np.atleast_1d(F)
        damping = np.broadcast_to(B, limits.shape) if np.ndim(B) == 0 else np.asarray(B)
        if limits.ndim != 1 or not stiffness.shape == limits.shape == damping.shape or limits.size == 0:
            raise ConfigError(
                f"MaxwellSlip: K, F, B of shapes {stiffness.shape}, {limits.shape}, {damping.shape}; "
                "give one number per element each (B may be one for all)"
            )
        self._memory = (len(limits), 3)
        super().__init__(T, dim)
        self.K = np.array([self._number(f"K[{i}]", x, "stiffness in N/m") for i, x in enumerate(stiffness)])
        self.F = np.array([self._number(f"F[{i}]", x, "Coulomb friction in N") for i, x in enumerate(limits)])
        self.B = np.array([self._number(f"B[{i}]", x, "damping in Ns/m") for i, x in enumerate(damping)])
        if (dead := np.flatnonzero((self.K == 0.0) & (self.B == 0.0))).size:
            raise ConfigError(f"MaxwellSlip: element {dead[0]} has K = 0 and B = 0; make one positive")

    def _advance(self, rows: Floats) -> Floats:
        force, status = np.zeros_like(rows), np.zeros(len(rows), dtype=np.int64)
        maxwell_run(rows, self._e, force, status, self.K, self.B, self.F, self.T)
        self.bad = status == FRICTION_BAD_SAMPLE
        return force


class Admittance(_Law):
    """Admittance-type friction (7): the outer force in, the velocity of the rubbing mass M out.

    `friction` is the friction force at the last call's samples.
    """

    _memory = (0,)

    def __init__(
        self,
        *,
        M: float,
        F: float,
        T: float,
        viscosity: float = 0.0,
        stribeck: Stribeck | None = None,
        dim: int = 1,
    ) -> None:
        super().__init__(T, dim)
        self.M = self._number("M", M, "mass in kg", zero=False)
        self._phi = self._curve(F, viscosity, stribeck)

    def reset(self) -> None:
        super().reset()
        self.friction = np.zeros(0)

    def _advance(self, rows: Floats) -> Floats:
        velocity, friction, status = np.zeros_like(rows), np.zeros_like(rows), np.zeros(len(rows), dtype=np.int64)
        admittance_run(rows, self._w, velocity, friction, status, self.M, self.T, *self._phi)
        self.friction = self._shaped(friction)
        self.bad = status == FRICTION_BAD_SAMPLE
        return velocity
