"""C1: a block slides until friction stops it. Kuroda 2002, chapter 8."""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.experiment.scene import table
from hapticd.scene.file import load_scene
from hapticd.simulation import Simulation

STATEMENT = (
    "x = v0 t - mu g t^2 / 2; it stops at 9.8, 39.2 and 88.2 m after 2, 4 and 6 s; the error shrinks with the step."
)
SPEEDS = (9.8, 19.6, 29.4)  # m/s
RATES = (50, 100, 200)  # steps per s
MU_G = 0.5 * 9.8


def slide(v0: float, rate: int) -> Any:
    """Rows of time and place until one second after it should have stopped."""
    data = table("sliding_block")
    data["body"][1]["velocity"] = [v0, 0.0, 0.0]
    sim = Simulation(load_scene(data), dt=1.0 / rate)
    block, rows = sim.body("block"), []
    for _ in range(round((v0 / MU_G + 1.0) * rate)):
        sim.step()
        rows.append((sim.time, float(block.position[0])))
    return np.array(rows)


def theory(v0: float, time: Any) -> Any:
    t = np.minimum(time, v0 / MU_G)
    return v0 * t - 0.5 * MU_G * t * t


def run() -> Outcome:
    series = {(v0, rate): slide(v0, rate) for v0 in SPEEDS for rate in RATES}
    figures = {}
    for (v0, rate), rows in series.items():
        error = np.abs(rows[:, 1] - theory(v0, rows[:, 0])).max()
        figures[f"{v0:g} m/s, 1/{rate} s: stops at, m"] = float(rows[-1, 1])
        figures[f"{v0:g} m/s, 1/{rate} s: largest error, m"] = float(error)
    return Outcome(figures, series)


def draw(outcome: Outcome, figure: Any) -> None:
    axis = figure.subplots()
    for (v0, rate), rows in outcome.series.items():
        axis.plot(rows[:, 0], rows[:, 1], label=f"{v0:g} m/s, 1/{rate} s")
    time = np.linspace(0, 7, 200)
    for v0 in SPEEDS:
        axis.plot(time, theory(v0, time), "k:", linewidth=0.8)
    axis.set(xlabel="s", ylabel="m")
    axis.legend()
