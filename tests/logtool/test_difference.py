"""Differences: by bits, the first tick and the field that a tick makes first."""

import numpy as np
import pytest

from hapticd.channel import CHANNELS, TICK
from hapticd.logfile import LogReader
from hapticd.logtool.difference import COMPARED, diff, differences
from tests.oracle.testlog import record


def rows(count: int = 50) -> np.ndarray:
    made = np.zeros(count, CHANNELS[TICK].head)
    made["tick"] = np.arange(100, 100 + count)
    made["wrench_sent"] = np.random.default_rng(1).normal(size=(count, 6))
    return made


def test_equal_rows_do_not_differ():
    made = rows()
    made["position"][3, 1] = np.nan
    assert differences(made, made.copy()) == []


def test_times_and_priority_are_not_compared():
    other = rows()
    other["woke_after"] += 5
    other["realtime"] = 1
    other["time"] += 7
    assert differences(rows(), other) == []


@pytest.mark.parametrize("name", COMPARED)
def test_one_flipped_bit_is_found_at_its_tick(name):
    theirs, ours = rows(), rows()
    cell = ours[name][7:8].reshape(-1)[-1:]
    cell = np.ascontiguousarray(cell)
    cell.view(np.int64)[0] ^= 1
    ours[name].reshape(50, -1)[7, -1] = cell[0]
    [found] = differences(theirs, ours)
    assert (found.tick, found.field, found.ticks) == (107, name, 1)


def test_the_earliest_comes_first_and_then_the_first_made():
    theirs, ours = rows(), rows()
    ours["wrench_sent"][20:, 2] += 1.0
    ours["wrench_wanted"][20:, 1] = -0.0  # equal as numbers, not as bits
    ours["mode"][4] = 3
    found = differences(theirs, ours)
    assert [(d.tick, d.field) for d in found] == [(104, "mode"), (120, "wrench_wanted"), (120, "wrench_sent")]
    assert found[2].ticks == 30 and "wrench_sent[2]" in str(found[2])


def test_two_logs(tmp_path):
    (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
    one = record(tmp_path / "one", "a.mcap", 300)
    two = record(tmp_path / "two", "b.mcap", 250, scene="# edited")
    found = diff(LogReader(one), LogReader(two))
    assert found["common_ticks"] == 250 and found["outputs"] == found["inputs"] == []
    assert list(found["header"]) == ["scene.toml"] and found["largest"]["force_N"] == 0.0
