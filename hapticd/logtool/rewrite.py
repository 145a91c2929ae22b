"""A log into another log: `recover` leaves out what is damaged, `cut` leaves out what is not wanted.

Both write a whole, closed file with the header of the old one. What is missing afterwards is a /dropout record, so no
reader takes a hole for a pause.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hapticd.channel import CHANNELS, DROPOUT, DROPPED_CUT, DROPPED_DAMAGE, HASH, INPUTS, MODEL, SNAPSHOT, TICK, tick_of
from hapticd.errors import LogError
from hapticd.logfile import HEADER_NAME, LogReader, LogWriter, Message
from hapticd.logsink import Sink
from hapticd.logtool.progress import shown_chunks


@dataclass(frozen=True)
class Rewritten:
    """What became of it."""

    ticks: int
    lost_ticks: int  # in the middle; how many the damage took at the end nobody knows
    damage: str | None
    first_tick: int
    last_tick: int


@contextmanager
def new_log(path: Path, old: LogReader, **more: Any) -> Iterator[LogWriter]:
    """A log with the old one's header and files; removed again when writing it fails."""
    header = {key: value for key, value in old.header.items() if key not in ("format", "files")}
    files = {name: content for name, content in old.files.items() if name != HEADER_NAME}
    sink = Sink(path)
    try:
        writer = LogWriter(sink, {**header, **more}, files)  # type: ignore[arg-type]
        yield writer
        writer.close()
        if not sink.drain():
            raise LogError(f"{path}: cannot be written: {sink.error}")
    except BaseException:
        path.unlink()
        raise
    finally:
        sink.close()


def recover(old: LogReader, path: Path) -> Rewritten:
    """All that is whole in a damaged or cut log, as a closed log."""
    count = lost = 0
    first, expected = -1, -1
    with new_log(path, old, recovered_from=old.path.name) as writer:
        for chunk in shown_chunks(old, "recovering", skip_damage=True):
            for message in chunk:
                if message.topic == DROPOUT:
                    row = _row(message)
                    expected = max(expected, int(row["tick"] + row["ticks"]))
                elif message.topic == INPUTS:
                    tick = tick_of(message.data)
                    if 0 <= expected < tick:
                        lost += tick - expected
                        _note_gap(writer, message, expected, tick - expected, DROPPED_DAMAGE)
                    first = tick if first < 0 else first
                    expected = tick + 1
                    count += 1
                writer.add(*message)
            _keep_small(writer)
    return Rewritten(count, lost, None if old.damage is None else str(old.damage), first, expected - 1)


def cut(old: LogReader, path: Path, first: int, last: int) -> Rewritten:
    """The ticks first..last; it begins at the last snapshot before `first`, so that it can be replayed."""
    start, needed = _start_of(old, first)
    count, seen = 0, start - 1
    with new_log(path, old, cut_from=old.path.name) as writer:
        if start > 0 and needed:
            _note_gap(writer, needed[-1], 0, start, DROPPED_CUT)
        for message in needed:
            writer.add(*message)
        for chunk in shown_chunks(old, "cutting"):
            for message in chunk:
                tick = tick_of(message.data)
                if not start <= tick <= last or (message in needed):
                    continue
                count += message.topic == TICK
                seen = max(seen, tick)
                writer.add(*message)
            _keep_small(writer)
    if seen < first:
        path.unlink()
        raise LogError(f"{old.path}: no tick of {first}..{last} is in it; see `hapticd log info`")
    return Rewritten(count, 0, None if old.damage is None else str(old.damage), start, seen)


def _start_of(old: LogReader, first: int) -> tuple[int, list[Message]]:
    """Where a cut has to begin, and the messages before it that a replay needs: model, hash and snapshot."""
    model: list[Message] = []
    snapshot: list[Message] = []
    hashed: list[Message] = []
    start = first
    for chunk in shown_chunks(old, "looking through"):
        for message in chunk:
            if message.topic not in (MODEL, HASH, SNAPSHOT):
                continue
            tick = tick_of(message.data)
            if tick >= first:
                continue
            if message.topic == MODEL:
                model = [message]
            elif message.topic == HASH:
                hashed = [message]
            else:
                snapshot, start = [*model, *hashed, message], tick + 1
    return start, snapshot


def _row(message: Message) -> Any:
    return CHANNELS[message.topic].unpack([message.data])[0]


def _note_gap(writer: LogWriter, before: Message, tick: int, count: int, reason: int) -> None:
    row = np.array([(tick, _row(before)["time"], count, reason)], CHANNELS[DROPOUT].head)
    writer.add(DROPOUT, before.time, CHANNELS[DROPOUT].pack(row)[0])


def _keep_small(writer: LogWriter) -> None:
    """Bytes to the disk as they come; the sink would keep all of a long log in memory."""
    assert isinstance(writer.stream, Sink)
    if not writer.stream.drain(sync=False):
        raise LogError(f"{writer.stream.path}: cannot be written: {writer.stream.error}")
