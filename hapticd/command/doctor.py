"""`hapticd doctor`: what stands between this machine and hard real time, and a measurement of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hapticd.witness import Blame

MARKS = {"ok": "[green]ok[/]", "weak": "[yellow]weak[/]", "bad": "[red]bad[/]"}
BARS = 40  # letters of the longest bar


@click.command()
@click.option("--seconds", default=5.0, show_default=True, help="Length of the witness test; 0: none.")
@click.option("--rate", default=1000, show_default=True, help="Ticks per second.")
@click.option("--cpu", type=int, help="Core to test on. Default: the last one.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the histogram into this file.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def doctor(seconds: float, rate: int, cpu: int | None, plot: Path | None, as_json: bool) -> None:
    """Say what stands between this machine and hard real time, how to fix it, and measure.

    The measurement is the witness test: an empty loop beside an idle process of higher priority on the same core. A
    late tick that the witness saw, too, is the machine's; one that it did not see is ours.

    Exit code 0: force may be rendered; 1: something is bad.
    """
    import os

    from hapticd.doctor import findings

    found = findings()
    report: dict[str, Any] = {"findings": [vars(one) for one in found]}
    if not as_json:
        _tell(report["findings"])
    if seconds > 0:
        from hapticd.witness import measure

        core = max(os.sched_getaffinity(0)) if cpu is None else cpu
        due, woke, blame = measure(seconds, rate, 80, core)
        late_us = (woke - due) / 1e3
        report["witness"] = {**vars(blame), "core": core, **_percentiles(late_us)}
        if not as_json:
            _draw(late_us, report["witness"], blame)
        if plot:
            _plot(late_us, plot)
    if as_json:
        click.echo(json.dumps(report, indent=1))
    if any(one.grade == "bad" for one in found):
        raise SystemExit(1)


def _tell(found: list[dict[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("", "what", "found", "remedy"):
        table.add_column(name, overflow="fold")
    for one in found:
        table.add_row(MARKS[one["grade"]], one["what"], one["says"], one["remedy"])
    Console().print(table)


def _percentiles(late_us: Any) -> dict[str, float]:
    import numpy as np

    names = {"p50_us": 50, "p99_us": 99, "p99_9_us": 99.9, "max_us": 100}
    return {name: round(float(np.percentile(late_us, share)), 1) for name, share in names.items()}


def _draw(late_us: Any, numbers: dict[str, Any], blame: Blame) -> None:
    """The histogram in the terminal: bins of equal ratio, lengths by the logarithm, so that single late ticks show."""
    import numpy as np

    click.echo(
        f"\nwake-up latency, {blame.ticks} ticks on core {numbers['core']}: p50 {numbers['p50_us']} us, p99 "
        f"{numbers['p99_us']} us, p99.9 {numbers['p99_9_us']} us, max {numbers['max_us']} us"
    )
    edges = [0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, np.inf]
    counts = np.histogram(np.maximum(late_us, 0), edges)[0]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        if count:
            bar = "#" * max(1, round(BARS * np.log1p(count) / np.log1p(counts.max())))
            name = f"{low:g} .. {high:g} us" if high < np.inf else f"over {low:g} us"
            click.echo(f"{name:>18}  {count:8d}  {bar}")
    click.echo(f"overruns: {blame.late}; of them seen by the witness (the machine's): {blame.seen}; ours: {blame.ours}")


def _plot(late_us: Any, path: Path) -> None:
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    bins = np.geomspace(0.5, max(float(late_us.max()), 10.0), 60).tolist()
    axes.hist(np.maximum(late_us, 0.5), bins=bins, color="#4477aa")
    axes.set(xscale="log", yscale="log", xlabel="wake-up latency, us", ylabel="ticks", title="hapticd doctor")
    figure.savefig(path, dpi=120)
    plt.close(figure)
