"""Exact replay: the log is the device. Every recorded tick again, as fast as the machine can, compared bit by bit.

    /snapshot ─► state      /inputs, /command ─► kernel ─► wrench, guard, pointer   == /tick ?
                                                └► state hash                       == /hash ?
    raw bytes ─► decode == sample ?      wrench sent ─► encode == rendered, bytes ?      (driverrun.py)

It starts at the first snapshot, or at the one asked for, goes by tick, and starts afresh at the snapshot behind a
dropout. The result is "identical over N ticks", or the first tick and field that differ, and the likely cause.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.build import build
from hapticd.channel import CHANNELS, COMMAND, DROPOUT, HASH, INPUTS, MODEL, SNAPSHOT, TICK, tick_of
from hapticd.driverrun import DriverRun, recorded_driver
from hapticd.errors import LogError
from hapticd.logfile import LogReader, Message
from hapticd.logtool.difference import Difference, differences
from hapticd.logtool.progress import shown_chunks
from hapticd.rerun import BATCH, Rerun
from hapticd.slotrecord import tick_rows
from hapticd.snapshot import digest


@dataclass
class Verdict:
    """What a replay found."""

    ticks: int = 0  # compared
    first_tick: int = -1
    last_tick: int = -1
    hashes: int = 0  # compared
    starts: list[int] = field(default_factory=list)  # snapshots that were put back
    differences: list[Difference] = field(default_factory=list)
    hash_differs: int | None = None  # the first tick whose state hash differs
    where: str = ""  # the array of the state that differs there, if a snapshot tells
    causes: list[str] = field(default_factory=list)
    damage: str | None = None

    @property
    def identical(self) -> bool:
        return not self.differences and self.hash_differs is None

    def __str__(self) -> str:
        if self.identical:
            return (
                f"identical over {self.ticks} ticks ({self.first_tick}..{self.last_tick}), {self.hashes} state hashes"
            )
        if self.differences:
            return f"differs: {self.differences[0]}"
        place = f" in {self.where}" if self.where else ""
        return f"differs: the state hash after tick {self.hash_differs}{place}, though all recorded fields agree"


class Replay:
    """One pass over a log."""

    def __init__(
        self, reader: LogReader, start: int | None = None, end: int | None = None, driver: bool = True
    ) -> None:
        """Ticks start..end-1: from the last snapshot before `start` on; the whole log by default."""
        self.reader, self.end = reader, end
        self.world = Rerun(reader.header)
        self.driver = DriverRun(recorded_driver(reader.header)) if driver else None
        self.start = self._snapshot_before(start) if start is not None else None
        self.verdict = Verdict()
        self._next: int | None = None  # the tick that the state is ready for; None: no state yet
        self._arena = 0
        self._inputs: list[bytes] = []
        self._ticks: list[bytes] = []
        self._commands: dict[int, list[NDArray[np.float64]]] = {}

    def run(self) -> Verdict:
        """All of it, or up to the first difference."""
        for chunk in shown_chunks(self.reader, "replaying"):
            for message in chunk:
                self._take(message)
            if not self.verdict.identical:
                break
        self._run_pending()
        verdict = self.verdict
        verdict.damage = None if self.reader.damage is None else str(self.reader.damage)
        if not verdict.ticks:
            raise LogError(f"{self.reader.path}: no tick could be replayed: it has no snapshot with ticks behind it")
        if not verdict.identical:
            verdict.causes = likely_causes(self.reader, verdict)
        return verdict

    def _take(self, message: Message) -> None:
        topic, data = message.topic, message.data
        if topic == INPUTS:
            if len(self._inputs) >= BATCH:
                self._run_pending()
            self._inputs.append(data)
        elif topic == TICK:
            self._ticks.append(data)
        elif topic == COMMAND:
            row = CHANNELS[COMMAND].unpack([data])[0]
            self._commands.setdefault(int(row["tick"]), []).append(row["row"])
        elif topic in (HASH, SNAPSHOT, MODEL, DROPOUT):
            self._run_pending()
            if self.verdict.identical:
                {HASH: self._hash, SNAPSHOT: self._snapshot, MODEL: self._model, DROPOUT: self._dropout}[topic](data)

    def _run_pending(self) -> None:
        """The ticks gathered so far, if the state is that in front of them."""
        count = min(len(self._inputs), len(self._ticks))  # a cut log may end between the two
        messages, sent = self._inputs[:count], self._ticks[:count]
        self._inputs, self._ticks = self._inputs[count:], self._ticks[count:]
        if self._next is None or not count or not self.verdict.identical:
            return
        inputs, ticks = CHANNELS[INPUTS].unpack(messages), CHANNELS[TICK].unpack(sent)
        expected = np.arange(self._next, self._next + count)
        if not (np.array_equal(inputs["tick"], expected) and np.array_equal(ticks["tick"], expected)):
            raise LogError(f"{self.reader.path}: ticks {self._next}.. are missing without a dropout record")
        if self.end is not None:
            keep = int((expected < self.end).sum())
            inputs, ticks, messages, sent = inputs[:keep], ticks[:keep], messages[:keep], sent[:keep]
        if len(inputs):
            self._compare(inputs, ticks, messages, sent)
        self._next += count
        self._commands.clear()

    def _compare(self, inputs: NDArray[Any], ticks: NDArray[Any], messages: list[bytes], sent: list[bytes]) -> None:
        verdict, world = self.verdict, self.world
        n = world.load(inputs, ticks, {tick: np.array(rows) for tick, rows in self._commands.items()})
        found = differences(ticks, tick_rows(world.run(0, n)))
        if self.driver is not None:
            raw = [CHANNELS[INPUTS].tail_bytes(data) for data in messages]
            out = [CHANNELS[TICK].tail_bytes(data) for data in sent]
            found = sorted([*self.driver.run(inputs, ticks, raw, out), *found], key=lambda d: d.tick)
        verdict.differences += found
        verdict.first_tick = int(inputs["tick"][0]) if verdict.first_tick < 0 else verdict.first_tick
        # Up to the first difference all is equal, and behind it a comparison says nothing.
        agreed = n if not found else found[0].tick - int(inputs["tick"][0])
        verdict.ticks += agreed
        verdict.last_tick = int(inputs["tick"][0]) + agreed - 1

    def _state(self) -> bytes:
        if self.driver is not None:
            self.world.live.driver[...] = self.driver.device.state
        return self.world.snapshot()

    def _hash(self, data: bytes) -> None:
        row = CHANNELS[HASH].unpack([data])[0]
        if self.driver is None or self._next != row["tick"] + 1 or self._beyond(int(row["tick"])):
            return
        if digest(self._state()) == row["digest"].tobytes():
            self.verdict.hashes += 1
        else:
            self.verdict.hash_differs = int(row["tick"])

    def _snapshot(self, data: bytes) -> None:
        """Compared where a state is there, put back where none is."""
        tick, state = tick_of(data), CHANNELS[SNAPSHOT].unpack_tail(data).tobytes()
        if self._next == tick + 1 or self._beyond(tick) or (self.start is not None and tick < self.start):
            return
        self._arena = self.world.arena if self._next is not None else self._arena
        self.world.put_snapshot(self._arena, state)
        if self.driver is not None:
            self.driver.start(self.world.live.driver, self.world.live.sample)
        self._next = tick + 1
        self.verdict.starts.append(tick)

    def _model(self, data: bytes) -> None:
        row = CHANNELS[MODEL].unpack([data])[0]
        self._arena = int(row["arena"])
        self.world.put_model(self._arena, CHANNELS[MODEL].unpack_tail(data))

    def _dropout(self, data: bytes) -> None:
        self._next = None

    def _beyond(self, tick: int) -> bool:
        return self.end is not None and tick >= self.end

    def _snapshot_before(self, start: int) -> int:
        ticks = [tick_of(m.data) for m in self.reader.messages() if m.topic == SNAPSHOT]
        before = [tick for tick in ticks if tick < start]
        if not before:
            raise LogError(f"{self.reader.path}: no snapshot before tick {start}; there are some at {ticks[:10]}")
        return max(before)


def likely_causes(reader: LogReader, verdict: Verdict) -> list[str]:
    """What is not the same here as it was then, the likeliest first."""
    then, now = reader.header.get("build", {}), build()
    names = {
        "kernel": "another build: the kernels' sources differ",
        "numba": "another version of numba",
        "llvmlite": "another version of llvmlite",
        "cpu_target": "compiled for another processor",
        "libc": "another C library",
    }
    causes = [
        f"{words} (recorded {then.get(key)}, here {now[key]})"
        for key, words in names.items()
        if then.get(key) != now[key]
    ]
    first = verdict.differences[0].field if verdict.differences else ""
    if not causes and first in ("code", "sample"):
        causes.append("the recorded bytes or the sample were edited, or the driver depends on more than its state")
    elif not causes and first in ("wrench_rendered", "motor_clamped", "sent_bytes_wrong"):
        causes.append("the driver's encode depends on more than its state")
    elif not causes:
        causes.append(
            "same build, same processor target: the scene or the log was edited, or a kernel is not deterministic"
        )
    return causes
