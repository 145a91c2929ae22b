"""How cost grows: with contacts, bodies, faces and subscribers; fitted and plotted."""

import argparse
import logging
import math
import statistics
import time
from collections.abc import Sequence

import numpy as np
from bench_kernel import DEEP, hull, our_pair, places, shallow
from benchmark import Report, Subject, console, interleave, pin
from engine_hapticd import Hapticd
from stacks import grid, stack

DT = 1e-3
SETTLE = 500  # steps
PYRAMIDS = (3, 6, 13, 30, 60, 100, 200)
GRIDS = (1, 10, 30, 100, 300, 1000)
FACES = (8, 16, 32, 64, 100, 200, 300)
SUBSCRIBERS = (0, 1, 8, 32)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--no-daemon", action="store_true", help="leave the subscribers out")
    options = arguments.parse_args()
    logging.disable(logging.WARNING)
    report = Report("growth")
    if not options.no_daemon:  # before this process takes a core for itself
        subscribers(report)
    pin()
    contacts(report, options.repeats)
    bodies(report, options.repeats)
    faces(report, options.repeats)
    report.save()


def contacts(report: Report, repeats: int) -> None:
    worlds = {count: Hapticd(stack("pyramid", count), DT) for count in PYRAMIDS}
    cost = measured(worlds, repeats)
    touching = [len(world.sim.contacts()) for world in worlds.values()]
    rows = [[n, c, us, us / c] for n, c, us in zip(PYRAMIDS, touching, cost, strict=True)]
    report.table("A step over contacts (pyramids)", ["blocks", "contacts", "us", "us per contact"], rows)
    report.fit("us over contacts", touching, cost)
    draw("contacts", "One step of pyramids", "contacts", touching, cost)


def bodies(report: Report, repeats: int) -> None:
    worlds = {count: Hapticd(grid(count), DT) for count in GRIDS}
    cost = measured(worlds, repeats)
    rows = [[n, us, us / n] for n, us in zip(GRIDS, cost, strict=True)]
    report.table("A step over bodies (single blocks side by side)", ["bodies", "us", "us per body"], rows)
    report.fit("us over bodies", GRIDS, cost)
    report.data["bodies_exponent"] = exponent(GRIDS[2:], cost[2:])
    console.print(f"  exponent from {GRIDS[2]} bodies on: {report.data['bodies_exponent']:.2f}")
    draw("bodies", "One step of blocks side by side", "bodies", GRIDS, cost)


def faces(report: Report, repeats: int) -> None:
    u = np.array([0.98, 0.2, 0.1]) / np.linalg.norm([0.98, 0.2, 0.1])
    cases = {}
    for count in FACES:
        a, b = hull(count, 1), hull(count, 2)
        touch = float((b.vertices @ u).max() - (a.vertices @ u).min())
        shifts = {"shallow": shallow(a, b, u, touch), "deep": (touch - DEEP) * u}
        pair = [Subject(name, our_pair(a, b, places(shift))) for name, shift in shifts.items()]
        cases[str(count)] = lambda pair=pair: pair
    times = interleave(cases, repeats, label="faces")
    cost = {name: [of[name].cost for of in times.values()] for name in ("shallow", "deep")}
    rows = [[n, *each] for n, *each in zip(FACES, *cost.values(), strict=True)]
    report.table("One pair over faces of each hull", ["faces", "shallow us", "deep us"], rows)
    for name, values in cost.items():
        report.data[f"faces_exponent_{name}"] = exponent(FACES, values)
        console.print(f"  {name}: exponent {exponent(FACES, values):.2f}")
    from plots import lines

    lines("growth_faces", "One pair of hulls", ("faces of each", "us of CPU time"),
          {f"hapticd, {name}": (FACES, values) for name, values in cost.items()})  # fmt: skip


def subscribers(report: Report) -> None:
    """CPU of the publisher at 250 Hz, as more clients listen; the servo should not notice."""
    from live import Daemon
    from load_parts import Subscribers, run_config, wake

    rows = []
    with Daemon(run_config(publish=250)) as daemon:
        daemon.until_active()
        time.sleep(1.5)  # the status file names the services
        for count in SUBSCRIBERS:
            with Subscribers(daemon.folder / "run", count) as clients:
                time.sleep(0.5)
                before, clients.seen = daemon.cpu("publisher"), 0
                late = wake(daemon.watch(3.0))
                rows.append([count, 100 * (daemon.cpu("publisher") - before) / 3.0, clients.seen / 3.0 / max(count, 1),
                             late["p50"], late["p99"]])  # fmt: skip
    columns = ["subscribers", "publisher, % of a core", "states a second each", "wake p50 us", "wake p99 us"]
    report.table("Publisher over subscribers, 250 Hz", columns, rows)
    report.fit("publisher's % over subscribers", [row[0] for row in rows], [row[1] for row in rows])


def measured(worlds: dict[int, Hapticd], repeats: int) -> list[float]:
    for world in worlds.values():
        world.step(SETTLE)
    subjects = [Subject(str(n), world.step) for n, world in worlds.items()]
    times = interleave({"worlds": lambda: subjects}, repeats, label="growth")["worlds"]
    return [timing.cost for timing in times.values()]


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """The power of x that y grows with: slope of the logarithms."""
    return statistics.linear_regression([math.log(v) for v in x], [math.log(v) for v in y]).slope


def draw(name: str, title: str, label: str, x: Sequence[float], y: Sequence[float]) -> None:
    from plots import lines

    lines(f"growth_{name}", title, (label, "us of CPU time, one core"), {"hapticd": (x, y)})


if __name__ == "__main__":
    main()
