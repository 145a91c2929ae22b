"""A log as arrays for numpy (npz), or as a table for everything else (csv)."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import BODIES, CHANNELS, COMMAND, CONTACTS, DROPOUT, EVENT, HASH, INPUTS, TICK
from hapticd.errors import LogError
from hapticd.logfile import LogReader
from hapticd.logtool.columns import columns, load
from hapticd.logtool.progress import Shown

EXPORTED = (TICK, INPUTS, COMMAND, BODIES, CONTACTS, EVENT, HASH, DROPOUT)  # the rest is for replay only
ROWS_AT_ONCE = 5000


def export(reader: LogReader, path: Path, topics: Collection[str] = ()) -> dict[str, int]:
    """By the file's ending; records per channel. A csv holds one channel (default: /tick)."""
    for topic in topics:
        if topic not in CHANNELS:
            raise LogError(f"no channel is called {topic!r}; there are {', '.join(CHANNELS)}")
    if path.suffix == ".npz":
        return _export_npz(reader, path, topics or EXPORTED)
    if path.suffix == ".csv":
        if len(topics) > 1:
            raise LogError(f"{path}: a csv holds one channel, not {len(topics)}; use npz, or call it once for each")
        return _export_csv(reader, path, next(iter(topics), TICK))
    raise LogError(f"{path}: exported are .npz and .csv, not {path.suffix!r}")


def _export_npz(reader: LogReader, path: Path, topics: Collection[str]) -> dict[str, int]:
    """Arrays are called CHANNEL.FIELD: tick.wrench_sent, bodies.body_position."""
    tables = load(reader, topics)
    arrays = {f"{t[1:]}.{name}": array for t, table in tables.items() for name, array in columns(table).items()}
    np.savez_compressed(path, allow_pickle=False, **arrays)
    return {topic: len(table.messages) for topic, table in tables.items()}


def _export_csv(reader: LogReader, path: Path, topic: str) -> dict[str, int]:
    """A row per record; of a channel with a list (bodies, contacts) a row per element. Numbers keep all their bits."""
    table = load(reader, [topic])[topic]
    rows, tail = table.rows, table.layout.tail
    listed = tail is not None and tail.dtype.names is not None
    elements = np.concatenate(table.tails()) if listed and table.messages else None
    if elements is not None:
        rows = np.repeat(rows, [len(t) for t in table.tails()])
    texts = table.texts() if tail is not None and tail.is_text else None
    names = _flat_names(rows) + (_flat_names(elements) if elements is not None else [])
    with path.open("w", newline="") as file, Shown(f"writing {path.name}", len(rows)) as shown:
        writer = csv.writer(file)
        writer.writerow([*names, *([tail.name] if texts is not None and tail is not None else [])])
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            cells = _flat(rows[part]) + (_flat(elements[part]) if elements is not None else [])
            writer.writerows(zip(*cells, *([texts[part]] if texts is not None else []), strict=True))
            shown.at(start)
    return {topic: len(rows)}


def _flat_names(rows: NDArray[Any]) -> list[str]:
    """wrench_sent -> wrench_sent_0 ... wrench_sent_5."""
    names = []
    for name in rows.dtype.names or ():
        count = int(np.prod(rows.dtype[name].shape, dtype=np.int64))
        names += [f"{name}_{i}" for i in range(count)] if rows.dtype[name].shape else [name]
    return names


def _flat(rows: NDArray[Any]) -> list[list[Any]]:
    """One list per column; Python's repr of a float gives the same float back."""
    found: list[list[Any]] = []
    for name in rows.dtype.names or ():
        found += np.ascontiguousarray(rows[name]).reshape(len(rows), -1).T.tolist()
    return found
