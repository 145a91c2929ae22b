"""Plots of the benchmarks: one look for all, PNG files beside the JSON."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from benchmark import OUT

OURS = "hapticd"
COLOURS = {
    OURS: "#d1495b", "MuJoCo": "#00798c", "Bullet": "#edae49", "PyBullet": "#c9b28f", "ODE": "#66a182",
    "Drake": "#8d6a9f", "coal": "#2e4057", "Qhull": "#9aa0a6",
}  # fmt: skip


def lines(
    name: str,
    title: str,
    labels: tuple[str, str],
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    log: bool = True,
) -> Path:
    """One line per series, ours on top and thicker."""
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    for label, (x, y) in series.items():
        ours = label.startswith(OURS)
        axes.plot(
            x, y, marker="o", markersize=4, label=label, color=COLOURS.get(label),
            linewidth=2.4 if ours else 1.4, zorder=3 if ours else 2,
        )  # fmt: skip
    if log:
        axes.set(xscale="log", yscale="log")
    axes.set(title=title, xlabel=labels[0], ylabel=labels[1])
    axes.grid(alpha=0.3, which="both" if log else "major")
    axes.legend(frameon=False, fontsize=8)
    return _saved(figure, name)


def bars(name: str, title: str, label: str, panels: Mapping[str, Mapping[str, float]]) -> Path:
    """A panel per measure, a bar per engine; logarithmic, since the values span decades."""
    columns = 4
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(11, 2.3 * rows), layout="constrained", squeeze=False)
    for axes, (measure, values) in zip(grid.flat, panels.items(), strict=False):
        axes.bar(list(values), list(values.values()), color=[COLOURS.get(name) for name in values])
        axes.set_title(measure, fontsize=8)
        axes.tick_params(labelsize=7, axis="both")
        axes.tick_params(axis="x", rotation=40)
        if min(values.values()) > 0 and max(values.values()) > 20 * min(values.values()):
            axes.set_yscale("log")
    for axes in list(grid.flat)[len(panels) :]:
        axes.axis("off")
    figure.suptitle(f"{title} ({label})", fontsize=10)
    return _saved(figure, name)


def _saved(figure: plt.Figure, name: str) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{name}.png"
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
