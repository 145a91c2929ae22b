"""The servo loop beside cyclictest: wake-up latency, compute time, overruns with and without a witness, page faults."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from benchmark import Report

from hapticd.kernel.guard import layout as g
from hapticd.ring import Ring
from hapticd.witness import Witness, blame

PERIOD_NS = 1_000_000
PRIORITY = 80
TICK_SECONDS = 1.0 / os.sysconf("SC_CLK_TCK")
RUN = "from hapticd.cli import main; main()"
EMPTY = '[device]\ndriver = "virtual"\nhand = "stiff"\narm_on_start = true\n'


@dataclass
class Run:
    """What was seen of one servo, tick by tick, and what the kernel counted."""

    due: list[np.ndarray] = field(default_factory=list)
    woke: list[np.ndarray] = field(default_factory=list)
    done: list[np.ndarray] = field(default_factory=list)
    gap: list[np.ndarray] = field(default_factory=list)
    device: list[np.ndarray] = field(default_factory=list)  # ns, the simulated device's part
    faults: tuple[int, int] = (0, 0)
    cpu_us: float = 0.0  # per tick
    grown_kib: int = 0
    ours: int = 0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pairs", type=int, default=5, help="of runs: ours, cyclictest")
    arguments.add_argument("--seconds", type=float, default=12.0, help="of each run; five of 12 s make a minute")
    arguments.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    options = arguments.parse_args()
    if shutil.which("cyclictest") is None:
        sys.exit("bench loop: cyclictest is missing; apt-get install rt-tests")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        demo = Path(__file__).parents[1] / "configs" / "demo.toml"
        scene = with_core(demo.read_text().replace('"scene/', f'"{demo.parent}/scene/'), options.core)
        ours, theirs = [], []
        for k in range(options.pairs):
            ours.append(servo_run(Path(folder) / f"scene{k}", scene, options.seconds, options.core))
            theirs.append(cyclictest(options.seconds, options.core))
        empty = servo_run(Path(folder) / "empty", with_core(EMPTY, options.core), options.seconds, options.core)
    report(ours, theirs, empty, options)


def with_core(text: str, core: int) -> str:
    text = re.sub(r"^\[loop\]\n(?:[^\[]*\n)?", "", text, flags=re.M)
    return f"{text}\n[loop]\ncpu = {core}\npriority = {PRIORITY}\n"


def servo_run(folder: Path, config: str, seconds: float, core: int) -> Run:
    """A daemon of its own, its witness on the same core, and every slot of the ring."""
    folder.mkdir()
    (folder / "config.toml").write_text(config)
    run, witness = Run(), None
    with daemon(folder) as (ring, servo):
        time.sleep(1.0)  # the arming ramp, first touches
        witness = Witness(PERIOD_NS, PRIORITY + 2, core, int(1.5e3 * seconds) + 2000)
        before, start = counters(servo), ring.newest()
        watch(ring, run, seconds)
        after, end = counters(servo), ring.newest()
        times = witness.stop()
    run.faults = (after[0] - before[0], after[1] - before[1])
    run.cpu_us = (after[2] - before[2]) * TICK_SECONDS / (end - start) * 1e6
    run.grown_kib = after[3] - before[3]
    due, woke, gap = (np.concatenate(part) for part in (run.due, run.woke, run.gap))
    run.ours = blame(due, woke, gap, PERIOD_NS, times).ours
    return run


@contextmanager
def daemon(folder: Path) -> Iterator[tuple[Ring, int]]:
    command = [sys.executable, "-c", RUN, "-q", "run", str(folder / "config.toml"), "--folder", str(folder / "run")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        ring, servo = attached(folder / "run", process)
        yield ring, servo
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def attached(folder: Path, process: subprocess.Popen[bytes]) -> tuple[Ring, int]:
    for _ in range(6000):
        if process.poll() is not None:
            sys.exit(f"bench loop: the daemon ended with {process.returncode}; run it by hand to see why")
        try:
            servo = int(json.loads((folder / "status.json").read_text())["servo"])
            ring = Ring.attach(folder / "ring")
            if servo and ring.newest() > 100:
                return ring, servo
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.1)
    sys.exit("bench loop: the daemon did not begin to tick within ten minutes")


def watch(ring: Ring, run: Run, seconds: float) -> None:
    cursor, out, end = ring.newest(), ring.empty(512), time.monotonic() + seconds
    while time.monotonic() < end:
        first, count = ring.read_from(cursor, out)
        cursor = first + count
        slots = out[:count]
        run.due.append(slots["time"][:, g.TIME_DUE].copy())
        run.woke.append(slots["time"][:, g.TIME_WOKE].copy())
        run.done.append(slots["time"][:, g.TIME_WRITTEN].copy())
        run.device.append(slots["time"][:, g.TIME_READ] - slots["time"][:, g.TIME_WOKE])
        run.gap.append(slots["input"][:, g.INPUT_GAP].copy())
        time.sleep(0.2)


def counters(pid: int) -> tuple[int, int, int, int]:
    """Minor and major page faults, CPU ticks, resident KiB."""
    cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    resident = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(cells[7]), int(cells[9]), int(cells[11]) + int(cells[12]), int(resident.split()[1])


def cyclictest(seconds: float, core: int) -> np.ndarray:
    """Its latencies in whole us, one row per us of the histogram: (us, count)."""
    options = ["-q", "-m", "-t1", f"-p{PRIORITY}", f"-a{core}", "-i1000", f"-D{max(1, round(seconds))}", "-h20000"]
    text = subprocess.run(["cyclictest", *options], capture_output=True, text=True, check=True).stdout
    return np.array([[int(a), int(b)] for a, b in re.findall(r"^(\d{6}) (\d{6})", text, flags=re.M)])


def share(histogram: np.ndarray, percent: float) -> float:
    total = np.cumsum(histogram[:, 1])
    return float(histogram[np.searchsorted(total, percent / 100 * total[-1]), 0])


def report(ours: list[Run], theirs: list[np.ndarray], empty: Run, options: argparse.Namespace) -> None:
    late = [(np.concatenate(run.woke) - np.concatenate(run.due)) / 1e3 for run in ours]
    busy = np.concatenate([(np.concatenate(run.done) - np.concatenate(run.woke)) / 1e3 for run in ours])
    percents = (50, 99, 99.9, 100)
    rows = {
        "hapticd": [[float(np.percentile(x, p)) for p in percents] for x in late],
        "cyclictest": [[share(h, p) for p in percents] for h in theirs],
    }
    done = Report("loop")
    title = f"Wake-up latency, us: medians of {options.pairs} pairs of {options.seconds:g} s on core {options.core}"
    done.table(
        title, ("", "p50", "p99", "p99.9", "max"),
        [(name, *np.median(found, axis=0).tolist()) for name, found in rows.items()],
    )  # fmt: skip
    ticks, overruns = sum(map(len, late)), sum(int((np.concatenate(run.gap) > 0).sum()) for run in ours)
    unseen = sum(run.ours for run in ours)
    compute = [("compute, us", float(np.percentile(busy, 50)), float(np.percentile(busy, 99)), float(busy.max()))]
    done.table("Wake to written", ("", "p50", "p99", "max"), compute)
    counts = [(ticks, overruns, overruns - unseen, unseen)]
    done.table("Ticks", ("ticks", "overruns", "seen by the witness", "not seen"), counts)
    ratios = [np.percentile(x, 99) / max(share(h, 99), 1.0) for x, h in zip(late, theirs, strict=True)]
    done.judge("p99 over cyclictest's, median of the pairs", float(np.median(ratios)), 2.0)
    done.judge("overruns not seen by the witness, in 10^5 ticks", 1e5 * unseen / ticks, 1.0)
    done.judge("page faults after the start, minor and major, all runs", sum(sum(run.faults) for run in ours), 0)
    done.judge("memory growth, KiB, all runs", sum(run.grown_kib for run in ours), 0)
    device_us = float(np.median(np.concatenate(empty.device))) / 1e3
    parts = [("an empty world, us of CPU a tick", empty.cpu_us, device_us, empty.cpu_us - device_us)]
    done.table("Loop overhead", ("", "all", "simulated device", "loop"), parts)
    done.judge("loop overhead without the simulated device, us of CPU a tick", empty.cpu_us - device_us, 80.0)
    done.save(cyclictest=version_of_cyclictest())


def version_of_cyclictest() -> str:
    text = subprocess.run(["cyclictest", "--help"], capture_output=True, text=True).stdout
    return text.splitlines()[0] if text else "unknown"


if __name__ == "__main__":
    main()
