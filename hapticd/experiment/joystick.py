"""B1: a joystick with friction, without and with mass. Kikuuwe and Fujimoto, section 4."""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.friction import Kikuuwe

STATEMENT = (
    "Without mass the force is friction alone, at most F and against the motion; with mass inertia is felt as well."
)


def run() -> Outcome:
    time = np.arange(4000) * 1e-3
    angle = 2.0 * time
    path = 0.05 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    series = {f"M = {M:g} kg": Kikuuwe(K=6000, B=10, F=4, M=M, T=1e-3, dim=2).step_position(path) for M in (0.0, 1.0)}
    figures = {f"{name}: largest force, N": float(np.linalg.norm(f, axis=1).max()) for name, f in series.items()}
    return Outcome(figures, series)


def draw(outcome: Outcome, figure: Any) -> None:
    for axis, (name, force) in zip(figure.subplots(1, 2), outcome.series.items(), strict=True):
        axis.plot(force[:, 0], force[:, 1])
        axis.set(title=name, xlabel="N", ylabel="N", aspect="equal")
