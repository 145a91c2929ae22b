"""Do the engines agree: rest height, stop distance, angle of first slip, toppling; beside the analytic value."""

import argparse
import logging
import math
from collections.abc import Callable

import motions
from benchmark import Report, console, pin
from engines import Maker, load
from stacks import TOWER_GAINS

ENGINES = ("hapticd", "mujoco", "pybullet", "ode")
STOP = 2.0**2 / (2 * motions.MU * motions.GRAVITY)

# Title, unit, the analytic value, how far off ours may be unless a peer is further, measure. Bands: rest 0.1 mm and
# stop distance 1 % are those of the differential tests; the angles' are this benchmark's own. A spring gives way by
# m g / K: the rest height is that of the towers' gains, as stiff as 1 kg rests quietly on at 1 ms (a stability sum of
# 0.4, hapticd/scene/stability.py). The other rows have the softer gains of `quality`.
ROWS: tuple[tuple[str, str, float, float, Callable[[Maker], float]], ...] = (
    ("rest height", "mm", 100.0, 0.1, lambda maker: 100.0 - motions.sinking(maker, TOWER_GAINS)),
    ("stop distance", "m", STOP, 0.01 * STOP, motions.stop_distance),
    ("slope of first slip", "degrees", math.degrees(math.atan(motions.MU)), 0.3, motions.slip_angle),
    ("lean of no return", "degrees", math.degrees(math.atan(0.25)), 0.3, motions.topple_angle),
    ("direction of the fall", "degrees", 0.0, 15.0, motions.topple_direction),
)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    logging.disable(logging.WARNING)
    pin()
    makers, missing = load(ENGINES)
    report = Report("agree")
    report.missing(missing)
    rows = []
    for title, unit, right, band, run in ROWS:
        found = {name: run(maker) for name, maker in makers.items()}
        rows.append([title, unit, f"{right:.4g}", *(f"{value:.4g}" for value in found.values())])
        peers = [abs(value - right) for name, value in found.items() if name != "hapticd"]
        report.judge(f"{title}: ours off by", abs(found["hapticd"] - right), max(band, *peers))
        report.data.setdefault("values", {})[title] = {"unit": unit, "analytic": right, **found}
    report.table("The same motions in every engine", ["", "unit", "analytic", *makers], rows)
    console.print(
        "  rest height: ours stands m g / K deep, here with 100 kN/m; with the 20 kN/m of the other rows 0.49 mm"
    )
    console.print("  direction: a post leant towards 30 degrees stands on a corner, then falls to a side, 0 or 90")
    report.save(**{name: maker.version for name, maker in makers.items()})


if __name__ == "__main__":
    main()
