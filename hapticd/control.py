"""The small shared words: tick counters, stop, commands into the servo, events out of it.

Everything here has exactly one writer. `control` is a column of cache lines; the row's first cell is the word:

    SERVO_BEAT       servo        counts its loops; the supervisor's watchdog looks at it
    SUPERVISOR_BEAT  supervisor   counts its loops; the servo faults when it stands still
    NEWEST           servo        the last whole tick, plus one
    STOP             commands     counts emergency stops: a change latches FAULT within one tick, past any queue
    LEAVE            supervisor   1: ramp to zero and end
    SENT             commands     commands put into the mailbox since the start
    TAKEN            servo        commands taken out of it
    ARENA            servo        the arena in force, 0 or 1
    READY            servo        1 from when it waits for its first tick
    PLUGGED          I/O process  counts its exchanges with a device whose calls block
    DEGRADE          supervisor   0, or the cause of a lasting DEGRADED

A journal is a ring of events with sequence numbers, as the slots are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.kernel.guard.layout import COMMAND_SIZE, COMMAND_VALUE

SERVO_BEAT, SUPERVISOR_BEAT, NEWEST, STOP, LEAVE, SENT, TAKEN, ARENA, READY, PLUGGED, DEGRADE = range(11)
CONTROL_ROWS = 16
CONTROL_CELLS = 8  # 64 bytes
MAILBOX_SIZE = 256
JOURNAL_SIZE = 1024

EVENT_DTYPE = np.dtype(
    [
        ("sequence", "<u8"),  # number of the event plus one; 0 while it is written
        ("time", "<i8"),  # monotonic ns
        ("tick", "<i8"),
        ("kind", "<i4"),  # kernel/guard/states.py, EVENT_*
        ("code", "<i4"),
        ("value", "<f8", (4,)),
        ("text", "S96"),  # the supervisor's words; the servo has none
    ]
)


def control_templates() -> dict[str, NDArray[Any]]:
    return {
        "control": np.zeros((CONTROL_ROWS, CONTROL_CELLS), np.int64),
        "mailbox": np.zeros((MAILBOX_SIZE, COMMAND_SIZE)),
        "servo_journal": np.zeros(JOURNAL_SIZE, EVENT_DTYPE),
        "supervisor_journal": np.zeros(JOURNAL_SIZE, EVENT_DTYPE),
        "recorder_journal": np.zeros(JOURNAL_SIZE, EVENT_DTYPE),
    }


class Mailbox:
    """Commands on their way into the servo: one sender, one receiver (the kernel's `gather`), nothing ever waits."""

    def __init__(self, rows: NDArray[np.float64], control: NDArray[np.int64]) -> None:
        self.rows = rows
        self.control = control

    def send(self, number: int, code: int, target: int = 0, ticks: int = 0, values: tuple[float, ...] = ()) -> bool:
        """False when the servo has not taken the last 256: the sender answers "busy" and nothing is lost in silence."""
        sent = int(self.control[SENT, 0])
        if sent - int(self.control[TAKEN, 0]) >= len(self.rows):
            return False
        row = self.rows[sent % len(self.rows)]
        row[:] = 0.0
        row[:COMMAND_VALUE] = number, code, target, ticks
        row[COMMAND_VALUE : COMMAND_VALUE + len(values)] = values
        self.control[SENT, 0] = sent + 1
        return True


class Journal:
    """Events in order; a reader keeps its own place and sees how many it has lost."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows
        self.sequence = rows["sequence"]

    def write(self, number: int, event: tuple[Any, ...]) -> None:
        """The writer's side: event `number` (counted by the caller from 0) as (time, tick, kind, code, value, text)."""
        i = number % len(self.rows)
        self.sequence[i] = 0
        row = self.rows[i]
        row["time"], row["tick"], row["kind"], row["code"], row["value"], row["text"] = event
        self.sequence[i] = number + 1

    def since(self, number: int) -> tuple[list[NDArray[Any]], int, int]:
        """Whole events from `number` on, the number to ask for next, and how many in between were overwritten."""
        newest = int(self.sequence.max())
        first = max(number, newest - len(self.rows))
        found = []
        for k in range(first, newest):
            row = self.rows[k % len(self.rows)].copy()
            if row["sequence"] == k + 1 == self.sequence[k % len(self.rows)]:
                found.append(row)
        return found, max(newest, number), max(newest - number, 0) - len(found)
