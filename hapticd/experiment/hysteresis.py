"""B2: ten elements in parallel under a position with nested reversals. Kikuuwe and Fujimoto, Fig. 5."""

from itertools import pairwise
from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.friction import MaxwellSlip

STATEMENT = "Every loop in the plane of force and displacement closes."
CORNERS = (0.0, 1.2e-3, 0.2e-3, 0.9e-3, 0.4e-3, 0.9e-3, 0.2e-3, 1.2e-3, -1.2e-3, 1.2e-3)  # m
TICKS = 500  # between two corners


def run() -> Outcome:
    path = np.concatenate([np.linspace(a, b, TICKS, endpoint=False) for a, b in pairwise(CORNERS)])
    path = np.append(path, CORNERS[-1])
    law = MaxwellSlip(K=[1e4] * 10, B=100.0, F=[float(i) for i in range(1, 11)], T=1e-3)
    force = law.step_position(path)
    at = [i * TICKS for i in range(len(CORNERS))]
    gap = max(abs(force[at[3]] - force[at[5]]), abs(force[at[2]] - force[at[6]]), abs(force[at[1]] - force[at[7]]))
    return Outcome({"largest gap of a loop, N": float(gap)}, {"path": path, "force": force})


def draw(outcome: Outcome, figure: Any) -> None:
    axis = figure.subplots()
    axis.plot(1e3 * outcome.series["path"], outcome.series["force"])
    axis.set(xlabel="mm", ylabel="N")
