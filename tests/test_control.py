"""Commands into the servo and events out of it: in order, bounded, nothing lost in silence."""

import numpy as np
import pytest

from hapticd.control import SENT, TAKEN
from hapticd.kernel.guard.layout import COMMAND_CODE, COMMAND_VALUE
from hapticd.ring import Ring, SlotSize


@pytest.fixture
def ring(tmp_path):
    return Ring.create(tmp_path / "ring", SlotSize(bodies=2, input_size=8, output_size=8, rate_hz=100), {}, {})


def test_mailbox_keeps_order_and_says_when_it_is_full(ring):
    sent = 0
    while ring.mailbox.send(sent, 3, 5, 7, (1.0, -2.0)):
        sent += 1
    assert sent == len(ring.mailbox.rows) == ring.control[SENT, 0]
    assert ring.mailbox.rows[4, COMMAND_CODE] == 3 and ring.mailbox.rows[4, COMMAND_VALUE + 1] == -2.0
    ring.control[TAKEN, 0] = 1
    assert ring.mailbox.send(sent, 4) and not ring.mailbox.send(sent, 4)
    assert np.all(ring.mailbox.rows[0, COMMAND_VALUE:] == 0.0)  # nothing is left over of the old row


def test_journal_gives_events_in_order_and_counts_the_lost(ring):
    journal = Ring.attach(ring.memory.path).servo_journal
    assert journal.since(0) == ([], 0, 0)
    for k in range(5):
        ring.servo_journal.write(k, (k, 10 * k, 1, 2, (0.5, 0, 0, 0), b"why"))
    events, cursor, lost = journal.since(0)
    assert [int(e["tick"]) for e in events] == [0, 10, 20, 30, 40] and (cursor, lost) == (5, 0)
    assert bytes(events[0]["text"]) == b"why" and events[0]["value"][0] == 0.5
    for k in range(5, 2000):
        ring.servo_journal.write(k, (k, 10 * k, 1, 2, (0.5, 0, 0, 0), b""))
    events, cursor, lost = journal.since(cursor)
    assert cursor == 2000 and len(events) + lost == 1995 and int(events[-1]["tick"]) == 19990
