"""What is in a log: how long, of which run, how well it went, what is missing. For `hapticd log info`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import (
    CHANNELS,
    COMMAND,
    DROP_WORDS,
    DROPOUT,
    EVENT,
    HASH,
    INPUTS,
    SNAPSHOT,
    TICK,
)
from hapticd.kernel.guard.states import EVENT_MODE
from hapticd.logfile import LogReader
from hapticd.logtool.progress import shown_chunks
from hapticd.words import CAUSES, EVENTS, MODES, limit_names


def describe(reader: LogReader) -> dict[str, Any]:
    """Everything worth knowing, as plain numbers and texts; one pass over the file."""
    count: Counter[str] = Counter()
    kept: dict[str, list[bytes]] = {topic: [] for topic in (TICK, DROPOUT, EVENT, HASH, SNAPSHOT)}
    for chunk in shown_chunks(reader, "reading"):
        count.update(message.topic for message in chunk)
        for message in chunk:
            if message.topic in kept:
                # Of a snapshot the tick is enough.
                data = message.data
                kept[message.topic].append(data if message.topic != SNAPSHOT else data[: CHANNELS[SNAPSHOT].size + 4])
    rows = {topic: CHANNELS[topic].unpack(messages) for topic, messages in kept.items()}
    return {
        "file": str(reader.path),
        "bytes": reader.size,
        "closed": reader.closed,
        "damage": None if reader.damage is None else str(reader.damage),
        **_ticks(rows[TICK], reader),
        "dropouts": [
            {"tick": int(row["tick"]), "ticks": int(row["ticks"]), "why": DROP_WORDS.get(int(row["reason"]), "?")}
            for row in rows[DROPOUT]
        ],
        "inputs": count[INPUTS],
        "commands": count[COMMAND],
        "hashes": len(rows[HASH]),
        "snapshots": rows[SNAPSHOT]["tick"].tolist(),
        "events": _events(rows[EVENT], kept[EVENT]),
        "build": reader.header.get("build", {}),
        "device": reader.header.get("device", {}),
        "seed": reader.header.get("seed"),
        "files": {name: len(content) for name, content in reader.files.items()},
    }


def _ticks(rows: NDArray[Any], reader: LogReader) -> dict[str, Any]:
    if not len(rows):
        return {"ticks": 0}
    seconds = len(rows) / reader.header["rate_hz"]
    return {
        "ticks": len(rows),
        "first_tick": int(rows["tick"][0]),
        "last_tick": int(rows["tick"][-1]),
        "seconds": seconds,
        "bytes_per_minute": round(reader.size / seconds * 60),
        "started": (int(rows["time"][0]) + int(reader.header["wall_offset_ns"])) / 1e9,
        "force_peak": float(np.linalg.norm(rows["wrench_sent"][:, :3], axis=1).max()),
        "torque_peak": float(np.linalg.norm(rows["wrench_sent"][:, 3:], axis=1).max()),
        "modes": {MODES.get(mode, str(mode)): n for mode, n in Counter(rows["mode"].tolist()).items()},
        "limits": limit_names(int(np.bitwise_or.reduce(rows["limits"]))),
        "overruns": int(rows["overruns"][-1] - rows["overruns"][0]),
        "skipped": int(rows["skipped"][-1] - rows["skipped"][0]),
        "missed_samples": int(rows["missed"][-1] - rows["missed"][0]),
        "refused_samples": int(rows["refused"][-1] - rows["refused"][0]),
        "wake_us": _percentiles(rows["woke_after"]),
        "tick_us": _percentiles(rows["written_after"] - rows["woke_after"]),
    }


def _percentiles(nanoseconds: NDArray[np.int64]) -> dict[str, float]:
    values = np.percentile(nanoseconds, [50, 99, 99.9, 100]) / 1e3
    return dict(zip(("p50", "p99", "p99.9", "max"), values.round(1).tolist(), strict=True))


def _events(rows: NDArray[Any], messages: list[bytes]) -> list[dict[str, Any]]:
    found = []
    for row, data in zip(rows, messages, strict=True):
        kind = int(row["kind"])
        event = {"tick": int(row["tick"]), "kind": EVENTS.get(kind, str(kind)), "code": int(row["code"])}
        if kind == EVENT_MODE:
            event["from"], event["to"] = (MODES.get(int(v), str(v)) for v in row["value"][:2])
            event["cause"] = CAUSES.get(int(row["code"]), "?")
        if text := CHANNELS[EVENT].text(data):
            event["text"] = text
        found.append(event)
    return found
