"""How long until it runs: the first run ever, later ones, import, --help; and the memory it takes."""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmark import Report, console
from live import COMMAND, ROOT, Daemon

DEMO = (ROOT / "configs" / "demo.toml").read_text()
WORLD = """
import hapticd
sim = hapticd.Simulation(hapticd.load_scene("configs/scene/six_blocks.toml"))
sim.step(1)
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--warm", action="store_true", help="leave the first run ever out: it compiles for a minute")
    arguments.add_argument("--repeats", type=int, default=5)
    options = arguments.parse_args()
    report, rows = Report("start"), []
    bare = wall([sys.executable, "-c", "pass"], options.repeats)
    for title, command in (
        ("import hapticd", [sys.executable, "-c", "import hapticd"]),
        ("hapticd --help", [COMMAND, "--help"]),
    ):
        rows.append([title, wall(command, options.repeats), "", ""])
    rows.append(["Python itself", bare, "", ""])
    with tempfile.TemporaryDirectory(prefix="hapticd-cache-") as cache:
        environment = {} if options.warm else {"HAPTICD_CACHE_DIR": cache}
        if not options.warm:
            seconds, cpu, shown, _, _ = run_once(environment)
            rows.append(["hapticd run, first ever, to ACTIVE", seconds, cpu, f"{shown} lines of progress"])
            report.judge("first run ever, s to ACTIVE", seconds, 90.0)
            report.judge("first run ever without progress", float(shown == 0), 0.0)
        runs = [run_once(environment) for _ in range(3)]
        cached = statistics.median(run[0] for run in runs)
        rows.append(["hapticd run, cached, to ACTIVE", cached, statistics.median(run[1] for run in runs), ""])
        rows.append(["  SIGTERM to exit", statistics.median(run[4] for run in runs), "", ""])
        rows.append(["load a scene, first tick, cached", wall([sys.executable, "-c", WORLD], 3, environment), "", ""])
    memory = runs[-1][3]
    report.table("Start, s of wall time (median) and CPU time", ["", "wall s", "CPU s", ""], rows)
    report.table(
        "Memory, MB (shared pages divided)", ["process", "MB"], [*memory.items(), ["all", sum(memory.values())]]
    )
    report.judge("cached run, s to ACTIVE", cached, 3.0)
    report.save()


def run_once(environment: dict[str, str]) -> tuple[float, float, int, dict[str, float], float]:
    """(s to ACTIVE, s of CPU time, lines of progress, MB per process, s to leave) of one `hapticd run`."""
    before = _children()
    with Daemon(DEMO, environment) as daemon:
        seconds = daemon.until_active()
        time.sleep(2.0)  # the status file names the services
        shown = daemon.log.read_text().count("compiling")
        memory = daemon.memory()
    console.print(f"  run: ACTIVE after {seconds:.2f} s, left in {daemon.left:.2f} s")
    return seconds, _children() - before, shown, memory, daemon.left or 0.0


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def wall(command: Sequence[str | Path], repeats: int, environment: dict[str, str] | None = None) -> float:
    """Median s of a whole process."""
    taken = []
    for _ in range(repeats):
        start = time.monotonic()
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env={**os.environ, **(environment or {})})
        taken.append(time.monotonic() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
