"""Snapshots: whole or none, in order, put back bit for bit."""

import os
import signal
import time

import numpy as np
import pytest

from hapticd.errors import LogError
from hapticd.memory import Memory
from hapticd.snapshot import Snapshots, digest, gathered, restore, snapshot_templates


@pytest.fixture
def tree(tmp_path):
    return Memory.create(tmp_path / "m", {"snapshot": snapshot_templates(40_000)}, {}).tree["snapshot"]


def pieces(value: int) -> list[np.ndarray]:
    return [np.full(30_000, value, np.uint8), np.full(10_000, value + 1, np.uint8)]


def test_reader_gets_each_once_in_order(tree):
    writer, reader = Snapshots(tree), Snapshots(tree)
    assert reader.read(-1) is None
    seen, last = [], -1
    for tick in range(0, 70, 10):
        writer.write(tick, pieces(tick))
        while found := reader.read(last):
            last, data = found
            seen.append(last)
            assert data == gathered(pieces(last))
    assert seen == list(range(0, 70, 10)) and reader.read(last) is None


def test_a_slow_reader_gets_the_older_of_the_two_that_are_left(tree):
    writer = Snapshots(tree)
    for tick in range(9):
        writer.write(tick, pieces(tick))
    assert Snapshots(tree).read(-1)[0] == 7 and Snapshots(tree).read(7)[0] == 8
    assert Snapshots(tree).written == 9  # a new writer goes on where the last one was


def test_copies_are_never_torn(tree):
    pid = os.fork()
    if pid == 0:
        writer, tick = Snapshots(tree), 0
        while True:
            tick += 1
            writer.write(tick, pieces(tick % 200))
    try:
        reader, good, end = Snapshots(tree), 0, time.monotonic() + 20
        while good < 300 and time.monotonic() < end:
            if found := reader.read(0):
                good += 1
                assert found[1] == gathered(pieces(found[0] % 200))
        assert good == 300
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_restore_puts_all_bits_back_or_nothing():
    theirs = pieces(3)
    restore(gathered(pieces(9)), theirs)
    assert gathered(theirs) == gathered(pieces(9))
    with pytest.raises(LogError):
        restore(b"short", theirs)
    assert gathered(theirs) == gathered(pieces(9))


def test_digest_sees_every_bit():
    data = gathered(pieces(3))
    assert len(digest(data)) == 16 and digest(data) != digest(data[:-1] + bytes([data[-1] ^ 1]))
