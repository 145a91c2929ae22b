"""A1: towers and pyramids of the papers' blocks, by contact volumes and by points. Hasegawa 2003, 5.1 and Fig. 9.

The arrangement of Fig. 9 is not in the paper's text. Taken here: single file (13 blocks of 1 kg, 1 m high), and a
pyramid, both at 1 ms and 5 ms. Both solvers run over the same grid of gains; a setting holds when no block has moved
aside by more than 1 % of its height after 10 s, and nothing moves at the end.
"""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.experiment.scene import with_gains
from hapticd.simulation import Simulation

STATEMENT = (
    "The contact volume holds the stack for 10 s; the spring at the deepest point lets it fall (paper: 1.8 s after the "
    "start) or never comes to rest at 5 ms."
)
CASES = (("tower13", 1e-3), ("pyramid", 1e-3), ("pyramid", 5e-3), ("tower13", 5e-3))
SOLVERS = ("volume_penalty", "point_penalty")
GRID = ((2e3, 15.0), (8e3, 25.0), (2e4, 40.0), (5e4, 100.0), (1e5, 150.0), (2e5, 200.0))  # N/m, Ns/m
SHIFT = 0.01  # m, 1 % of a block's height
REST = 1e-3  # m/s


def stands(scene: str, dt: float, solver: str, gains: tuple[float, float], seconds: float = 10.0) -> tuple[bool, Any]:
    """Does it stand to the end? And the height of the top block every 50 ms."""
    sim = Simulation(with_gains(scene, *gains), dt=dt, solver=solver)
    blocks = sim.bodies[1:]
    start = np.array([block.position for block in blocks])
    every = round(0.05 / dt)
    heights = []
    for _ in range(round(seconds / (every * dt))):
        sim.step(every)
        heights.append(float(blocks[-1].position[2]))
        if not abs(heights[-1] - start[-1, 2]) < 0.5:
            return False, heights
    shift = np.array([block.position for block in blocks]) - start
    aside = float(np.linalg.norm(shift[:, :2], axis=1).max())
    return aside < SHIFT and max(float(np.abs(block.velocity).max()) for block in blocks) < REST, heights


def run(grid: tuple[tuple[float, float], ...] = GRID, seconds: float = 10.0) -> Outcome:
    figures: dict[str, float] = {}
    series: dict[str, Any] = {}
    for scene, dt in CASES:
        for solver in SOLVERS:
            key = f"{scene}, {1e3 * dt:g} ms, {solver}"
            results = [stands(scene, dt, solver, gains, seconds) for gains in grid]
            figures[f"{key}: settings that hold, of {len(grid)}"] = sum(held for held, _ in results)
            series[key] = [heights for _, heights in results]
    return Outcome(figures, series)


def draw(outcome: Outcome, figure: Any) -> None:
    axes = figure.subplots(2, 2)
    for (scene, dt), axis in zip(CASES, axes.flat, strict=True):
        for solver, style in zip(SOLVERS, ("-", ":"), strict=True):
            for heights in outcome.series[f"{scene}, {1e3 * dt:g} ms, {solver}"]:
                axis.plot(0.05 * np.arange(1, len(heights) + 1), heights, style)
        axis.set(title=f"{scene}, {1e3 * dt:g} ms", xlabel="s", ylabel="height of the last block, m", ylim=(0, 14))
