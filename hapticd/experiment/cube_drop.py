"""A2: a tilted cube falls on the floor. Hasegawa 2003, 5.2 and Fig. 10.

Spring 1000 N/m and damper 50 Ns/m are read per contact: per area (times 4 m2 in face contact) the sum h^2 K/m + 2 h B/m
is 4.4 at the paper's 10 ms, beyond the bound of 4. The time is reported as it is.
"""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.experiment.scene import shipped
from hapticd.kernel.layout import BODY_SPIN
from hapticd.scene.file import load_scene
from hapticd.simulation import Simulation

STATEMENT = (
    "With the contact volume the angular momentum about the tilt axis settles (paper: at about 0.7 s); with a spring "
    "at the deepest point the cube goes on rocking past 2 s."
)
SETTLED = 0.02  # of the peak
SOLVERS = ("volume_penalty", "point_penalty")


def momentum(solver: str, seconds: float = 5.0) -> Any:
    """Angular momentum about y of every tick."""
    sim = Simulation(load_scene(shipped("cube_drop")), solver=solver)
    out = []
    for _ in range(round(seconds / sim.dt)):
        sim.step()
        out.append(float(sim.world.state.body[1, BODY_SPIN + 1]))
    return np.array(out)


def settling(track: Any, dt: float = 0.01) -> float:
    """s, after which it stays within SETTLED of its peak."""
    return float((np.flatnonzero(np.abs(track) > SETTLED * np.abs(track).max())[-1] + 1) * dt)


def run() -> Outcome:
    tracks = {solver: momentum(solver) for solver in SOLVERS}
    return Outcome({f"{solver}: settled after, s": settling(track) for solver, track in tracks.items()}, tracks)


def draw(outcome: Outcome, figure: Any) -> None:
    axis = figure.subplots()
    for solver, track in outcome.series.items():
        axis.plot(0.01 * np.arange(1, len(track) + 1), track, label=solver)
    axis.set(xlabel="s", ylabel="angular momentum, kg m2/s")
    axis.legend()
