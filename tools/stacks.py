"""The scenes that the benchmarks share: the papers' stacks, and one box on a floor.

Blocks 1 x 2 m and 1 m high, 1 kg, g 9.8 (Hasegawa 2003, 5.1). Only hapticd reads the gains; mu is everyone's.
"""

import math
from typing import Any

import hapticd
from hapticd.scene.file import Scene

MU = 0.5
GRAVITY = 9.8  # m/s2
TOWER_GAINS = (1e5, 150.0)  # N/m, Ns/m; a single-file tower of 13 buckles below 33 kN/m
PYRAMID_GAINS = (2e4, 60.0)
STACKS = (
    ("tower", 3),
    ("tower", 6),
    ("tower", 13),
    ("pyramid", 13),
    ("pyramid", 30),
    ("pyramid", 60),
    ("pyramid", 100),
)


def stack(kind: str, count: int) -> Scene:
    """A "tower" or "pyramid" of so many blocks on a floor."""
    gains = TOWER_GAINS if kind == "tower" else PYRAMID_GAINS
    return _scene(gains, {kind: [{"count": count, "material": "wood"}]})


def grid(count: int) -> Scene:
    """So many single blocks on the floor, side by side with gaps."""
    width = math.ceil(math.sqrt(count))
    blocks = [
        {
            "name": f"block{i}", "material": "wood", "mass": 1.0, "shape": {"type": "box", "size": [1.0, 1.0, 1.0]},
            "position": [1.5 * (i % width - 0.5 * width), 1.5 * (i // width - 0.5 * width), 0.5],
        }
        for i in range(count)
    ]  # fmt: skip
    return _scene(PYRAMID_GAINS, {}, blocks)


def box(
    size: tuple[float, float, float],
    position: tuple[float, float, float],
    *,
    gains: tuple[float, float] = PYRAMID_GAINS,
    slope: float = 0.0,
    gravity: float = GRAVITY,
    **motion: Any,
) -> Scene:
    """One box of 1 kg above a floor at z = 0; `slope` (rad) leans gravity towards +x, which is a tilted floor."""
    body = {"name": "box", "material": "wood", "mass": 1.0, "position": list(position), **motion}
    body["shape"] = {"type": "box", "size": list(size)}
    pull = [gravity * math.sin(slope), 0.0, -gravity * math.cos(slope)]
    return _scene(gains, {"gravity": pull}, [body])


def _scene(gains: tuple[float, float], rest: dict[str, Any], bodies: list[dict[str, Any]] | None = None) -> Scene:
    floor = {
        "name": "floor", "kind": "static", "material": "wood", "position": [0.0, 0.0, -1.0],
        "shape": {"type": "box", "size": [100.0, 100.0, 2.0]},
    }  # fmt: skip
    wood = {"stiffness": gains[0], "damping": gains[1], "mu": MU}
    return hapticd.load_scene({"material": {"wood": wood}, "body": [floor, *(bodies or [])], **rest})
