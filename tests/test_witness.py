"""The witness: a late tick is the machine's if both were held up at the same time, and ours otherwise."""

import numpy as np

from hapticd import witness
from hapticd.witness import blame, measure

T = 1_000_000


def run(late_at, witness_late_at, n=100):
    """Ticks at whole milliseconds, the witness at halves; late ones skip three periods."""
    due = T * np.arange(1, n + 1)
    gap = np.zeros(n, np.int64)
    for k in late_at:
        due[k:] += 3 * T
        gap[k] = 3
    woke = due + 20_000
    theirs = T * np.arange(1, n + 40) + T // 2
    theirs_woke = theirs + 10_000
    for start, length in witness_late_at:
        theirs_woke[np.argmax(theirs > start)] += length
    return blame(due, woke, gap, T, (theirs, theirs_woke))


def test_late_alone_is_ours():
    found = run([50], [])
    assert (found.ticks, found.late, found.seen, found.ours) == (100, 1, 0, 1)


def test_late_together_is_the_machines():
    found = run([50], [(51 * T, 3 * T)])
    assert (found.late, found.seen, found.ours) == (1, 1, 0)


def test_the_end_of_an_absence_is_enough():
    """The core is away for 0.7 ms from a deadline on: both wake at its end, which is 0.2 ms late for the witness."""
    assert run([50], [(50 * T, 200_000)]).seen == 1
    assert run([50], [(50 * T, 60_000)]).ours == 1, "an ordinary wake-up"


def test_witness_held_up_at_another_time_excuses_nothing():
    assert run([50], [(20 * T, 3 * T), (70 * T, 3 * T)]).ours == 1


def test_each_tick_is_judged_by_itself():
    found = run([20, 50, 80], [(51 * T + 3 * T, 3 * T)])
    assert (found.late, found.seen, found.ours) == (3, 1, 2)


def test_what_the_witness_slept_through_counts_from_the_first_deadline(monkeypatch):
    """It was held up for 7 ms and woke just after a deadline: 7 ms late, not a few us."""

    class Held:
        def __init__(self, period_ns):
            self.due = self.woke = 0

        def start(self): ...

        def wait(self):
            self.due += 8 * T
            self.woke = self.due + 10_000
            return 7

    monkeypatch.setattr(witness.clock, "Clock", Held)
    monkeypatch.setattr(witness.clock, "enter", lambda *_: None)
    rows, count = [0] * 4, [0]
    witness.watch(rows, count, T, 0, None)
    assert count == [2] and rows[1] - rows[0] == rows[3] - rows[2] == 7 * T + 10_000


def test_measurement_runs_here():
    due, woke, found = measure(0.3, 500, 30, None)
    assert found.ticks == 150 and np.all(woke >= due) and np.all(np.diff(due) % 2_000_000 == 0)
