"""The ring: whole slots or none, gaps counted, readable whatever the writer was doing when it died."""

import os
import signal
import time

import numpy as np
import pytest

from hapticd.control import NEWEST
from hapticd.kernel.guard.layout import Slots
from hapticd.ring import Ring, SlotSize, slot_dtype

SIZE = SlotSize(bodies=8, input_size=21, output_size=27, rate_hz=100)


@pytest.fixture
def ring(tmp_path):
    return Ring.create(tmp_path / "ring", SIZE, {}, {"device": "none"})


def write(ring: Ring, tick: int, mark: bool = True) -> None:
    """As the servo does it: odd, contents, even. Every cell says which tick it is of."""
    i = tick % ring.count
    slots = ring.slots
    slots["sequence"][i] = 2 * tick + 1
    slots["tick"][i] = tick
    slots["body"][i] = tick
    slots["word"][i] = tick
    slots["sent"][i] = tick % 251
    if mark:
        slots["sequence"][i] = 2 * tick + 2
        ring.control[NEWEST, 0] = tick + 1


def test_slot_holds_two_seconds_and_every_field_is_aligned():
    dtype = slot_dtype(SIZE)
    assert SIZE.slots >= 2 * SIZE.rate_hz
    assert dtype.itemsize % 8 == 0 and tuple(dtype.names) == Slots._fields
    for name in dtype.names:
        if dtype[name].base.kind != "u":
            assert dtype.fields[name][1] % dtype[name].base.itemsize == 0, name
    assert dtype["sent"].shape[0] >= SIZE.output_size


def test_reader_sees_the_newest_and_any_that_is_left(ring):
    theirs, out = Ring.attach(ring.memory.path), ring.empty()
    assert theirs.newest() == -1 and theirs.read_newest(out) == -1
    for k in range(3 * ring.count):
        write(ring, k)
    assert theirs.note["device"] == "none"
    assert theirs.read_newest(out) == 3 * ring.count - 1 and out["tick"] == 3 * ring.count - 1
    assert theirs.read(2 * ring.count, out) and np.all(out["body"] == 2 * ring.count)
    assert not theirs.read(2 * ring.count - 1, out)  # overwritten
    assert not theirs.read(3 * ring.count, out)  # not yet


def test_views_are_the_slots(ring):
    views = ring.views()
    views.body[5, 7, 3] = 1.5
    assert ring.slots["body"][5, 7, 3] == 1.5 and ring.slots[5]["body"][7, 3] == 1.5


def test_every_tick_is_read_once_and_a_gap_is_seen(ring):
    theirs, out, seen = Ring.attach(ring.memory.path), ring.empty(64), []
    cursor, lost = 0, 0
    for k in range(1000):
        write(ring, k)
        if k % 30 == 29 and not 300 < k < 800:  # asleep for two ring lengths
            while True:
                first, copied = theirs.read_from(cursor, out)
                lost += first - cursor
                cursor = first + copied
                if not copied:
                    break
                seen += out["tick"][:copied].tolist()
                assert np.all(out["word"][:copied, 0] == out["tick"][:copied])
    assert seen == sorted(set(seen)) and len(seen) + lost == cursor
    assert 200 <= lost <= 520


def test_copies_are_never_torn(ring):
    """A writer process at full speed against this reader: a copy that is accepted has one tick in all its cells."""
    pid = os.fork()
    if pid == 0:
        k = 0
        while True:
            write(ring, k)
            k += 1
    try:
        theirs, out, good, refused = Ring.attach(ring.memory.path), ring.empty(), 0, 0
        random, end = np.random.default_rng(3), time.monotonic() + 20
        while good < 3000 and time.monotonic() < end:
            # mostly the oldest slot, which the writer is about to run over
            tick = max(theirs.newest() - ring.count + random.integers(1, 4), 0)
            if not theirs.read(int(tick), out):
                refused += 1
                continue
            good += 1
            assert out["tick"] == tick and np.all(out["body"] == tick) and np.all(out["word"] == tick)
            assert np.all(out["sent"] == tick % 251)
        assert good == 3000 and refused > 0
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_writer_that_dies_in_a_slot_leaves_the_others(ring):
    for k in range(10):
        write(ring, k)
    write(ring, 10, mark=False)
    theirs, out = Ring.attach(ring.memory.path), ring.empty()
    assert theirs.read_newest(out) == 9 and out["tick"] == 9
    assert not theirs.read(10, out)
    assert all(theirs.read(k, out) for k in range(10))
