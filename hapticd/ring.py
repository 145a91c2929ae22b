"""The ring: every tick in shared memory, one writer, any number of readers that can neither block nor tear it.

    control   one cache line per word, each with one writer: tick counters, stop, what is newest     (control.py)
    mailbox   commands on their way into the servo                                                   (control.py)
    journal   events of the servo; others of the supervisor and of the recorder                      (control.py)
    live      State, Safety, driver: all that one tick hands to the next, as it is now
    snapshot  two copies of `live` and of the model's changeable part, each with tick and sequence number
    arena     two models; the builder fills the idle one, the servo flips at a named tick; each with the scene's text
    slots     | slot 0 | slot 1 | ... | slot n-1 |       tick k is in slot k mod n; n ticks are at least two seconds

A slot is written between two marks of its sequence number, 2 k + 1 while tick k is being written and 2 k + 2 when it
is whole. A reader copies the slot and looks at the number before and after: equal and even means a whole copy of that
tick, anything else means too early or too late. x86-64 keeps loads and stores in order, so this needs no fence; the
marks are set outside compiled code, where no optimiser can move them. A crash leaves one slot odd, the rest readable.

The file is created by the supervisor and outlives all of them; `Ring.attach` needs its path only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.control import NEWEST, Journal, Mailbox, control_templates
from hapticd.kernel.guard import layout as g
from hapticd.kernel.layout import DEVICE_SIZE, SAMPLE_SIZE, WRENCH_SIZE
from hapticd.memory import Memory

RING_SECONDS = 2.5  # a recorder on a slow disk may fall this far behind
CONTACTS_SHOWN = 64  # most contacts in a slot; the simulation itself is not bound by it
POINTS_SHOWN = 512  # most polygon corners in a slot, over all contacts
TEXT_SIZE = 1 << 18  # bytes of a scene's description

SlotArray = NDArray[Any]  # of the dtype that slot_dtype gives


@dataclass(frozen=True)
class SlotSize:
    """What the size of a slot depends on; it is in the file's note."""

    bodies: int
    input_size: int  # bytes of the device's input in one tick
    output_size: int
    rate_hz: int = 1000
    contacts: int = CONTACTS_SHOWN
    points: int = POINTS_SHOWN

    @property
    def slots(self) -> int:
        return math.ceil(RING_SECONDS * self.rate_hz)


def slot_dtype(size: SlotSize) -> np.dtype[Any]:
    """One slot; fields as in kernel/guard/layout.py, Slots. Every field starts on eight bytes."""
    whole_eight = -(-(size.input_size + size.output_size) // 8) * 8 - size.input_size
    return np.dtype(
        [
            ("sequence", "<u8"),
            ("tick", "<i8"),
            ("time", "<i8", (g.TIME_SIZE,)),
            ("input", "<i8", (g.INPUT_SIZE,)),
            ("command", "<f8", (g.COMMANDS_PER_TICK, g.COMMAND_SIZE)),
            ("sample", "<f8", (SAMPLE_SIZE,)),
            ("pointer", "<f8", (DEVICE_SIZE,)),
            ("wrench", "<f8", (g.WRENCH_ROWS, WRENCH_SIZE)),
            ("word", "<i8", (g.WORD_SHOWN,)),
            ("guard", "<f8", (g.MEMORY_SHOWN_COUNT,)),
            ("body", "<f8", (size.bodies, g.BODY_SHOWN)),
            ("contact", "<f4", (size.contacts, g.SHOWN_SIZE)),
            ("contact_of", "<i4", (size.contacts, g.OF_SIZE)),
            ("point", "<f4", (size.points + size.points % 2, 3)),
            ("raw", "u1", (size.input_size,)),
            ("sent", "u1", (whole_eight,)),
        ]
    )


class Ring:
    """The slots and what lies beside them. `create` for the supervisor, `attach` for everyone else."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.note = memory.note
        self.control: NDArray[np.int64] = memory.tree["control"]
        self.mailbox = Mailbox(memory.tree["mailbox"], self.control)
        self.servo_journal = Journal(memory.tree["servo_journal"])
        self.supervisor_journal = Journal(memory.tree["supervisor_journal"])
        self.recorder_journal = Journal(memory.tree["recorder_journal"])
        self.slots: SlotArray = memory.tree["slots"]
        self.count = len(self.slots)
        self._whole = self.slots.view(np.uint8).reshape(self.count, self.slots.dtype.itemsize)
        self._sequence = self.slots["sequence"]

    @classmethod
    def create(cls, path: Path, size: SlotSize, areas: Mapping[str, Any], note: Mapping[str, Any]) -> Ring:
        """A new ring; `areas` are templates of live, snapshot and arenas, see daemon.py."""
        templates = {
            **control_templates(),
            **areas,
            "slots": np.zeros(size.slots, slot_dtype(size)),
        }
        return cls(Memory.create(path, templates, {**note, "slot": asdict(size)}))

    @classmethod
    def attach(cls, path: Path, writable: bool = False) -> Ring:
        return cls(Memory.attach(path, writable))

    def views(self) -> g.Slots:
        """The slots field by field, as the kernel writes them."""
        return g.Slots(**{name: self.slots[name] for name in g.Slots._fields})

    def empty(self, count: int | None = None) -> SlotArray:
        """Room for one slot, or for `count`: what `read` and `read_from` copy into."""
        return np.zeros(() if count is None else (count,), self.slots.dtype)

    def newest(self) -> int:
        """The last whole tick, -1 before the first."""
        return int(self.control[NEWEST, 0]) - 1

    def read(self, tick: int, out: SlotArray) -> bool:
        """Copy the slot of that tick; False when it is not there yet or no more."""
        i = tick % self.count
        want = 2 * tick + 2
        if self._sequence[i] != want:
            return False
        out.reshape(1).view(np.uint8)[:] = self._whole[i]
        return bool(self._sequence[i] == want)

    def read_newest(self, out: SlotArray) -> int:
        """Copy the newest whole slot; its tick, -1 before the first. Retries while the writer laps it."""
        while (tick := self.newest()) >= 0:
            if self.read(tick, out):
                return tick
        return -1

    def read_from(self, tick: int, out: SlotArray) -> tuple[int, int]:
        """Copy ticks in order from `tick` on, as many as are whole and fit: (first tick copied, how many).

        The first differs from `tick` when the writer was faster than this reader: the ticks between are lost.
        """
        newest = self.newest()
        first = max(tick, newest - self.count + 2, 0)
        copied = 0
        while copied < len(out) and first + copied <= newest:
            if not self.read(first + copied, out[copied : copied + 1]):
                if copied:
                    break
                first += 1  # overtaken while looking: the oldest is gone
                continue
            copied += 1
        return first, copied
