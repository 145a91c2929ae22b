"""C2: a block under a rising horizontal force. Kuroda 2002, table 8.1.

The force rises over 2 s and stays; static if the block has moved less than 0.1 m after 15 s. The limit is 4.9 N. The
paper's own simulator let go at 4.41 N.
"""

from typing import Any

from hapticd.experiment import Outcome
from hapticd.experiment.scene import table
from hapticd.scene.file import load_scene
from hapticd.simulation import Simulation

STATEMENT = "Static at every force up to 4.85 N, dynamic from 4.95 N on, at every step size."
FORCES = (2.45, 3.43, 3.675, 3.92, 4.41, 4.85, 4.95, 9.8)  # N
RATES = (50, 100, 200, 400)  # steps per s
MOVED = 0.1  # m


def moved(force: float, rate: int, seconds: float = 15.0) -> float:
    """m, after `seconds`."""
    data = table("sliding_block")
    data["body"][1]["velocity"] = [0.0, 0.0, 0.0]
    sim = Simulation(load_scene(data), dt=1.0 / rate)
    block = sim.body("block")
    for _ in range(2 * rate):
        block.push((force * min(1.0, sim.time / 2.0), 0.0, 0.0))
        sim.step()
    block.push((force, 0.0, 0.0))
    sim.step(round((seconds - 2.0) * rate))
    return float(block.position[0])


def run() -> Outcome:
    table_ = {(force, rate): moved(force, rate) for force in FORCES for rate in RATES}
    return Outcome({f"{force:g} N, 1/{rate} s: moved, m": x for (force, rate), x in table_.items()}, table_)


def draw(outcome: Outcome, figure: Any) -> None:
    axis = figure.subplots()
    for rate in RATES:
        axis.semilogy(FORCES, [abs(outcome.series[force, rate]) for force in FORCES], "o-", label=f"1/{rate} s")
    axis.axhline(MOVED, color="k", linewidth=0.8)
    axis.axvline(4.9, color="k", linewidth=0.8, linestyle=":")
    axis.set(xlabel="N", ylabel="moved after 15 s, m")
    axis.legend()
