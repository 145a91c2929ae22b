"""Geometry of a string device as data: the [geometry] table of a device file into the rows that the kernels take.

Start-up only. A table gives every string's exit, knot, metres per pulse and volts per newton; `turn_y_deg` turns exits
and knots alike about the vertical axis, for frames whose tables are written along the box and used across it. Metres,
newton; the frame is right x, up y, and z towards the user; the mount places it in the world.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt

from hapticd.document import load
from hapticd.errors import ConfigError
from hapticd.rule import Above
from hapticd.schema import Section, Vector, read_table

from . import string_kinematics as sk

Floats = npt.NDArray[np.float64]
LARGEST_M = 10.0  # no exit is further from the centre; a table in millimetres is caught here
MOST_STRINGS = 16


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """[geometry] of a device file."""

    name: str
    n_dof: int
    exits_m: tuple[Vector, ...]
    knots_m: tuple[Vector, ...]
    metres_per_pulse: tuple[float, ...]
    volts_per_newton: tuple[float, ...]
    tension_min_n: Annotated[float, Above(0)]
    tension_max_n: Annotated[float, Above(0)]
    turn_y_deg: float = 0.0
    units_per_volt: Annotated[float, Above(0)] = 4096 / 3.3  # the boards' current command: a 12-bit converter of 3.3 V
    damping_ns_m: Annotated[float, Above(0)] = 0.5  # b at the grip; measure it: the stable stiffness hangs on it

    def complaints(self) -> Iterator[tuple[str, str]]:
        n = self.n_string
        if self.n_dof not in (3, 6):
            yield "n_dof", f"is {self.n_dof}; allowed are 3 and 6"
        elif not self.n_dof < n <= MOST_STRINGS:
            yield "exits_m", f"has {n} strings; {self.n_dof} degrees of freedom want {self.n_dof + 1} to {MOST_STRINGS}"
        for key in ("knots_m", "metres_per_pulse", "volts_per_newton"):
            if len(getattr(self, key)) != n:
                yield key, f"has {len(getattr(self, key))} entries; exits_m has {n}"
        for key in ("exits_m", "knots_m"):
            if any(abs(x) > LARGEST_M for point in getattr(self, key) for x in point):
                yield key, f"is further than {LARGEST_M:g} m from the centre; it is in metres"
        for key in ("metres_per_pulse", "volts_per_newton"):
            if 0.0 in getattr(self, key):
                yield key, "has a zero; allowed is any other number"
        if self.tension_min_n >= self.tension_max_n:
            yield "tension_min_n", f"is {self.tension_min_n:g}; allowed is less than tension_max_n"

    @property
    def n_string(self) -> int:
        return len(self.exits_m)

    def rows(self) -> Floats:
        """(n, STRING_SIZE) for the kernels."""
        strings = np.zeros((self.n_string, sk.STRING_SIZE))
        R = _turn_y(self.turn_y_deg)
        strings[:, sk.EXIT : sk.EXIT + 3] = np.array(self.exits_m) @ R.T
        strings[:, sk.KNOT : sk.KNOT + 3] = np.array(self.knots_m) @ R.T
        strings[:, sk.PER_PULSE] = self.metres_per_pulse
        strings[:, sk.TENSION_MIN] = self.tension_min_n
        strings[:, sk.TENSION_MAX] = self.tension_max_n
        return strings

    def units_per_newton(self) -> Floats:
        return np.array(self.volts_per_newton) * self.units_per_volt

    def home_lengths(self) -> Floats:
        """String lengths with the grip at the centre and unturned: what calibration sets."""
        lengths: Floats = np.linalg.norm(np.array(self.exits_m) - np.array(self.knots_m), axis=1)
        return lengths

    def knot_radius(self) -> float:
        """Root mean square distance of the knots: what makes newton and newton metre comparable."""
        return float(np.sqrt(np.mean(np.sum(np.array(self.knots_m) ** 2, axis=1))))


def load_geometry(path: Path) -> Geometry:
    """The geometry of a device file."""
    document = load(path)
    if "geometry" not in document.data:
        raise ConfigError(f"{path}: has no [geometry] table; give a file like those in configs/device")
    return read_table(Geometry, Section(document.data["geometry"], (document, ("geometry",))))


def _turn_y(degrees: float) -> Floats:
    angle = math.radians(degrees)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
