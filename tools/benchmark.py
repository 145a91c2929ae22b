"""What the benchmarks share: interleaved repeats on one pinned core, ratios, tables, JSON.

    subjects = [Subject("ours", run), Subject("coal", run_coal)]      # run(n) does the thing n times
    times = interleave(subjects, repeats=5)
    times["ours"].median, ratio(times["ours"], times["coal"])

Absolute times on a shared machine are noise. So the subjects take turns, each repeat of one next to a repeat of the
other, and a ratio is the median of the ratios of neighbours. CPU time, so that another process costs cache misses at
the most.
"""

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

OUT = Path(__file__).resolve().parents[1] / "out" / "bench"
CHUNKS = 40  # timed pieces of one repeat: the p99 is theirs
console = Console(width=None if sys.stdout.isatty() else 120)


@dataclass(frozen=True)
class Subject:
    name: str
    run: Callable[[int], object]  # do it n times


@dataclass
class Timing:
    """Microseconds of CPU time per operation."""

    name: str
    medians: list[float] = field(default_factory=list)  # one per repeat
    chunks: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.medians)

    @property
    def p99(self) -> float:
        return sorted(self.chunks)[int(0.99 * (len(self.chunks) - 1))]


def pin() -> int:
    """This process on one core, the last it may use; the number of it."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def interleave(
    subjects: Sequence[Subject], repeats: int = 5, seconds: float = 0.2, label: str = ""
) -> dict[str, Timing]:
    """Every subject once per repeat, for about `seconds` each."""
    times = {subject.name: Timing(subject.name) for subject in subjects}
    counts = {subject.name: _count_for(subject, seconds / CHUNKS) for subject in subjects}
    quiet = not console.is_terminal
    for _ in track(range(repeats), label or "measuring", console=console, transient=True, disable=quiet):
        for subject in subjects:
            n = counts[subject.name]
            chunk = [_one(subject.run, n) for _ in range(CHUNKS)]
            times[subject.name].medians.append(statistics.median(chunk))
            times[subject.name].chunks += chunk
    return times


def _one(run: Callable[[int], object], n: int) -> float:
    start = time.process_time_ns()
    run(n)
    return (time.process_time_ns() - start) / n / 1e3


def _count_for(subject: Subject, seconds: float) -> int:
    """How many operations take about so long; also warms it up."""
    n = 1
    while True:
        start = time.process_time()
        subject.run(n)
        taken = time.process_time() - start
        if taken >= seconds / 2 or n >= 1 << 24:
            return max(1, int(n * seconds / max(taken, 1e-9)))
        n *= 4


def ratio(ours: Timing, peer: Timing) -> float:
    return statistics.median(a / b for a, b in zip(ours.medians, peer.medians, strict=True))


@dataclass
class Report:
    """Tables and judgements of one benchmark, printed as they come and written as JSON at the end."""

    name: str
    data: dict[str, Any] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        table = Table(title=title, title_justify="left", header_style="bold")
        for k, column in enumerate(columns):
            table.add_column(column, justify="left" if k == 0 else "right")
        listed = [list(row) for row in rows]
        for row in listed:
            table.add_row(*(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row))
        console.print(table)
        self.data.setdefault("tables", {})[title] = {"columns": list(columns), "rows": listed}

    def judge(self, what: str, value: float, limit: float) -> None:
        """A target of the form value <= limit."""
        met = value <= limit
        if not met:
            self.missed.append(what)
        mark = "[green]met   [/]" if met else "[red]missed[/]"
        console.print(f"  {mark} {what}: {value:.3g}, target at most {limit:g}")
        self.data.setdefault("targets", []).append({"what": what, "value": value, "limit": limit, "met": met})

    def missing(self, names: Mapping[str, str]) -> None:
        """Peers that are not here, with the reason: said, and kept in the JSON."""
        self.data["missing"] = dict(names)
        for name, reason in names.items():
            console.print(f"  [yellow]without {name}[/]: {reason}")

    def fit(self, what: str, x: Sequence[float], y: Sequence[float]) -> float:
        """A straight line through the points; prints and keeps it, returns R^2."""
        slope, offset = statistics.linear_regression(x, y)
        squared = statistics.correlation(x, y) ** 2
        console.print(f"  {what}: {offset:.3g} + {slope:.3g} x, R2 {squared:.4f}")
        self.data.setdefault("fits", {})[what] = {"offset": offset, "slope": slope, "r2": squared}
        return squared

    def save(self, **versions: str) -> Path:
        """Write OUT/<name>.json with the machine and the versions."""
        OUT.mkdir(parents=True, exist_ok=True)
        self.data["about"] = {
            "date": date.today().isoformat(),
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            **versions,
        }
        path = OUT / f"{self.name}.json"
        path.write_text(json.dumps(self.data, indent=1, default=float) + "\n")
        console.print(f"written: {path.relative_to(OUT.parents[1])}")
        return path


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
