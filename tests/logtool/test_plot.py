"""Plots: a picture comes out, and thinning keeps every peak."""

import numpy as np
import pytest

from hapticd.errors import LogError
from hapticd.logfile import LogReader
from hapticd.logtool.plot import MOST_POINTS, plot, thinned
from tests.oracle.testlog import record


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_comes_out(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    assert plot(LogReader(record(tmp_path, "a.mcap", 150)), path) == 150
    assert path.stat().st_size > 10_000 and path.read_bytes()[:4] in (b"\x89PNG", b"<?xm")


def test_no_ticks_no_picture(tmp_path):
    with pytest.raises(LogError, match="no ticks"):
        plot(LogReader(record(tmp_path, "a.mcap", 0)), tmp_path / "a.png")


@pytest.mark.parametrize("count", [5, MOST_POINTS, 10 * MOST_POINTS + 7])
def test_thinning_keeps_peaks_and_order(count):
    t, values = np.arange(count), np.random.default_rng(2).normal(size=count)
    values[count // 3] = 50.0
    few_t, few = thinned(t, values)
    assert len(few) <= 1.01 * MOST_POINTS + 50 and np.all(np.diff(few_t) >= 0)
    assert few.max() == 50.0 and few.min() == values.min() and np.array_equal(values[few_t], few)
