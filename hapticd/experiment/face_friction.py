"""A5: a cube slides and turns on a floor. Hasegawa 2003, 5.4 and Fig. 3."""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.scene.file import load_scene
from hapticd.simulation import Simulation

STATEMENT = (
    "Friction over the face stops sliding and turning together; friction at one point does not stop the turning."
)
LAWS = ("coulomb_area", "kikuuwe", "maxwell_slip", "coulomb_point")


def scene(velocity: float, spin: float, height: float) -> dict[str, Any]:
    return {
        "material": {"default": {"stiffness": 5e4, "damping": 100, "mu": 0.4}},
        "body": [
            {"name": "floor", "kind": "static", "position": [0, 0, -0.5], "shape": {"type": "box", "size": [9, 9, 1]}},
            {"name": "cube", "shape": {"type": "box", "size": [0.3, 0.3, height]}, "mass": 1.0,
             "position": [0, 0, 0.5 * height - 9.8 / 5e4], "velocity": [velocity, 0, 0],
             "angular_velocity": [0, 0, spin]},
        ],
    }  # fmt: skip


def track(law: str, velocity: float = 1.0, spin: float = 15.0, seconds: float = 1.2, height: float = 0.1) -> Any:
    """Rows of time, speed (m/s), spin (rad/s), friction force (N) and torque (Nm) of every tick."""
    sim = Simulation(load_scene(scene(velocity, spin, height)), friction=law)
    cube, rows = sim.body("cube"), []
    for _ in range(round(seconds / sim.dt)):
        before = (float(np.linalg.norm(cube.velocity[:2])), float(cube.angular_velocity[2]))
        sim.step()
        wrench = cube.wrench
        rows.append((sim.time, *before, float(np.linalg.norm(wrench[:2])), float(wrench[5])))
    return np.array(rows)


def run() -> Outcome:
    series = {law: track(law) for law in LAWS}
    figures = {f"{law}: spin at the end, rad/s": float(rows[-1, 2]) for law, rows in series.items()}
    figures |= {f"{law}: speed at the end, m/s": float(rows[-1, 1]) for law, rows in series.items()}
    return Outcome(figures, series)


def draw(outcome: Outcome, figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    for law, rows in outcome.series.items():
        left.plot(rows[:, 0], rows[:, 1], label=law)
        right.plot(rows[:, 0], rows[:, 2], label=law)
    left.set(xlabel="s", ylabel="m/s")
    right.set(xlabel="s", ylabel="rad/s")
    left.legend()
