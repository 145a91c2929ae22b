"""A log as a picture: where the pointer was, what was felt, in which mode, how punctual. Needs the extra `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import DROPOUT, TICK
from hapticd.errors import HapticdError, LogError
from hapticd.logfile import LogReader
from hapticd.logtool.columns import load
from hapticd.words import MODES

MOST_POINTS = 20_000  # more than a picture has columns; beyond it the extremes of each column are drawn


def figure(rows: int, width: float = 11.0) -> tuple[Any, Any]:
    """A figure of stacked diagrams with one time axis, drawn without a screen."""
    try:
        import matplotlib
    except ImportError as error:
        raise HapticdError("plots need matplotlib: pip install 'hapticd[report]'") from error
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    made, axes = plt.subplots(rows, 1, sharex=True, figsize=(width, 2.1 * rows + 0.6), layout="constrained")
    return made, np.atleast_1d(axes)


def save(made: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    try:
        made.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise LogError(f"{path}: cannot be written: {error}") from error
    finally:
        plt.close(made)


def plot(reader: LogReader, path: Path) -> int:
    """PNG, SVG or PDF by the file's ending; how many ticks were drawn."""
    tables = load(reader, (TICK, DROPOUT))
    rows = tables[TICK].rows
    if not len(rows):
        raise LogError(f"{reader.path}: has no ticks to plot")
    made, axes = figure(5)
    rate = reader.header["rate_hz"]
    t = rows["tick"] / rate
    _lines(axes[0], t, rows["position"] * 1e3, ("x", "y", "z"), "pointer, mm")
    _lines(axes[1], t, rows["wrench_wanted"][:, :3], ("x", "y", "z"), "force wanted, N")
    _lines(axes[2], t, rows["wrench_sent"][:, :3], ("x", "y", "z"), "force sent, N")
    axes[3].step(t, rows["mode"], where="post", lw=0.8)
    axes[3].set_yticks(list(MODES), list(MODES.values()), fontsize=7)
    late = rows["woke_after"] / 1e3
    axes[4].plot(*thinned(t, late), lw=0.6)
    axes[4].set_ylabel("woke late, us")
    axes[4].set_xlabel("s")
    for row in tables[DROPOUT].rows:
        for axis in axes:
            axis.axvspan(row["tick"] / rate, (row["tick"] + row["ticks"]) / rate, color="0.85", lw=0)
    axes[0].set_xlim(t[0], t[-1] if len(t) > 1 else t[0] + 1e-3)
    axes[0].set_title(f"{reader.path.name}: {len(rows)} ticks", fontsize=9, loc="left")
    save(made, path)
    return len(rows)


def _lines(axis: Any, t: NDArray[Any], values: NDArray[Any], names: tuple[str, ...], label: str) -> None:
    for i, name in enumerate(names):
        axis.plot(*thinned(t, values[:, i]), lw=0.7, label=name)
    axis.set_ylabel(label)
    axis.legend(loc="upper right", fontsize=7, ncols=len(names))


def thinned(t: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same curve with at most MOST_POINTS points: lowest and highest of each stretch, so that no peak is lost."""
    stretch = -(-2 * len(t) // MOST_POINTS)
    if stretch <= 2:
        return t, values
    whole = len(t) // stretch * stretch
    blocks = values[:whole].reshape(-1, stretch)
    order = np.sort(np.stack([blocks.argmin(axis=1), blocks.argmax(axis=1)], axis=1), axis=1)
    place = (order + np.arange(len(blocks))[:, None] * stretch).ravel()
    return np.append(t[place], t[whole:]), np.append(values[place], values[whole:])
