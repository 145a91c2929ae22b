"""Where two records of the same ticks differ: the first tick and field, and by how much. For `log diff` and replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import GUARD, INPUT_WORDS, INPUTS, POINTER, TICK, WORDS, WRENCHES
from hapticd.logfile import LogReader
from hapticd.logtool.columns import load

# What a replay must give back bit for bit, in the order in which a tick makes it: the first that differs is the cause.
# Times are not among them, nor whether the run had real-time priority, nor the outlines, which are drawn for people.
COMPARED = (
    *(name for name, _ in POINTER),
    *WRENCHES,
    *GUARD,
    *(name for name in WORDS if name not in ("realtime", "points")),
)
COMPARED_INPUTS = (*INPUT_WORDS, "sample")


@dataclass(frozen=True)
class Difference:
    """The first place where one field differs."""

    tick: int
    field: str
    index: int  # cell of the field
    theirs: float
    ours: float
    ticks: int  # in how many ticks this field differs

    def __str__(self) -> str:
        cell = f"{self.field}[{self.index}]" if self.index >= 0 else self.field
        return f"tick {self.tick}: {cell} is {self.ours!r}, recorded {self.theirs!r} ({self.ours - self.theirs:+.3g})"


def differences(theirs: NDArray[Any], ours: NDArray[Any], fields: Sequence[str] = COMPARED) -> list[Difference]:
    """One per field that differs anywhere, by its bits (NaN equals NaN, 0.0 is not -0.0), the earliest first."""
    found = []
    for name in fields:
        a, b = _bits(theirs[name]), _bits(ours[name])
        unequal = (a != b).any(axis=1)
        if unequal.any():
            i = int(np.argmax(unequal))
            cell = int(np.argmax(a[i] != b[i]))
            values = np.reshape(theirs[name][i], -1)[cell], np.reshape(ours[name][i], -1)[cell]
            index = cell if theirs.dtype[name].shape else -1
            found.append(
                Difference(int(theirs["tick"][i]), name, index, values[0].item(), values[1].item(), int(unequal.sum()))
            )
    return sorted(found, key=lambda d: (d.tick, fields.index(d.field)))


def _bits(column: NDArray[Any]) -> NDArray[np.int64]:
    return np.ascontiguousarray(column).reshape(len(column), -1).view(np.int64)


def diff(one: LogReader, other: LogReader) -> dict[str, Any]:
    """Two logs, tick by tick where both have the tick: headers, inputs, outputs."""
    tables = [load(reader, (TICK, INPUTS)) for reader in (one, other)]
    ticks = [table[TICK].rows for table in tables]
    inputs = [table[INPUTS].rows for table in tables]
    common, a, b = np.intersect1d(ticks[0]["tick"], ticks[1]["tick"], return_indices=True)
    _, c, d = np.intersect1d(inputs[0]["tick"], inputs[1]["tick"], return_indices=True)
    return {
        "files": [str(one.path), str(other.path)],
        "ticks": [len(rows) for rows in ticks],
        "common_ticks": len(common),
        "header": _header_differences(one, other),
        "inputs": differences(inputs[0][c], inputs[1][d], COMPARED_INPUTS),
        "outputs": differences(ticks[0][a], ticks[1][b]),
        "largest": _largest(ticks[0][a], ticks[1][b]),
    }


def _header_differences(one: LogReader, other: LogReader) -> dict[str, list[str]]:
    """What the two runs were made of: build and files."""
    found = {}
    builds = one.header.get("build", {}), other.header.get("build", {})
    for key in sorted({*builds[0], *builds[1]}):
        if builds[0].get(key) != builds[1].get(key):
            found[f"build.{key}"] = [str(build.get(key)) for build in builds]
    for name in sorted({*one.files, *other.files} - {"header.json"}):
        if one.files.get(name) != other.files.get(name):
            found[name] = [
                f"{len(f)} bytes" if f is not None else "none" for f in (one.files.get(name), other.files.get(name))
            ]
    return found


def _largest(a: NDArray[Any], b: NDArray[Any]) -> dict[str, float]:
    """Of position, force and torque, in their units."""
    if not len(a):
        return {}
    return {
        "position_m": float(np.abs(a["position"] - b["position"]).max()),
        "force_N": float(np.abs(a["wrench_sent"][:, :3] - b["wrench_sent"][:, :3]).max()),
        "torque_Nm": float(np.abs(a["wrench_sent"][:, 3:] - b["wrench_sent"][:, 3:]).max()),
    }
