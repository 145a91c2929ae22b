"""The recorder: every tick of the ring into a log, in a process of its own that the servo never waits for.

    ring slots ──┐
    journals   ──┼─► poll, every 20 ms ─► slotrecord ─► LogWriter ─► Sink ─► disk, at least every 250 ms
    snapshots  ──┘

What can go wrong is data, too. A disk that is slow holds this process up, and the ring absorbs more than two seconds;
a disk that is full makes it stop reading until there is room. Either way, ticks that the ring had to overwrite become
a /dropout record and an event, and the log goes on. A log is never written over; a recorder that is started again
writes a new one.

The order in the file is that of the ticks: inputs k, tick k, then hash and snapshot of the state after tick k.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hapticd.channel import (
    CHANNELS,
    DROP_WORDS,
    DROPOUT,
    DROPPED_FULL,
    DROPPED_GONE,
    DROPPED_LATE,
    EVENT,
    HASH,
    MODEL,
    SNAPSHOT,
    TICK,
)
from hapticd.config import Record
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import EVENT_RECORD
from hapticd.logfile import LogWriter
from hapticd.logsink import Sink
from hapticd.ring import Ring, SlotArray
from hapticd.slotrecord import packed_slots
from hapticd.snapshot import Snapshots, digest

POLL = 0.02  # s between looks at the ring
SLOTS_AT_ONCE = 128
RETRY = 0.5  # s between tries at a full disk
FLUSH_SHARE = 0.6  # of the allowed time: the rest is for the poll, the write and a busy machine

Model = tuple[int, bytes]  # arena, its bytes


class Recorder:
    """One log of one ring. `model(generation)` gives the scene's arena whenever the generation changes."""

    def __init__(
        self,
        ring: Ring,
        path: Path,
        settings: Record,
        head: tuple[Mapping[str, Any], Mapping[str, bytes | str]],
        model: Callable[[int], Model] | None = None,
    ) -> None:
        self.ring, self.settings, self.model = ring, settings, model
        self.rate = int(ring.note["slot"]["rate_hz"])
        self.sink = Sink(path)
        self.wall_offset = time.time_ns() - time.monotonic_ns()
        header = {
            **head[0],
            "wall_offset_ns": self.wall_offset,
            "rate_hz": self.rate,
            "body_ticks": settings.body_ticks,
        }
        self.log = LogWriter(self.sink, header, head[1])  # type: ignore[arg-type]
        self.cursor = 0  # the tick to read next
        self.recorded = self.dropped = 0
        self.snapshots = Snapshots(ring.memory.tree["snapshot"]) if "snapshot" in ring.memory.tree else None
        self._buffer = ring.empty(SLOTS_AT_ONCE)
        self._due: deque[tuple[int, bytes]] = deque()  # snapshots whose tick is not yet written
        self._snapshot_seen, self._snapshot_kept = -(2**62), -(2**62)
        self._generation, self._has_model = -1, False
        self._event = [0, 0, 0]
        self._reason = DROPPED_GONE  # of the next gap
        self._last_flush, self._last_try = time.monotonic(), 0.0

    def poll(self) -> int:
        """Record what is new; how many ticks that was."""
        if self.sink.stuck and not self._retry():
            return 0
        start = self.recorded
        while self._read() == SLOTS_AT_ONCE and not self.sink.stuck:
            self._flush_when_due()
        self._write_events()
        self._flush_when_due()
        return self.recorded - start

    def close(self) -> None:
        """The last ticks, the index, the end. On a full disk the file ends early and can be recovered."""
        self.poll()
        if not self.sink.stuck:
            self.log.close()
            self.sink.drain()
        self.sink.close()

    def _read(self) -> int:
        first, count = self.ring.read_from(self.cursor, self._buffer)
        if not count:
            return 0
        self._queue_snapshots()
        if first > self.cursor:
            self._write_dropout(self.cursor, first - self.cursor, self._reason)
            self._due = deque(found for found in self._due if found[0] >= first - 1)  # no tick follows the others
        self._reason = DROPPED_LATE
        self.cursor = first
        slots = self._buffer[:count]
        time_of = dict(zip(slots["tick"].tolist(), slots["time"][:, g.TIME_DUE].tolist(), strict=True))
        scenes = self._new_scenes(slots)
        for tick, topic, data in packed_slots(slots, self.settings.body_ticks):
            if tick in scenes and not self._has_model:  # in front of the first snapshot, which belongs to it
                self._write_model(tick, scenes.pop(tick))
            if self._due and self._due[0][0] < tick:
                self._write_snapshots(tick)
            if tick in scenes:
                self._write_model(tick, scenes.pop(tick))
            self.log.add(topic, time_of[tick] + self.wall_offset, data)
            self.recorded += topic == TICK
        self.cursor = first + count
        self._write_snapshots(self.cursor)
        return count

    def _queue_snapshots(self) -> None:
        """What the servo has copied aside since; of those for ticks not yet written, the order is kept."""
        while self.snapshots is not None and (found := self.snapshots.read(self._snapshot_seen)):
            self._snapshot_seen = found[0]
            self._due.append(found)

    def _write_snapshots(self, before: int) -> None:
        """Hash of each, and the whole of one every few seconds."""
        while self._due and self._due[0][0] < before:
            tick, data = self._due.popleft()
            now = time.monotonic_ns()
            row = np.zeros(1, CHANNELS[HASH].head)
            row["tick"], row["time"], row["digest"] = tick, now, np.frombuffer(digest(data), np.uint8)
            self.log.add(HASH, now + self.wall_offset, CHANNELS[HASH].pack(row)[0])
            if tick - self._snapshot_kept >= self.settings.snapshot * self.rate:
                self._snapshot_kept = tick
                self._add(SNAPSHOT, (tick, now), data)

    def _new_scenes(self, slots: SlotArray) -> dict[int, int]:
        """Tick and generation wherever the scene is another one than in the tick before."""
        if self.model is None:
            return {}
        generations = slots["word"][:, g.WORD_GENERATION]
        before = np.concatenate([[self._generation], generations[:-1]])
        self._generation = int(generations[-1])
        changed = np.flatnonzero(generations != before)
        return dict(zip(slots["tick"][changed].tolist(), generations[changed].tolist(), strict=True))

    def _write_model(self, tick: int, generation: int) -> None:
        assert self.model is not None
        self._has_model = True
        arena, data = self.model(generation)
        self._add(MODEL, (tick, time.monotonic_ns(), generation, arena), data)
        self._snapshot_kept = -(2**62)  # a replay can start in the new scene

    def _write_dropout(self, tick: int, count: int, reason: int) -> None:
        self.dropped += count
        now = time.monotonic_ns()
        row = np.array([(tick, now, count, reason)], CHANNELS[DROPOUT].head)
        self.log.add(DROPOUT, now + self.wall_offset, CHANNELS[DROPOUT].pack(row)[0])
        self._report(reason, f"{count} ticks are not in the log: {DROP_WORDS[reason]}", tick, count)

    def _write_events(self) -> None:
        journals = (self.ring.servo_journal, self.ring.supervisor_journal, self.ring.recorder_journal)
        for source, journal in enumerate(journals):
            number = self._event[source]
            rows, self._event[source], _ = journal.since(number)
            for row in rows:
                head = (
                    row["tick"],
                    row["time"],
                    int(row["sequence"]) - 1,
                    row["value"],
                    row["kind"],
                    row["code"],
                    source,
                )
                self._add(EVENT, head, bytes(row["text"]))

    def _add(self, topic: str, head: tuple[Any, ...], tail: bytes) -> None:
        layout = CHANNELS[topic]
        self.log.add(topic, int(head[1]) + self.wall_offset, layout.pack_with(np.array(head, layout.head), tail))

    def _flush_when_due(self) -> None:
        now = time.monotonic()
        if now - self._last_flush < self.settings.flush_ms * 1e-3 * FLUSH_SHARE:
            return
        self._last_flush = now
        self.log.flush()
        if not self.sink.drain():
            self._reason = DROPPED_FULL
            self._report(DROPPED_FULL, f"recording waits: {self.sink.path.name}: {self.sink.error}", self.cursor, 0)

    def _retry(self) -> bool:
        now = time.monotonic()
        if now - self._last_try < RETRY:
            return False
        self._last_try = now
        if not self.sink.drain():
            return False
        self._report(0, "recording goes on", self.cursor, 0)
        return True

    def _report(self, code: int, text: str, tick: int, count: int) -> None:
        """An event of ours, if the ring may be written to."""
        journal = self.ring.recorder_journal
        if journal.rows.flags.writeable:
            number = int(journal.sequence.max())
            event = (time.monotonic_ns(), tick, EVENT_RECORD, code, (tick, count, 0.0, 0.0), text.encode()[:95])
            journal.write(number, event)


def run(recorder: Recorder, ended: Callable[[], bool]) -> None:
    """Record until SIGTERM, Ctrl-C or `ended`; then the log is closed."""
    stop: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop.append(number))
    while not stop and not ended():
        recorder.poll()
        time.sleep(POLL)
    recorder.close()
