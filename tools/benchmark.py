"""What the benchmarks share: interleaved repeats on one pinned core, ratios, tables, JSON.

    def boxes() -> list[Subject]:                          # made anew for every repeat; run(n) does the thing n times
        return [Subject("ours", run), Subject("coal", run_coal)]

    times = interleave({"boxes": boxes, "hulls": hulls}, repeats=5)
    ratio(times["boxes"]["ours"], times["boxes"]["coal"])

Absolute times on a shared machine are noise: here a neighbour on the same core slows one program by 1.9 and another by
1.4, for seconds up to a minute. So the subjects take turns every few milliseconds, a repeat of one case is followed by
the other cases before its next repeat, and a cost is that of the quickest repeat: noise only ever adds. CPU time, so
that another process costs cache misses at the most.
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
CHUNKS = 40  # timed pieces of a subject in one repeat: a repeat's cost is their median
CHUNK_SECONDS = 0.003  # of each, where the subject does not say how many operations
CHANGE = 0.25  # a ratio may differ by this much from that of the run before
console = Console(width=None if sys.stdout.isatty() else 120)


@dataclass(frozen=True)
class Subject:
    name: str
    run: Callable[[int], object]  # do it n times
    count: int = 0  # operations in a chunk, where each chunk is another work; 0: what takes CHUNK_SECONDS


@dataclass
class Timing:
    """Microseconds of CPU time per operation."""

    name: str
    medians: list[float] = field(default_factory=list)  # of the chunks of each repeat
    chunks: list[float] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """Of the quickest repeat."""
        return min(self.medians)

    @property
    def p99(self) -> float:
        """Of all chunks, with what the neighbours did to them."""
        return sorted(self.chunks)[int(0.99 * (len(self.chunks) - 1))]


Case = Callable[[], Sequence[Subject]]


def pin() -> int:
    """This process on one core, the last it may use; the number of it."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def interleave(
    cases: Mapping[str, Case], repeats: int = 5, chunks: int = CHUNKS, label: str = "measuring"
) -> dict[str, dict[str, Timing]]:
    """Every case once per repeat, and in it every subject's chunks by turns; by case and subject."""
    times: dict[str, dict[str, Timing]] = {name: {} for name in cases}
    turns = [name for _ in range(repeats) for name in cases]
    for name in track(turns, label, console=console, transient=True, disable=not console.is_terminal):
        for subject, taken in _take_turns(cases[name](), chunks).items():
            timing = times[name].setdefault(subject, Timing(subject))
            timing.medians.append(statistics.median(taken))
            timing.chunks += taken
    return times


def _take_turns(subjects: Sequence[Subject], chunks: int) -> dict[str, list[float]]:
    counts = [subject.count or _count_for(subject, CHUNK_SECONDS) for subject in subjects]
    taken: dict[str, list[float]] = {subject.name: [] for subject in subjects}
    for _ in range(chunks):
        for subject, count in zip(subjects, counts, strict=True):
            taken[subject.name].append(_one(subject.run, count))
    return taken


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
    return ours.cost / peer.cost


@dataclass
class Report:
    """Tables and judgements of one benchmark, printed as they come and written as JSON at the end."""

    name: str
    data: dict[str, Any] = field(default_factory=dict)

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

    def ratio(self, what: str, value: float) -> None:
        """Ours over a peer's: what a stranger should find again, so the next run is compared with it."""
        self.data.setdefault("ratios", {})[what] = value

    def save(self, **versions: str) -> Path:
        """Write OUT/<name>.json with the machine and the versions; says how the ratios differ from the file before."""
        OUT.mkdir(parents=True, exist_ok=True)
        self.data["about"] = {
            "date": date.today().isoformat(),
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            **versions,
        }
        path = OUT / f"{self.name}.json"
        if path.exists():
            self._compare(json.loads(path.read_text()).get("ratios", {}))
        path.write_text(json.dumps(self.data, indent=1, default=float) + "\n")
        console.print(f"written: {path.relative_to(OUT.parents[1])}")
        return path

    def _compare(self, before: Mapping[str, float]) -> None:
        changes = {what: value / before[what] for what, value in self.data.get("ratios", {}).items() if what in before}
        if not changes:
            return
        self.data["changes"] = changes
        far = {what: change for what, change in changes.items() if not 1 / (1 + CHANGE) <= change <= 1 + CHANGE}
        console.print(f"  {len(changes) - len(far)} of {len(changes)} ratios within {CHANGE:.0%} of the run before")
        for what, change in far.items():
            console.print(f"  [yellow]{change:.2f} x the run before[/]: {what}")


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
