"""Geometry of a string device as data: reads a file of `configs/device` into the rows that the kernels take.

Start-up only. A file gives every string's exit, knot, metres per pulse and volts per newton; `turn_y_deg` turns exits
and knots alike about the vertical axis, for frames whose tables are written along the box and used across it. Metres,
newton; the frame is right x, up y, and z towards the user; the mount places it in the world.
"""

import math
import tomllib
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from hapticd.drivers import string_kinematics as sk
from hapticd.errors import ConfigError

Floats = npt.NDArray[np.float64]
Point = tuple[float, float, float]
LARGEST_M = 10.0  # no exit is further from the centre; a table in millimetres is caught here
MOST_STRINGS = 16


class Geometry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One device file."""

    name: str
    n_dof: int
    exits_m: list[Point]
    knots_m: list[Point]
    metres_per_pulse: list[float]
    volts_per_newton: list[float]
    tension_min_n: float
    tension_max_n: float
    turn_y_deg: float = 0.0
    units_per_volt: float = 4096 / 3.3  # the boards' current command: a 12-bit converter of 3.3 V
    damping_ns_m: float = 0.5  # b at the grip, Ns/m; measure it on the device: the stable stiffness hangs on it
    note: str = ""

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
    """Read and check a device file; an error names file, key, what came and what is allowed."""
    try:
        geometry = msgspec.convert(tomllib.loads(path.read_text()), Geometry)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); give a file like those in configs/device") from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(f"{path}: {error}") from error
    _check(path, geometry)
    return geometry


def _check(path: Path, g: Geometry) -> None:
    n = g.n_string
    if g.n_dof not in (3, 6):
        raise ConfigError(f"{path}: n_dof = {g.n_dof}; allowed are 3 and 6")
    if not g.n_dof < n <= MOST_STRINGS:
        raise ConfigError(f"{path}: {n} strings; {g.n_dof} degrees of freedom want {g.n_dof + 1} to {MOST_STRINGS}")
    for key in ("knots_m", "metres_per_pulse", "volts_per_newton"):
        if len(getattr(g, key)) != n:
            raise ConfigError(f"{path}: {key} has {len(getattr(g, key))} entries; exits_m has {n}")
    points = np.array([*g.exits_m, *g.knots_m])
    if not (np.abs(points) <= LARGEST_M).all():
        raise ConfigError(f"{path}: exits_m or knots_m beyond {LARGEST_M:g} m of the centre; they are in metres")
    rates = np.array([*g.metres_per_pulse, *g.volts_per_newton])
    if not (np.isfinite(rates).all() and (rates != 0).all()):
        raise ConfigError(f"{path}: metres_per_pulse and volts_per_newton must be finite and not zero")
    if not 0 < g.tension_min_n < g.tension_max_n < math.inf:
        raise ConfigError(
            f"{path}: tension_min_n = {g.tension_min_n:g}, tension_max_n = {g.tension_max_n:g}; wanted 0 < min < max"
        )
    if not (g.damping_ns_m > 0 and math.isfinite(g.damping_ns_m) and math.isfinite(g.turn_y_deg)):
        raise ConfigError(f"{path}: damping_ns_m = {g.damping_ns_m:g}; allowed is a positive number")


def _turn_y(degrees: float) -> Floats:
    angle = math.radians(degrees)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
