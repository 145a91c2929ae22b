"""The servo loop beside cyclictest: wake-up latency, compute time, overruns with and without a witness, page faults.

./tools/bench loop [--pairs 5] [--seconds 12] [--loaded 5]

Ours and cyclictest take turns on one core; then ours alone and ours with a publisher at 250 Hz, a recorder, eight
subscribers and stress-ng on the other core take turns. Everything but the servo and its witness is kept off that core.
"""

import argparse
import contextlib
import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import cyclictest
import numpy as np
from benchmark import Report, console
from live import ROOT, Daemon
from load_parts import CORE, PERIOD_NS, Subscribers, gaps, stress
from rich.progress import track

from hapticd.kernel.guard import layout as g
from hapticd.witness import Blame, Witness, blame

PRIORITY = 80
TICK_SECONDS = 1.0 / os.sysconf("SC_CLK_TCK")
LOOP = f"\n[loop]\ncpu = {CORE}\npriority = {PRIORITY}\noverrun_limit = 1000\ngap_fault_ms = 1000\n"
DEMO = re.sub(r"^\[loop\]\n(?:[^\[]*\n)?", "", (ROOT / "configs" / "demo.toml").read_text(), flags=re.M)
EMPTY = '[device]\ndriver = "virtual"\nhand = "stiff"\narm_on_start = true\n'
PERCENTS = (50, 99, 99.9, 100)


@dataclass
class Run:
    """What was seen of one servo."""

    times: np.ndarray  # ns, one row per tick
    blame: Blame
    faults: int  # pages, minor and major
    cpu_us: float  # per tick
    grown_kib: int

    @property
    def late(self) -> np.ndarray:
        return (self.times[:, g.TIME_WOKE] - self.times[:, g.TIME_DUE]) / 1e3

    @property
    def busy(self) -> np.ndarray:
        return (self.times[:, g.TIME_WRITTEN] - self.times[:, g.TIME_WOKE]) / 1e3

    @property
    def device_us(self) -> float:
        return float(np.median(self.times[:, g.TIME_READ] - self.times[:, g.TIME_WOKE])) / 1e3


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=5, help="of runs: ours, cyclictest")
    arguments.add_argument("--seconds", type=float, default=12.0, help="of each run; five of 12 s make a minute")
    arguments.add_argument("--loaded", type=int, default=5, help="pairs of runs: alone, loaded")
    options = arguments.parse_args()
    if shutil.which("cyclictest") is None:
        sys.exit("bench loop: cyclictest is missing; apt-get install rt-tests")
    others = os.sched_getaffinity(0) - {CORE}
    os.sched_setaffinity(0, others or {CORE})
    report = Report("loop")
    ours, theirs = [], []
    for _ in steps(options.pairs, "ours, cyclictest"):
        ours.append(servo_run(DEMO, options.seconds))
        theirs.append(cyclictest.run(options.seconds, PRIORITY, CORE))
    beside_cyclictest(report, ours, theirs, options.seconds)
    overhead(report, servo_run(EMPTY, options.seconds))
    under_load(report, options.loaded, options.seconds, min(others, default=CORE))
    report.save(cyclictest=cyclictest.version())


def steps(count: int, label: str):
    return track(range(count), label, console=console, transient=True, disable=not console.is_terminal)


def servo_run(config: str, seconds: float, put: AbstractContextManager | None = None, sockets: str = "") -> Run:
    """A daemon of its own, its witness on the same core, and the times of every tick."""
    with Daemon(config + LOOP + sockets) as daemon:
        daemon.until_active()
        witness = Witness(PERIOD_NS, PRIORITY + 2, CORE, int(1.5e3 * seconds) + 9000)
        with put(daemon.folder / "run") if put else contextlib.nullcontext():
            time.sleep(2.0)  # first touches, ours and the witness's: locking its memory holds up the core
            servo = daemon.pids()["servo"]
            before, start = counters(servo), daemon.ring.newest()
            times = daemon.watch(seconds)
            after, end = counters(servo), daemon.ring.newest()
        found = blame(times[:, g.TIME_DUE], times[:, g.TIME_WOKE], gaps(times), PERIOD_NS, witness.stop())
    cpu_us = (after[1] - before[1]) * TICK_SECONDS / (end - start) * 1e6
    return Run(times, found, after[0] - before[0], cpu_us, after[2] - before[2])


def counters(pid: int) -> tuple[int, int, int]:
    """Page faults, CPU ticks, resident KiB."""
    cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    resident = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(cells[7]) + int(cells[9]), int(cells[11]) + int(cells[12]), int(resident.split()[1])


def beside_cyclictest(report: Report, ours: list[Run], theirs: list[np.ndarray], seconds: float) -> None:
    rows = {
        "hapticd": [[float(np.percentile(run.late, p)) for p in PERCENTS] for run in ours],
        "cyclictest": [[cyclictest.percentile(h, p) for p in PERCENTS] for h in theirs],
    }
    report.table(
        f"Wake-up latency, us: medians of {len(ours)} pairs of {seconds:g} s on core {CORE}",
        ("", "p50", "p99", "p99.9", "max"),
        [(name, *np.median(found, axis=0).tolist()) for name, found in rows.items()],
    )
    busy = np.concatenate([run.busy for run in ours])
    compute = [("compute, us", *(float(np.percentile(busy, p)) for p in (50, 99, 100)))]
    report.table("Wake to written", ("", "p50", "p99", "max"), compute)
    blames = [run.blame for run in ours]
    ticks, late, unseen = (sum(getattr(b, name) for b in blames) for name in ("ticks", "late", "ours"))
    report.table(
        "Ticks", ("ticks", "overruns", "seen by the witness", "not seen"), [(ticks, late, late - unseen, unseen)]
    )
    ratios = [
        float(np.percentile(run.late, 99)) / max(cyclictest.percentile(h, 99), 1.0)
        for run, h in zip(ours, theirs, strict=True)
    ]
    report.ratio("wake-up p99 / cyclictest", float(np.median(ratios)))
    report.judge("p99 over cyclictest's, median of the pairs", float(np.median(ratios)), 2.0)
    report.judge("overruns not seen by the witness, in 10^5 ticks", 1e5 * unseen / ticks, 1.0)
    report.judge("page faults after the start, minor and major, all runs", sum(run.faults for run in ours), 0)
    report.judge("memory growth, KiB, all runs", sum(run.grown_kib for run in ours), 0)


def overhead(report: Report, empty: Run) -> None:
    row = ("an empty world, us of CPU a tick", empty.cpu_us, empty.device_us, empty.cpu_us - empty.device_us)
    report.table("Loop overhead", ("", "all", "simulated device", "loop"), [row])
    report.judge("loop overhead without the simulated device, us of CPU a tick", row[3], 80.0)


def under_load(report: Report, pairs: int, seconds: float, other: int) -> None:
    """Alone and loaded by turns."""
    with tempfile.TemporaryDirectory(prefix="hapticd-load-") as logs:
        busy_config = f'[sockets]\npublish_hz = 250\n[record]\nfolder = "{logs}"\n'

        @contextlib.contextmanager
        def load(folder: Path):
            with Subscribers(folder, 8), stress(f"--cpu 1 --taskset {other}"):
                yield

        rows = []
        for _ in steps(pairs, "alone, loaded"):
            alone = servo_run(DEMO, seconds)
            loaded = servo_run(DEMO, seconds, load, busy_config)
            rows.append([*(float(np.percentile(run.late, 99)) for run in (alone, loaded)), loaded.blame.ours])
    if not rows:
        return
    alone, loaded, unseen = np.array(rows).T
    title = "publisher at 250 Hz, recorder, 8 subscribers, stress-ng on the other core: wake-up p99, us"
    report.table(title, ("pair", "alone", "loaded", "overruns not seen"), [(k, *row) for k, row in enumerate(rows)])
    report.judge("rise of the p99 under load, us, median of the pairs", float(np.median(loaded - alone)), 50.0)
    report.judge(
        "overruns not seen under load, in 10^5 ticks", float(1e5 * unseen.sum() / (1000 * seconds * pairs)), 1.0
    )


if __name__ == "__main__":
    main()
