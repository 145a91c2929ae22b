"""A step of the papers' stacks: ours beside MuJoCo, Bullet, ODE, PyBullet and Drake."""

import argparse
import logging
from functools import partial

import numpy as np
from benchmark import Report, Subject, Timing, console, interleave, pin, ratio
from engines import Engine, Floats, Maker, load
from stacks import STACKS, stack

DT = 1e-3  # s
SETTLE = 500  # steps before the clock starts: the stacks stand
# What a step costs depends on the state (MuJoCo's solver: by a factor of three), so every run times the same steps:
# CHUNKS times STEPS after settling. Fewer of the two that take milliseconds a step.
CHUNKS, STEPS, FEWER_STEPS = 60, 50, {"PyBullet": 8, "Drake": 1}
DRAKE_SETTLE, DRAKE_MOST = 20, 30  # steps, blocks: at 6 to 20 ms a step
FELL = 0.25  # m: a block that has moved this far from where it was placed

Times = dict[str, dict[str, Timing]]  # by stack and engine


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=4)
    options = arguments.parse_args()
    logging.disable(logging.WARNING)  # a hint at rest of stiff towers, once per build
    pin()
    makers, missing = load()
    report = Report("step")
    report.missing(missing)
    worlds: dict[str, dict[str, Engine]] = {}  # of the last repeat

    def case(kind: str, count: int) -> list[Subject]:
        worlds[label_of(kind, count)] = here = standing(makers, kind, count)
        return [Subject(name, world.step, FEWER_STEPS.get(name, STEPS)) for name, world in here.items()]

    cases = {label_of(kind, count): partial(case, kind, count) for kind, count in STACKS}
    times = interleave(cases, options.repeats, CHUNKS, "stacks")
    report.data["us"] = {
        label: {
            name: {"cost": timing.cost, "p99": timing.p99, "repeats": timing.medians} for name, timing in of.items()
        }
        for label, of in times.items()
    }
    ratios = {
        (label, name): ratio(of["hapticd"], timing)
        for label, of in times.items()
        for name, timing in of.items()
        if name != "hapticd"
    }
    print_all(report, makers, times, ratios)
    contacts = [len(here["hapticd"].sim.contacts()) for here in worlds.values()]
    report.fit("us of our step over contacts, all stacks", contacts, [of["hapticd"].cost for of in times.values()])
    fallen = [f"{name} ({label})" for label, here in worlds.items() for name in here if has_fallen(here[name], label)]
    console.print("  fallen: " + (", ".join(fallen) or "none"))
    report.data["fallen"] = fallen
    judge(report, ratios)
    draw(makers, times)
    report.save(**{name: maker.version for name, maker in makers.items()})


def label_of(kind: str, count: int) -> str:
    return f"{kind} {count}"


def standing(makers: dict[str, Maker], kind: str, count: int) -> dict[str, Engine]:
    scene = stack(kind, count)
    worlds = {name: maker.build(scene, DT) for name, maker in makers.items() if name != "Drake" or count <= DRAKE_MOST}
    for name, world in worlds.items():
        world.step(DRAKE_SETTLE if name == "Drake" else SETTLE)
    return worlds


def has_fallen(world: Engine, label: str) -> bool:
    kind, count = label.split()
    placed = np.array([body.position for body in stack(kind, int(count)).bodies if body.kind == "dynamic"])
    now: Floats = world.poses()[:, :3]
    return bool(np.abs(now - placed).max() > FELL)


def print_all(report: Report, makers: dict[str, Maker], times: Times, ratios: dict[tuple[str, str], float]) -> None:
    report.table(
        "One step of 1 ms, us of CPU time: quickest repeat (p99 of all chunks)",
        ["stack", *makers],
        [[label, *(cell(of.get(name)) for name in makers)] for label, of in times.items()],
    )
    peers = [name for name in makers if name != "hapticd"]
    report.table(
        "Our step over theirs",
        ["stack", *peers],
        [[label, *(ratios.get((label, peer), "") for peer in peers)] for label in times],
    )
    for (label, peer), value in ratios.items():
        report.ratio(f"{label} / {peer}", value)
    for maker in makers.values():
        console.print(f"  {maker.name} {maker.version}: {maker.about}")


def cell(timing: Timing | None) -> object:
    return "" if timing is None else f"{timing.cost:.4g} ({timing.p99:.4g})"


def draw(makers: dict[str, Maker], times: Times) -> None:
    from plots import lines

    pyramids = {count: times[label_of(kind, count)] for kind, count in STACKS if kind == "pyramid"}
    series = {}
    for name in makers:
        cost = {count: of[name].cost for count, of in pyramids.items() if name in of}
        series[name] = list(cost), list(cost.values())
    lines("step", "One step of a pyramid of blocks", ("blocks", "us of CPU time, one core"), series)


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
