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
        measured = sorted({place for x, _ in series.values() for place in x})
        axes.set_xticks(measured, [f"{place:g}" for place in measured])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter("{x:g}")
    axes.set(title=title, xlabel=labels[0], ylabel=labels[1])
    axes.grid(alpha=0.3, which="both" if log else "major")
    axes.legend(frameon=False, fontsize=8)
    return _saved(figure, name)


def bars(name: str, title: str, panels: Mapping[str, Mapping[str, float]], floors: Mapping[str, float]) -> Path:
    """A panel per measure, a bar per engine; logarithmic where values span decades, down to what counts as nothing."""
    columns = 4
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(11, 2.3 * rows), layout="constrained", squeeze=False)
    for axes, (measure, values) in zip(grid.flat, panels.items(), strict=False):
        axes.bar(list(values), list(values.values()), color=[COLOURS.get(name, "#9aa0a6") for name in values])
        axes.set_title(measure, fontsize=8)
        axes.tick_params(labelsize=7, axis="both")
        axes.tick_params(axis="x", rotation=40)
        low, high = floors[measure], max(values.values())
        if high > 20 * max(low, min(values.values())):
            axes.set_yscale("log")
            axes.set_ylim(0.5 * max(low, min(values.values())), 2 * high)
        elif high < low:
            axes.set_ylim(0, low)  # no difference that counts
        for place, value in enumerate(values.values()):
            bottom, top = axes.get_ylim()
            if value <= (bottom if axes.get_yscale() == "log" else 0.01 * top):  # no bar to be seen, yet measured
                axes.text(place, 0.03, "~0", transform=axes.get_xaxis_transform(), ha="center", fontsize=7)
    for axes in list(grid.flat)[len(panels) :]:
        axes.axis("off")
    figure.suptitle(title, fontsize=10)
    return _saved(figure, name)


def _saved(figure: plt.Figure, name: str) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{name}.png"
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
