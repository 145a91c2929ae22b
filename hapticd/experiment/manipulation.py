"""A3: a cube in the hand pushes a block, topples it, and lifts it between its face and a wall. Hasegawa 2003, 5.3.

The pointer follows a script here, so that the run is the same every time; on a device a hand moves it.
"""

from typing import Any

import numpy as np

from hapticd.experiment import Outcome
from hapticd.scene.file import load_scene
from hapticd.simulation import Simulation

STATEMENT = "Blocks are pushed, toppled and lifted between faces; force and torque, friction's included, are felt."
BOXES = {  # name: kind, material, size, position
    "floor": ("static", "wood", [1, 1, 0.1], [0, 0, -0.05]),
    "wall": ("static", "ice", [0.02, 0.3, 0.3], [0.2, 0, 0.15]),
    "block": ("dynamic", "wood", [0.04, 0.06, 0.08], [0.1, 0, 0.04]),
    "hand": ("pointer", "wood", [0.03, 0.03, 0.03], [0, 0, 0.03]),
}
SCENE = {
    "material": {
        "wood": {"stiffness": 3000, "damping": 3, "mu": 0.6},
        "ice": {"stiffness": 3000, "damping": 3, "mu": 0.02},
    },
    "pointer": {"stiffness": 1000, "damping": 1, "mu": 0.9},
    "body": [
        {"name": name, "kind": kind, "material": material, "shape": {"type": "box", "size": size}, "position": position}
        | ({"mass": 0.1} if kind == "dynamic" else {})
        for name, (kind, material, size, position) in BOXES.items()
    ],
}


def follow(sim: Simulation, path: list[tuple[float, Any]], turn: float = 0.0) -> list[dict[str, Any]]:
    """Straight lines between (seconds, position); turns about x at `turn` rad/s on the last one."""
    log = []
    start = np.array(sim.body("hand").position)
    for leg, (seconds, target) in enumerate(path):
        ticks = round(seconds / sim.dt)
        velocity = (np.array(target) - start) / seconds
        for i in range(1, ticks + 1):
            angle = turn * i * sim.dt if leg == len(path) - 1 else 0.0
            q = (np.sin(angle / 2), 0.0, 0.0, np.cos(angle / 2))
            omega = (turn if angle else 0.0, 0.0, 0.0)
            sim.set_pointer(start + velocity * sim.dt * i, q, velocity, omega)
            sim.step()
            block = sim.body("block")
            log.append({"block": block.position, "up": block.rotation[2, 2], "wrench": sim.pointer_wrench})
        start = np.array(target)
    return log


def run() -> Outcome:
    push = follow(Simulation(load_scene(SCENE)), [(1.0, (0.12, 0, 0.03))])
    topple = follow(Simulation(load_scene(SCENE)), [(0.2, (0.0, 0, 0.07)), (1.0, (0.12, 0, 0.07))])
    lift = follow(Simulation(load_scene(SCENE)), [(2.0, (0.139, 0, 0.04)), (1.0, (0.139, 0, 0.12))])
    twist = follow(Simulation(load_scene(SCENE)), [(2.0, (0.139, 0, 0.04)), (0.5, (0.139, 0, 0.04))], turn=0.6)
    figures = {
        "pushed, m": float(push[-1]["block"][0] - 0.1),
        "push force, N": float(max(abs(row["wrench"][0]) for row in push)),
        "toppled: cosine of its axis": float(topple[-1]["up"]),
        "lifted, m": float(lift[-1]["block"][2] - 0.04),
        "friction torque while turning against the face, Nm": float(max(abs(row["wrench"][3]) for row in twist)),
    }
    return Outcome(figures, {"push": push, "topple": topple, "lift": lift, "twist": twist})


def draw(outcome: Outcome, figure: Any) -> None:
    for axis, (name, log) in zip(figure.subplots(2, 2).flat, outcome.series.items(), strict=True):
        axis.plot([row["wrench"][:3] for row in log])
        axis.set(title=name, xlabel="tick", ylabel="force on the hand, N")
