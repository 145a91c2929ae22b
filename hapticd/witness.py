"""The witness test: whose fault is a late tick, ours or the machine's?

    servo      |....#........|....#........|........      ticks at the deadlines, priority p
    witness    |......|......|......|......|             wakes half a period later, on the same core, priority p + 2

Both sleep to absolute deadlines on one core. When the machine takes the core away (a hypervisor, an interrupt storm),
both are late; when only the servo is late, it is ours. `watch` is a process of its own that does nothing but note when
it woke; `blame` compares the two.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawArray
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd import clock

Times = NDArray[np.int64]

# A witness later than period / HELD_UP was held up. Of a core that is away from a deadline on for 0.75 ms, which makes
# a tick of 0.25 ms late, the witness sees the end alone: 0.16 to 0.25 ms (15 such ticks of 42, 2026-11-18). An idle
# core wakes it within 0.05.
HELD_UP = 10


@dataclass(frozen=True)
class Blame:
    """Late ticks of a run, in both senses."""

    ticks: int
    late: int  # ticks that were skipped: overruns
    seen: int  # of them, also seen by the witness: the machine's
    ours: int


class Witness:
    """A process that notes when it woke; started before the loop it watches, stopped after it."""

    def __init__(self, period_ns: int, priority: int, cpu: int | None, most: int) -> None:
        context = multiprocessing.get_context("fork")
        self._rows = RawArray("q", 2 * most)
        self._count = RawArray("q", 1)
        self._process = context.Process(
            target=watch, args=(self._rows, self._count, period_ns, priority, cpu), daemon=True
        )
        self._process.start()

    def stop(self) -> tuple[Times, Times]:
        """Its deadlines and when it woke, ns."""
        self._process.terminate()
        self._process.join()
        count = min(self._count[0], len(self._rows) // 2)
        rows = np.frombuffer(self._rows, np.int64).reshape(-1, 2)[:count]
        return rows[:, 0].copy(), rows[:, 1].copy()


def watch(rows: Any, count: Any, period_ns: int, priority: int, cpu: int | None) -> None:
    clock.enter(priority, cpu)
    pace = clock.Clock(period_ns)
    pace.start()
    pace.due += period_ns // 2
    most = len(rows) // 2
    k = 0
    while k < most:
        skipped = pace.wait()  # those count as slept through: its lateness is that of the first
        rows[2 * k], rows[2 * k + 1] = pace.due - skipped * period_ns, pace.woke
        k += 1
        count[0] = k


def blame(due: Times, woke: Times, gap: Times, period_ns: int, witness: tuple[Times, Times]) -> Blame:
    """A late tick is the machine's when the witness was held up within the same stretch of time."""
    theirs_due, theirs_woke = witness
    bad = theirs_woke - theirs_due > period_ns // HELD_UP
    starts, ends = theirs_due[bad], theirs_woke[bad]
    late = np.flatnonzero(gap > 0)
    seen = 0
    for k in late:
        end = int(woke[k])
        start = int(due[k]) - (int(gap[k]) + 1) * period_ns
        seen += bool(np.any((starts < end) & (ends > start)))
    return Blame(len(due), len(late), seen, len(late) - seen)


def loop_ticks(ticks: int, period_ns: int, work: Callable[[], None] | None = None) -> tuple[Times, Times, Times]:
    """A bare loop in this process: deadlines, wake-ups and skipped periods. For `hapticd doctor`."""
    due, woke, gap = (np.zeros(ticks, np.int64) for _ in range(3))
    pace = clock.Clock(period_ns)
    pace.start()
    for k in range(ticks):
        gap[k] = pace.wait()
        due[k], woke[k] = pace.due, pace.woke
        if work is not None:
            work()
    return due, woke, gap


def measure(seconds: float, rate_hz: int, priority: int, cpu: int | None) -> tuple[Times, Times, Blame]:
    """Run the bare loop beside its witness in a child: deadlines, wake-ups, blame."""
    period, ticks = 1_000_000_000 // rate_hz, int(seconds * rate_hz)
    witness = Witness(period, priority + 2, cpu, int(1.2 * ticks) + 1000)
    rows = RawArray("q", 3 * ticks)
    pid = os.fork()
    if pid == 0:
        clock.enter(priority, cpu)
        np.frombuffer(rows, np.int64)[:] = np.concatenate(loop_ticks(ticks, period))
        os._exit(0)
    os.waitpid(pid, 0)
    due, woke, gap = np.frombuffer(rows, np.int64).reshape(3, -1)
    return due, woke, blame(due, woke, gap, period, witness.stop())
