"""A4: a top on its tip. Hasegawa 2003, 5.4 and Fig. 12.

Two runs. The first starts upright at 50 rad/s with friction over the area. The second starts after the fall, the top on
its side and turning at 3 rad/s about the vertical, where the two laws differ: friction at a point has no torque against
that.
"""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.experiment.scene import table
from hapticd.scene.file import load_scene
from hapticd.simulation import Simulation

STATEMENT = (
    "With distributed friction the top precesses, falls, rolls and comes to rest, with no special case; with friction "
    "at one point it keeps circling after it has fallen."
)
LYING = 0.7153  # rad from upright, about x: cone and rim on the floor


def upright(seconds: float = 30.0) -> Any:
    """Rows of time, tilt (rad), azimuth (rad), angular speed (rad/s) every 10 ms."""
    sim = Simulation(load_scene(table("spinning_top")))
    return _track(sim, seconds)


def lying(friction: str, seconds: float = 12.0) -> Any:
    data = table("spinning_top")
    top = data["body"][1]
    top["q_xyzw"] = [np.sin(LYING / 2), 0.0, 0.0, np.cos(LYING / 2)]
    top["angular_velocity"] = [0.0, 0.0, 3.0]
    return _track(Simulation(load_scene(data), friction=friction), seconds)


def _track(sim: Simulation, seconds: float) -> Any:
    top, rows = sim.body("top"), []
    for _ in range(round(seconds / 0.01)):
        sim.step(round(0.01 / sim.dt))
        axis = top.rotation[:, 2]
        speed = float(np.linalg.norm(top.angular_velocity))
        rows.append((sim.time, float(np.arccos(min(1.0, axis[2]))), float(np.arctan2(axis[1], axis[0])), speed))
    return np.array(rows)


def run() -> Outcome:
    series = {"upright": upright()} | {law: lying(law) for law in ("coulomb_area", "coulomb_point")}
    first = series["upright"]
    turned = np.unwrap(first[:, 2])
    fallen = np.flatnonzero(first[:, 1] > 0.6)
    figures = {
        "precession before the fall, turns": float(abs(turned[fallen[0]] - turned[0]) / (2 * np.pi)),
        "fallen after, s": float(first[fallen[0], 0]),
        "at the end, rad/s": float(first[-1, 3]),
        "lying, coulomb_area: at the end, rad/s": float(series["coulomb_area"][-1, 3]),
        "lying, coulomb_point: at the end, rad/s": float(series["coulomb_point"][-1, 3]),
    }
    return Outcome(figures, series)


def draw(outcome: Outcome, figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    rows = outcome.series["upright"]
    left.plot(rows[:, 0], np.degrees(rows[:, 1]), label="tilt, degrees")
    left.plot(rows[:, 0], rows[:, 3], label="angular speed, rad/s")
    left.set(xlabel="s", title="upright, coulomb_area")
    left.legend()
    for law in ("coulomb_area", "coulomb_point"):
        right.plot(outcome.series[law][:, 0], outcome.series[law][:, 3], label=law)
    right.set(xlabel="s", ylabel="rad/s", title="after the fall")
    right.legend()
