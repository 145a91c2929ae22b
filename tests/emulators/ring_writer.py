"""The servo's side of the shared memory without a simulation: a process that ticks, takes commands and notes events.

Written from the description in control.py and ring.py. It keeps only as much of the guard as the sockets can see: the
modes, the stop word, one event for each command. What it did is in the ring: the last `scene` fields, the applied rows.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hapticd.control import NEWEST, READY, SENT, STOP, TAKEN
from hapticd.kernel import layout as k
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard import states as s
from hapticd.ring import TEXT_SIZE, Ring, SlotSize
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import pack_shapes

SIZE = SlotSize(bodies=64, input_size=8, output_size=8, contacts=16, points=128)
TEXT = b"""
name = "small"
[material.wood]
[[body]]
name = "table"
colour = [0.2, 0.4, 0.6]
[[body]]
name = "block1"
[[body]]
name = "block2"
[[body]]
name = "pointer"
"""
NAMES = ("table", "block1", "block2", "pointer")


def small_model() -> k.Model:
    """A table, two blocks and the pointer."""
    boxes = [ConvexShape.box(size) for size in ((1.0, 1.0, 0.1), (0.2, 0.2, 0.2), (0.2, 0.2, 0.2), (0.1, 0.1, 0.3))]
    count = len(boxes)
    fields = {
        "shapes": pack_shapes(boxes),
        "part_body": np.arange(count, dtype=np.int32),
        "kind": np.array([k.STATIC, k.DYNAMIC, k.DYNAMIC, k.POINTER], np.int32),
        "mass": np.zeros((count, k.MASS_SIZE)),
        "material": np.array([0, 0, 0, 1], np.int32),
        "script": np.zeros((count, k.SCRIPT_SIZE)),
        "gain": np.tile(np.arange(1.0, k.GAIN_SIZE + 1.0), (4, 1)),
        "world": np.array([0.0, 0.0, -9.8] + [0.0] * (k.WORLD_SIZE - 3)),
        "option": np.zeros(k.OPTION_SIZE, np.int64),
    }
    fields["option"][[k.OPTION_POINTER, k.OPTION_BODIES, k.OPTION_PARTS]] = 3, count, count
    return k.Model(**{name: fields.get(name, np.zeros(count)) for name in k.Model._fields})


def make_ring(path: Path, size: SlotSize = SIZE) -> Ring:
    model = small_model()
    arena = {"word": np.zeros(8, np.int64), "model": model, "text": np.zeros(TEXT_SIZE, np.uint8)}
    note = {"device": {"title": "emulated"}, "pid": os.getpid()}
    ring = Ring.create(path, size, {"arena0": arena, "arena1": arena}, note)
    for name in ("arena0", "arena1"):
        target = ring.memory.tree[name]
        _copy(model, target["model"])
        target["text"][: len(TEXT)] = np.frombuffer(TEXT, np.uint8)
        target["word"][1] = len(TEXT)
    return ring


def _copy(source: tuple, target: tuple) -> None:
    for one, other in zip(source, target, strict=True):
        if isinstance(one, np.ndarray):
            other[...] = one
        else:
            _copy(one, other)


class RingWriter:
    """One tick at a time; `run` does it by the clock."""

    def __init__(self, ring: Ring) -> None:
        self.ring, self.slots = ring, ring.slots
        self.tick, self.mode, self.cause = 0, s.FAULT, s.CAUSE_START
        self.stops, self.events, self.paused, self.generation = int(ring.control[STOP, 0]), 0, 0, 0
        self.bodies, self.contacts, self.points = len(NAMES), 1, 4
        ring.control[READY, 0] = 1

    def step(self, due: int) -> None:
        woke, i = time.monotonic_ns(), self.tick % self.ring.count
        slots = self.slots
        slots["sequence"][i] = 2 * self.tick + 1
        stopped = self._stop()
        self._commands(i)
        slots["tick"][i] = self.tick
        slots["input"][i, g.INPUT_STOP] = s.CAUSE_STOP if stopped else 0
        angle = 1e-3 * self.tick
        slots["body"][i, :, :3] = np.arange(SIZE.bodies)[: slots["body"].shape[1], None] + [np.sin(angle), 0.0, 0.5]
        slots["body"][i, :, 6] = 1.0
        slots["pointer"][i, :7] = np.sin(angle), np.cos(angle), 1.0, 0.0, 0.0, 0.0, 1.0
        force = 1.0 if self.mode >= s.ARMING else 0.0
        slots["wrench"][i, :, 2] = force
        slots["contact"][i, : self.contacts, g.SHOWN_AREA] = 0.01
        slots["contact_of"][i, : self.contacts, g.OF_BODY_A] = 3
        slots["contact_of"][i, : self.contacts, g.OF_POINTS] = 4
        slots["point"][i, :4] = [[0, 0, 0.5], [0.1, 0, 0.5], [0.1, 0.1, 0.5], [0, 0.1, 0.5]]
        word = slots["word"][i]
        word[[g.WORD_MODE, g.WORD_CAUSE, g.WORD_GENERATION, g.WORD_PAUSED]] = (
            self.mode,
            self.cause,
            self.generation,
            self.paused,
        )
        word[[g.WORD_BODIES, g.WORD_CONTACTS, g.WORD_POINTS]] = self.bodies, self.contacts, self.points
        slots["time"][i, : g.TIME_WRITTEN + 1] = due, woke, *[time.monotonic_ns()] * 5
        slots["sequence"][i] = 2 * self.tick + 2
        self.tick += 1
        self.ring.control[NEWEST, 0] = self.tick

    def _stop(self) -> bool:
        stops = int(self.ring.control[STOP, 0])
        if stops == self.stops:
            return False
        self.stops = stops
        self._enter(s.FAULT, s.CAUSE_STOP)
        return True

    def _commands(self, i: int) -> None:
        control, rows = self.ring.control, self.ring.mailbox.rows
        self.slots["command"][i] = 0.0
        for n in range(g.COMMANDS_PER_TICK):
            taken = int(control[TAKEN, 0])
            if taken == int(control[SENT, 0]):
                return
            row = rows[taken % len(rows)].copy()
            control[TAKEN, 0] = taken + 1
            self.slots["command"][i, n] = row
            result = self._act(int(row[g.COMMAND_CODE]), row)
            self._note(s.EVENT_COMMAND, result, (row[g.COMMAND_ID], row[g.COMMAND_CODE], 0.0, 0.0))

    def _act(self, code: int, row: np.ndarray) -> int:
        needs = {s.COMMAND_CLEAR: (s.FAULT, s.IDLE), s.COMMAND_ARM: (s.IDLE, s.ACTIVE)}
        if code in needs:
            if self.mode != needs[code][0]:
                return s.REFUSED_MODE
            self._enter(needs[code][1], s.CAUSE_COMMAND)
        elif code == s.COMMAND_DISARM and self.mode > s.IDLE:
            self._enter(s.IDLE, s.CAUSE_COMMAND)
        elif code in (s.COMMAND_PAUSE, s.COMMAND_RESUME):
            self.paused = int(code == s.COMMAND_PAUSE)
        elif code == s.COMMAND_SCENE:
            self.generation += 1
        elif code == s.COMMAND_LIMIT and row[g.COMMAND_VALUE] > 5.0:
            return s.REFUSED_VALUE
        return s.DONE

    def _enter(self, mode: int, cause: int) -> None:
        self._note(s.EVENT_MODE, cause, (self.mode, mode, 0.0, 0.0))
        self.mode, self.cause = mode, cause

    def _note(self, kind: int, code: int, value: tuple[float, ...]) -> None:
        self.ring.servo_journal.write(self.events, (time.monotonic_ns(), self.tick, kind, code, value, b""))
        self.events += 1

    def run(self) -> None:
        period = 1_000_000_000 // SIZE.rate_hz
        due = time.monotonic_ns()
        while True:
            due += period
            time.sleep(max(due - time.monotonic_ns(), 0) * 1e-9)
            self.step(due)


@contextmanager
def running(ring: Ring) -> Iterator[int]:
    """A writer process beside the test; its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            RingWriter(ring).run()
        finally:
            os._exit(1)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
