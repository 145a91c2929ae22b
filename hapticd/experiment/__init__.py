"""The papers' experiments, one file each: what the paper says, the run, and how to draw it.

Every module has STATEMENT (what the paper shows), `run() -> Outcome` and `draw(outcome, figure)`. `hapticd experiment
NAME --plot out.png` prints and draws them; tests/papers asserts the statements on the same runs.
"""

from typing import Any, NamedTuple

EXPERIMENTS = {
    "tower": "A1: a tower of 13 blocks stands by contact volumes and not by points",
    "cube_drop": "A2: a cube that falls on its edge comes to rest",
    "manipulation": "A3: a cube in the hand pushes, topples and lifts blocks",
    "spinning_top": "A4: a top precesses, falls, rolls and comes to rest",
    "face_friction": "A5: a cube that slides and turns on a floor is stopped in both",
    "joystick": "B1: friction at a joystick, without and with mass",
    "hysteresis": "B2: ten elements in parallel close every loop",
    "sliding": "C1: a block slides v0^2 / (2 mu g) far",
    "static_friction": "C2: a block rests up to mu m g and slides beyond",
}


class Outcome(NamedTuple):
    """What a run gave: figures by name, each with its unit in the name, and series to draw."""

    figures: dict[str, float]
    series: dict[Any, Any]
