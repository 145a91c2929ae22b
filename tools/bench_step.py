"""A step of the papers' stacks: ours beside MuJoCo, Bullet, ODE, PyBullet and Drake."""

import argparse
import logging

import numpy as np
from benchmark import Report, Subject, Timing, console, interleave, pin, ratio
from engines import Engine, Floats, Maker, load
from stacks import STACKS, stack

DT = 1e-3  # s
SETTLE = 1000  # steps before the clock starts: the stacks stand
DRAKE_SETTLE, DRAKE_MOST = 20, 30  # steps, blocks: at 6 to 20 ms a step
FELL = 0.25  # m: a block that has moved this far from where it was placed


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=0.2, help="of each repeat of each engine")
    options = arguments.parse_args()
    logging.disable(logging.WARNING)  # a hint at rest of stiff towers, once per build
    pin()
    makers, missing = load()
    report = Report("step")
    report.missing(missing)
    rows, fallen, ratios = [], [], {}
    costs: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in makers}
    contacts, ours = [], []
    for kind, count in STACKS:
        worlds = standing(makers, kind, count)
        times = interleave(
            [Subject(name, world.step) for name, world in worlds.items()], options.repeats, options.seconds,
            f"{kind} {count}",
        )  # fmt: skip
        label = f"{kind} {count}"
        rows.append([label, *(cell(times.get(name)) for name in makers)])
        fallen += [f"{name} ({label})" for name, world in worlds.items() if has_fallen(world, kind, count)]
        report.data.setdefault("us", {})[label] = {
            name: {"median": timing.median, "p99": timing.p99} for name, timing in times.items()
        }
        for name, timing in times.items():
            ratios[label, name] = ratio(times["hapticd"], timing)
            if kind == "pyramid":
                costs[name][0].append(count)
                costs[name][1].append(timing.median)
        contacts.append(len(worlds["hapticd"].sim.contacts()))
        ours.append(times["hapticd"].median)
    print_all(report, makers, rows, ratios)
    report.fit("us of our step over contacts, all stacks", contacts, ours)
    console.print("  fallen: " + (", ".join(fallen) or "none"))
    report.data["fallen"] = fallen
    judge(report, ratios)
    from plots import lines

    lines("step", "One step of a pyramid of blocks", ("blocks", "us of CPU time, one core"), costs)
    report.save(**{name: maker.version for name, maker in makers.items()})


def standing(makers: dict[str, Maker], kind: str, count: int) -> dict[str, Engine]:
    scene = stack(kind, count)
    worlds = {name: maker.build(scene, DT) for name, maker in makers.items() if name != "Drake" or count <= DRAKE_MOST}
    for name, world in worlds.items():
        world.step(DRAKE_SETTLE if name == "Drake" else SETTLE)
    return worlds


def has_fallen(world: Engine, kind: str, count: int) -> bool:
    placed = np.array([body.position for body in stack(kind, count).bodies if body.kind == "dynamic"])
    now: Floats = world.poses()[:, :3]
    return bool(np.abs(now - placed).max() > FELL)


def cell(timing: Timing | None) -> object:
    return "" if timing is None else f"{timing.median:.4g} ({timing.p99:.4g})"


def print_all(report: Report, makers: dict[str, Maker], rows: list, ratios: dict) -> None:
    report.table("One step of 1 ms, us of CPU time: median (p99 of chunks)", ["stack", *makers], rows)
    peers = [name for name in makers if name != "hapticd"]
    labels = [row[0] for row in rows]
    report.table(
        "Our step over theirs: median ratio of neighbouring runs",
        ["stack", *peers],
        [[label, *(ratios.get((label, peer), "") for peer in peers)] for label in labels],
    )
    for maker in makers.values():
        console.print(f"  {maker.name} {maker.version}: {maker.about}")


def judge(report: Report, ratios: dict[tuple[str, str], float]) -> None:
    for label, peer, limit in (
        ("tower 13", "MuJoCo", 0.7),
        ("tower 13", "Bullet", 0.8),
        ("tower 13", "ODE", 1.0),
        ("pyramid 30", "MuJoCo", 0.4),
        ("pyramid 100", "MuJoCo", 0.4),
        *((f"pyramid {n}", peer, 1.0) for n in (30, 60, 100) for peer in ("MuJoCo", "Bullet", "ODE")),
    ):
        if (label, peer) in ratios:
            report.judge(f"{label} / {peer}", ratios[label, peer], limit)


if __name__ == "__main__":
    main()
