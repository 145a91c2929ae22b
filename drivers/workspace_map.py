"""A device file's workspace in words and as a picture: where the full force can be rendered, where it fades, where not.

For `hapticd devices --workspace`; start-up only. String devices are computed from their strings; for others the box and
forces that the driver declares are told. matplotlib comes with the extra `report`.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hapticd.document import load
from hapticd.errors import ConfigError

from . import string_device as sd
from .string_geometry import Geometry, load_geometry
from .string_kinematics import TENSION_MAX
from .string_workspace import Probe, pose_of, reach

Floats = npt.NDArray[np.float64]
POINTS = 41  # of a slice along each axis
TURNS = (0, 10, 20, 30)  # degrees, of the table
SAMPLES = 60  # poses for each cell of the table
PLANES = {"xy": (0, 1), "zy": (2, 1), "xz": (0, 2)}


def survey(path: Path) -> dict[str, Any]:
    """Numbers, lines for people, and slices for the picture."""
    if "geometry" not in load(path).data:
        raise ConfigError(f"{path}: has no [geometry]; a workspace can be computed for string devices only")
    geometry = load_geometry(path)
    probe = probe_of(geometry)
    force, torque, half, angle = reach(probe.strings, geometry.n_dof, probe.setting)
    size = float(np.abs(probe.strings[:, :3]).max())
    radii = [round(size * share, 4) for share in (0.1, 0.2, 0.3, 0.4, 0.5)]
    turns = TURNS if geometry.n_dof == 6 else (0,)
    table = [[_share(probe, radius, math.radians(turn)) for turn in turns] for radius in radii]
    lines = [
        f"{geometry.name}: {geometry.n_string} strings, {geometry.tension_min_n:g} to {geometry.tension_max_n:g} N",
        f"largest force at home, weakest axis: {force:.1f} N; torque {torque:.3f} Nm",
        "full force along the axes to "
        + ", ".join(f"{1e3 * h:.0f}" for h in half)
        + f" mm; turn {math.degrees(angle):.0f}°",
        "share of poses with full force, at a distance from home (rows) and turned (columns):",
        "   mm  " + "".join(f"{turn:>6}°" for turn in turns),
    ]
    lines += [
        f"{1e3 * r:5.0f}  " + "".join(f"{100 * x:6.0f}%" for x in row) for r, row in zip(radii, table, strict=True)
    ]
    return {
        "name": geometry.name, "force_n": force, "torque_nm": torque, "half_m": list(half), "turn_rad": angle,
        "radii_m": radii, "turns_deg": list(turns), "share": table, "lines": lines,
        "slices": {name: _slice(probe, axes, size) for name, axes in PLANES.items()}, "size": size,
    }  # fmt: skip


def probe_of(geometry: Geometry) -> Probe:
    strings, setting = geometry.rows(), np.zeros(sd.SETTING_SIZE)
    lowest = geometry.tension_min_n / float(strings[:, TENSION_MAX].min())
    setting[sd.TORQUE_WEIGHT] = 1 / geometry.knot_radius() ** 2
    setting[sd.MARGIN_EDGE], setting[sd.MARGIN_FULL] = 2 * lowest, 4 * lowest
    return Probe(strings, geometry.n_dof, setting)


def gain(probe: Probe, pose: Floats) -> float:
    """0 outside, 1 inside, between in the band where the force fades."""
    edge, full = probe.setting[sd.MARGIN_EDGE], probe.setting[sd.MARGIN_FULL]
    return float(np.clip((probe.margin(pose, full) - edge) / (full - edge), 0.0, 1.0))


def _share(probe: Probe, radius: float, turn: float) -> float:
    rng = np.random.default_rng(1)
    good = 0
    for _ in range(SAMPLES):
        u, w = rng.normal(size=3), rng.normal(size=3)
        good += gain(probe, pose_of(radius * u / np.linalg.norm(u), turn * w / np.linalg.norm(w))) == 1.0
    return good / SAMPLES


def _slice(probe: Probe, axes: tuple[int, int], size: float) -> Floats:
    """Gain over a plane through home, unturned."""
    ticks, out = np.linspace(-size, size, POINTS), np.zeros((POINTS, POINTS))
    for row, b in enumerate(ticks):
        for column, a in enumerate(ticks):
            position = np.zeros(3)
            position[axes[0]], position[axes[1]] = a, b
            out[row, column] = gain(probe, pose_of(position, np.zeros(3)))
    return out


def draw(report: dict[str, Any], path: Path) -> None:
    """Three slices: 1 where the full force is given, fading to 0."""
    try:
        import matplotlib
    except ImportError as error:
        raise ConfigError("plots need matplotlib: pip install 'hapticd[report]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, places = pyplot.subplots(1, 3, figsize=(12, 4), layout="constrained")
    edge = 1e3 * report["size"]
    for place, (name, values) in zip(places, report["slices"].items(), strict=True):
        image = place.imshow(values, origin="lower", extent=(-edge, edge, -edge, edge), vmin=0, vmax=1)
        place.set_xlabel(f"{name[0]} / mm")
        place.set_ylabel(f"{name[1]} / mm")
    figure.colorbar(image, ax=places, label="share of the force")
    figure.suptitle(f"{report['name']}: force that can be rendered, grip unturned")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
