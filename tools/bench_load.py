"""The load table: wake-up latency, overruns and their blame under subscribers, commands, logs, scenes and stress-ng."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager as Context
from dataclasses import dataclass
from pathlib import Path

import cyclictest
import numpy as np
from benchmark import Report, console
from live import Daemon
from load_parts import CORE, PERIOD_NS, Commands, Subscribers, gaps, run_config, stress, wake
from rich.progress import track

import hapticd
from hapticd.kernel.guard import layout as g
from hapticd.timing import summary
from hapticd.witness import Blame, Witness, blame

RISE_US = 50.0  # how much a load may add to the p99
STOP_MS = 50.0
SERVO_PRIORITY, WITNESS_PRIORITY = 80, 82  # the supervisor is between them


@dataclass(frozen=True)
class Row:
    load: str
    config: str
    put: Callable[[Path], Context[object]]  # what is put on a daemon whose sockets are in that folder
    is_apart: bool = False  # it needs no daemon, so it can be put on cyclictest, too


def none(folder: Path) -> Context[object]:
    return contextlib.nullcontext()


@contextlib.contextmanager
def everything(folder: Path):
    with Subscribers(folder, 32, 8), Commands(folder, 20_000), stress("--cpu 1 --taskset CORE"):
        yield


def rows(record: Path) -> list[Row]:
    plain = run_config()
    listed = [Row("nothing", plain, none)]
    for count, deaf in ((1, 0), (8, 2), (32, 8)):
        listed.append(Row(f"{count} subscribers, {deaf} deaf", plain, lambda f, n=count, d=deaf: Subscribers(f, n, d)))
    for rate, bodies in ((250, 10), (250, 50), (1000, 200)):
        listed.append(Row(f"publish {rate} Hz, {bodies} blocks", run_config(bodies, rate), lambda f: Subscribers(f, 1)))
    for rate in (100, 1000, 20_000):
        listed.append(Row(f"{rate} commands a second, 1 % bad", plain, lambda f, n=rate: Commands(f, n)))
    listed.append(Row("log of every tick", run_config(record=record), none))
    for arguments in (
        "--cpu 2", "--cpu 1 --taskset CORE", "--switch 4", "--vm 1 --vm-bytes 512M", "--hdd 1 --hdd-bytes 64M",
        "--timer 4", "--cache 1",
    ):  # fmt: skip
        listed.append(
            Row(f"stress-ng {arguments}", plain, lambda f, a=arguments: stress(f"{a} --temp-path {record}"), True)
        )
    for scene in ("tower13", "peg"):
        listed.append(Row(f"scene {scene}", run_config(scene), none))
    listed.append(Row("all at once", run_config(publish=250, record=record), everything))
    return listed


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=10.0, help="of each half of a pair; 60 for a release")
    arguments.add_argument("--pairs", type=int, default=1, help="of idle and loaded runs; 5 for a release")
    arguments.add_argument("--only", default="", help="rows that contain this")
    options = arguments.parse_args()
    report, table = Report("load"), []
    with tempfile.TemporaryDirectory(prefix="hapticd-load-") as folder:
        chosen = [row for row in rows(Path(folder)) if options.only in row.load]
        for row in track(chosen, "load table", console=console, transient=True, disable=not console.is_terminal):
            try:
                table.append(measure(report, row, options.seconds, options.pairs))
            except RuntimeError as error:
                console.print(f"  [yellow]without {row.load}[/]: {str(error).splitlines()[0]}")
    columns = ["load", "wake p50", "p99", "p99.9", "max", "p99 - idle", "late", "ours", "tick p99", "stop ms", "MB"]
    title = "us under load; late: overruns; ours: of them, not seen by the witness; ( ): cyclictest under the same load"
    report.table(title, columns, table)
    judge(report)
    report.save()


def measure(report: Report, row: Row, seconds: float, pairs: int) -> list[object]:
    """Idle and loaded halves in turn on one daemon, and at the end an emergency stop under the load."""
    idle, loaded, rises, blames = [], [], [], []
    with Daemon(row.config) as daemon:
        daemon.until_active()
        folder = daemon.folder / "run"
        for pair in range(pairs):
            idle.append(daemon.watch(seconds))
            witness = Witness(PERIOD_NS, WITNESS_PRIORITY, CORE, int(2000 * seconds) + 2000)
            with row.put(folder):
                time.sleep(0.2)
                loaded.append(daemon.watch(seconds))
                if pair == pairs - 1:
                    stop_ms = stopped(folder)
            times = loaded[-1]
            blames.append(blame(times[:, g.TIME_DUE], times[:, g.TIME_WOKE], gaps(times), PERIOD_NS, witness.stop()))
            rises.append(wake(times)["p99"] - wake(idle[-1])["p99"])
        memory = sum(daemon.memory().values())
    rise = statistics.median(rises)
    cells = said(report, row.load, np.concatenate(loaded), rise, blames, stop_ms, memory)
    if rise > RISE_US and row.is_apart and shutil.which("cyclictest"):
        report.data["rows"][row.load]["cyclictest_rise_us"] = theirs = rise_of_cyclictest(row, seconds, pairs)
        cells[5] = f"{cells[5]} ({theirs:+.0f})"
    return cells


def rise_of_cyclictest(row: Row, seconds: float, pairs: int) -> float:
    """What the same load does to a bare loop: so much is the kernel's and the machine's."""
    rises = []
    for _ in range(pairs):
        idle = cyclictest.run(seconds, SERVO_PRIORITY, CORE)
        with row.put(Path()):
            time.sleep(0.2)
            loaded = cyclictest.run(seconds, SERVO_PRIORITY, CORE)
        rises.append(cyclictest.percentile(loaded, 99) - cyclictest.percentile(idle, 99))
    return statistics.median(rises)


def said(
    report: Report, load: str, times: np.ndarray, rise: float, blames: list[Blame], stop_ms: float, memory: float
) -> list[object]:
    late, ours = sum(found.late for found in blames), sum(found.ours for found in blames)
    whole = summary(times)
    wakes, tick = whole["wake_us"], whole["stage_us"]["tick"]["p99"]
    report.data.setdefault("rows", {})[load] = {
        **whole, "rise_us": rise, "late": late, "ours": ours, "stop_ms": stop_ms, "memory_mb": memory,
    }  # fmt: skip
    shown = [f"{wakes[name]:.0f}" for name in ("p50", "p99", "p999", "max")]
    return [load, *shown, f"{rise:+.0f}", late, ours, f"{tick:.0f}", f"{stop_ms:.1f}", f"{memory:.0f}"]


def stopped(folder: Path) -> float:
    """ms from asking for an emergency stop to its answer."""
    with hapticd.Client(folder) as client:
        start = time.monotonic()
        client.stop()
        return 1e3 * (time.monotonic() - start)


def judge(report: Report) -> None:
    """Each by its worst row, which is named: a scene that takes most of a period by itself is late for that reason."""
    found = report.data.get("rows", {})
    single = {load: row for load, row in found.items() if load not in ("nothing", "all at once")}
    if not single:
        return
    worst = {key: max(single, key=lambda load, key=key: single[load][key]) for key in ("rise_us", "ours")}
    slow = max(found, key=lambda load: found[load]["stop_ms"])
    report.judge(f"rise of the p99 under {worst['rise_us']}, us", single[worst["rise_us"]]["rise_us"], RISE_US)
    for load in sorted({worst["ours"], *(load for load, row in found.items() if row["ours"])}):
        report.judge(f"late ticks of ours under {load}", found[load]["ours"], 0)
    report.judge(f"stop under {slow}, ms", found[slow]["stop_ms"], STOP_MS)


if __name__ == "__main__":
    main()
