"""The timing figures against ticks whose instants are known."""

import numpy as np
import pytest

from hapticd.control import NEWEST
from hapticd.kernel.guard import layout as g
from hapticd.ring import Ring, SlotSize
from hapticd.timing import Timing, summary


def known_times(count: int) -> np.ndarray:
    """Due every millisecond; tick k is k us late, its stages take 10, 20, 30, 40, 50 us."""
    times = np.zeros((count, g.TIME_SIZE), np.int64)
    times[:, g.TIME_DUE] = 1_000_000 * np.arange(count)
    late = 1000 * np.arange(count)
    for cell, after in zip(range(g.TIME_WOKE, g.TIME_WRITTEN + 1), (0, 10, 30, 60, 100, 150), strict=True):
        times[:, cell] = times[:, g.TIME_DUE] + late + 1000 * after
    return times


def test_figures_of_known_instants():
    found = summary(known_times(101))
    assert found["ticks"] == 101 and found["rate_hz"] == pytest.approx(1e6 / 1001)
    assert found["wake_us"] == pytest.approx({"p50": 50.0, "p99": 99.0, "p999": 99.9, "max": 100.0})
    assert {name: figures["p50"] for name, figures in found["stage_us"].items()} == pytest.approx(
        {"read": 10, "decode": 20, "step": 30, "encode": 40, "write": 50, "tick": 150}
    )
    assert found["histogram"] == [2, 3, 5, 10, 30, 50, 1, 0, 0, 0, 0, 0]


def test_each_tick_counts_once_and_lost_ones_are_told(tmp_path):
    ring = Ring.create(tmp_path / "ring", SlotSize(bodies=1, input_size=8, output_size=8, rate_hz=100), {}, {})
    timing, times = Timing(Ring.attach(tmp_path / "ring")), known_times(2000)

    def write(first: int, end: int) -> None:
        for tick in range(first, end):
            ring.slots["time"][tick % ring.count] = times[tick]
            ring.slots["sequence"][tick % ring.count] = 2 * tick + 2
        ring.control[NEWEST, 0] = end

    assert timing.measure() is None
    write(0, 100)
    assert timing.measure()["ticks"] == 100 and timing.measure() is None
    write(100, 150)
    ring.slots["sequence"][120] = 2 * 120 + 1  # being written
    found = timing.measure()
    assert (found["first"], found["ticks"], found["lost"]) == (100, 49, 1)
    write(150, 1500)
    found = timing.measure()
    assert found["ticks"] + found["lost"] == 1350 and found["ticks"] <= ring.count
