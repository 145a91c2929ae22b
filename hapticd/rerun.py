"""A world to replay in: the arrays of a recorded run in memory of this process, filled from the log.

    header  -> capacities, slot sizes: the same layout as the daemon's shared memory (areas.py)
    /model  -> an arena                /snapshot -> the live state and what commands had changed in the model

`Rerun.run` takes recorded ticks through the kernel (kernel/replay.py). Used by replay.py and whatif.py.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.areas import Arena, Live, area_templates, changeable
from hapticd.channel import INPUT_WORDS
from hapticd.errors import LogError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import LIMITED_MOTOR
from hapticd.kernel.layout import SAMPLE_SIZE
from hapticd.kernel.replay import replay_ticks
from hapticd.memory import Memory
from hapticd.ring import SlotArray, SlotSize, slot_dtype
from hapticd.scene.arrays import Capacity, allocate
from hapticd.servo import renew_scene
from hapticd.snapshot import gathered, restore

BATCH = 256  # ticks in one kernel call


class Rerun:
    """The arrays, and how they are filled and moved on."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        try:
            size = SlotSize(**header["slot"])
            world = allocate(Capacity(**header["capacity"]))
            driver = np.zeros(header["driver_state"]["shape"], header["driver_state"]["dtype"])
        except (KeyError, TypeError) as error:
            raise LogError(f"the log's header does not say how to replay it: {error} is missing") from error
        areas = area_templates(world.model, world.state, driver)
        self.memory = _private({**areas, "slots": np.zeros(BATCH, slot_dtype(size))})
        self.live = Live(self.memory)
        self.arenas = [Arena.of(self.memory, k) for k in range(2)]
        self.work, self.solid = world.work, world.solid
        self.work.order[:] = np.arange(len(self.work.order))
        self.slots: SlotArray = self.memory.tree["slots"]
        self.views = g.Slots(**{name: self.slots[name] for name in g.Slots._fields})
        self.inputs = g.Inputs(
            np.zeros(g.INPUT_SIZE, np.int64), np.zeros((g.COMMANDS_PER_TICK, g.COMMAND_SIZE)), self.live.sample
        )
        self.recorded = g.Recorded(
            word=np.zeros((BATCH, g.INPUT_SIZE), np.int64),
            command=np.zeros((BATCH, g.COMMANDS_PER_TICK, g.COMMAND_SIZE)),
            sample=np.zeros((BATCH, SAMPLE_SIZE)),
            rendered=np.zeros((BATCH, 6)),
            sent_count=np.zeros(BATCH, np.int64),
            clamped=np.zeros(BATCH, np.int64),
        )
        self._snapshot_size = self.memory.tree["snapshot"]["data"].shape[1]  # whole cache lines
        whole = self.memory.bytes_of(self.memory.tree["live"])
        self._pieces = [(whole, self.memory.bytes_of(changeable(arena.model))) for arena in self.arenas]

    @property
    def arena(self) -> int:
        """The one in force."""
        return int(self.inputs.word[g.INPUT_SCENE])

    def put_model(self, arena: int, data: NDArray[np.uint8]) -> None:
        """The whole arena of a scene, as it was recorded."""
        place = self.memory.bytes_of(self.memory.tree[f"arena{arena}"])
        if len(place) != len(data):
            raise LogError(f"the log's model has {len(data)} bytes, ours {len(place)}: another version recorded it")
        place[:] = data

    def put_snapshot(self, arena: int, data: bytes) -> None:
        size, pieces = sum(map(len, self._pieces[arena])), self._pieces[arena]
        if len(data) != self._snapshot_size:
            raise LogError(
                f"the log's snapshot has {len(data)} bytes, ours {self._snapshot_size}: another version recorded it"
            )
        restore(data[:size], pieces)
        self.inputs.word[g.INPUT_SCENE] = arena

    def snapshot(self) -> bytes:
        """As the servo would take it now."""
        return gathered(self._pieces[self.arena]).ljust(self._snapshot_size, b"\0")

    def load(self, inputs: NDArray[Any], ticks: NDArray[Any], commands: Mapping[int, NDArray[np.float64]]) -> int:
        """Recorded rows into the kernel's arrays; how many."""
        n, to = len(inputs), self.recorded
        for i, name in enumerate(INPUT_WORDS):
            to.word[:n, i] = inputs[name]
        to.sample[:n] = inputs["sample"]
        to.rendered[:n] = ticks["wrench_rendered"]
        to.sent_count[:n] = ticks["sent_count"]
        to.clamped[:n] = ticks["limits"] & (1 << LIMITED_MOTOR)
        for i in np.flatnonzero(inputs["commands"]).tolist():
            rows = commands.get(int(inputs["tick"][i]))
            if rows is None or len(rows) != inputs["commands"][i]:
                raise LogError(
                    f"tick {inputs['tick'][i]}: {inputs['commands'][i]} commands came, not all are in the log"
                )
            to.command[i, : len(rows)] = rows
        return n

    def run(self, first: int, last: int) -> SlotArray:
        """Rows first..last-1 that `load` put there, through the kernel; their slots."""
        starts = [i for i in range(first, last) if self.recorded.word[i, g.INPUT_RENEW] or i == first]
        scenes = self.recorded.word[first:last, g.INPUT_SCENE]
        starts = sorted({*starts, *(first + 1 + np.flatnonzero(np.diff(scenes))).tolist()})
        for start, end in zip(starts, [*starts[1:], last], strict=True):
            if self.recorded.word[start, g.INPUT_RENEW]:
                self._renew(start)
            model = self.arenas[int(self.recorded.word[start, g.INPUT_SCENE])].model
            replay_ticks(
                model, self.live.state, self.work, self.solid, self.inputs, self.live.safety, self.views, self.recorded,
                start, end,
            )  # fmt: skip
        return self.slots[first:last]

    def _renew(self, i: int) -> None:
        """A scene that begins anew: what the servo does in front of such a tick."""
        self.inputs.word[:] = self.recorded.word[i]
        self.inputs.command[:] = self.recorded.command[i]
        renew_scene(self.arenas, self.inputs, self.live.state, self.work, self.live.safety)


def _private(templates: dict[str, Any]) -> Memory:
    """Arrays laid out as in the daemon, in a file that nobody else sees and that goes with this process."""
    shm = Path("/dev/shm")
    folder = shm if shm.is_dir() and os.access(shm, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hapticd-replay-", dir=folder) as name:
        return Memory.create(Path(name) / "arrays", templates, {})
