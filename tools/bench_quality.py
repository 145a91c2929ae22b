"""How right the contacts are: twelve measures of ours and of four engines, on the same motions."""

import argparse
import logging
import math
import time
from collections.abc import Callable

import motions
from benchmark import Report, console, pin
from engines import Maker, load
from rich.progress import Progress

ENGINES = ("hapticd", "mujoco", "pybullet", "ode", "drake")
STOP = 2.0**2 / (2 * motions.MU * motions.GRAVITY)  # m

# Title, unit, measure; smaller is better in all of them.
MEASURES: tuple[tuple[str, str, Callable[[Maker], float]], ...] = (
    ("force error at rest, eccentric load", "% of weight", lambda maker: motions.rest_ripple(maker)[0]),
    ("torque error at rest, eccentric load", "Nm", lambda maker: motions.rest_ripple(maker)[1]),
    ("friction force error, worst of 3 directions", "%", motions.sliding_force),
    ("friction torque error, spinning face", "%", motions.spinning_torque),
    ("stop distance error", "%", lambda maker: 100 * abs(motions.stop_distance(maker) / STOP - 1)),
    ("force step, rocked cube", "N in 1 ms", lambda maker: motions.rocking(maker)[0]),
    ("torque step, rocked cube", "Nm in 1 ms", lambda maker: motions.rocking(maker)[1]),
    ("energy error, free tumbling", "% in 10 s", motions.tumbling_energy),
    ("creep on a slope of 20 degrees", "um in 10 s", motions.slope_creep),
    ("drift of the 13-block tower", "um in 10 s", motions.tower_drift),
    ("settling, the papers' cube drop", "s", motions.settling_time),
    ("depth of a box at rest", "mm", motions.sinking),
)
TOO_SLOW = {("Drake", "drift of the 13-block tower")}  # 6 ms a step: more than a minute
FEWEST = 6  # measures in which at least three peers have a value


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.parse_args()
    logging.disable(logging.WARNING)
    pin()
    makers, missing = load(ENGINES)
    report = Report("quality")
    report.missing(missing)
    values = measure(makers)
    report.table(
        "Contact quality, smaller is better",
        ["measure", "unit", *makers, "best"],
        [
            [title, unit, *(said(values[title].get(name)) for name in makers), best(values[title])]
            for title, unit, _ in MEASURES
        ],
    )
    report.data["values"] = {title: {"unit": unit, **values[title]} for title, unit, _ in MEASURES}
    console.print("  inf: never within 4 s. Ours with 20 kN/m and 60 Ns/m; the peers with their defaults.")
    won = [title for title in values if best(values[title]) == "hapticd"]
    console.print(f"  hapticd is best in {len(won)} of {len(values)}: {'; '.join(won)}")
    full = sum(len(row) >= 4 for row in values.values())
    report.judge("measures short of six with three peers", float(max(0, FEWEST - full)), 0)
    plot(values)
    report.save(**{name: maker.version for name, maker in makers.items()})


def measure(makers: dict[str, Maker]) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {title: {} for title, _, _ in MEASURES}
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(MEASURES) * len(makers))
        for title, _, run in MEASURES:
            for name, maker in makers.items():
                progress.update(task, advance=1, description=f"{name}: {title}")
                if (name, title) not in TOO_SLOW:
                    values[title][name] = float(run(maker))
    return values


def said(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def best(row: dict[str, float]) -> str:
    """The smallest; values that round to the same two digits share the place."""
    least = min(row.values())
    return ", ".join(name for name, value in row.items() if value <= 1.05 * least and not math.isinf(value))


def plot(values: dict[str, dict[str, float]]) -> None:
    from plots import bars

    finite = {
        title: {name: value for name, value in row.items() if not math.isinf(value)} for title, row in values.items()
    }
    bars("quality", "Contact quality, smaller is better", "units in the table", finite)


if __name__ == "__main__":
    start = time.monotonic()
    main()
    console.print(f"  took {time.monotonic() - start:.0f} s")
