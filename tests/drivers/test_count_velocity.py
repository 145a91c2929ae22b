"""The rate of encoder counts: wrap, gaps, delay and noise as the module's head states them."""

import numba
import numpy as np
import pytest

from hapticd.drivers import count_velocity as cv

pytestmark = pytest.mark.kernel

TICKS = 200 if numba.config.DISABLE_JIT else 4000


def rates(position):
    """Rate in counts per tick after each sample of a true position, counted by floor."""
    history = np.full((1, cv.WINDOW), np.floor(position[0]))
    out = []
    for x in position:
        cv.push_counts(np.array([np.floor(x)]), 0, history)
        out.append(cv.count_rate(history, 0))
    return np.array(out)


@pytest.mark.parametrize("step", [1, -1, 300, -300, 32767, -32768])
def test_counter_wraps_without_a_trace(step):
    count = np.int64(0)
    for k in range(1, 500):
        count = cv.unwrapped((k * step) & 0xFFFF, count)
        assert count == k * step


def test_rest_with_a_flickering_count():
    """A counter on the edge between two counts: the plain difference gives 1, the window a sixtieth of it."""
    rng = np.random.default_rng(1)
    rate = rates(100 + 0.4 * (rng.random(TICKS) - 0.5))
    assert np.abs(rate[20:]).max() < 0.2
    assert np.sqrt(np.mean(rate[20:] ** 2)) < 0.05


def test_noise_of_steady_motion_is_that_of_the_long_window():
    """0.29 sqrt(12 / (15 16 17)) = 0.016 counts per tick; quantisation of a steady line is not random: allow twice."""
    rng = np.random.default_rng(2)
    for speed in (0.1, 1.37, 7.0 / 3, 40.7):
        rate = rates(speed * np.arange(TICKS) + rng.random())
        assert np.sqrt(np.mean((rate[20:] - speed) ** 2)) < 0.032


def test_delay_under_acceleration_is_a_short_window():
    """At 0.5 counts/tick^2 (8 m/s^2 of string) the estimate lags by under 3 ticks; a full window would lag 7.5."""
    acceleration = 0.5
    t = np.arange(400.0)
    rate = rates(0.5 * acceleration * t * t)
    lag = (acceleration * t - rate)[50:] / acceleration
    assert 0.4 < lag.mean() < 3.0
    assert lag.max() < 4.0


def test_step_of_speed_is_seen_at_once():
    """A wall hit: from 60 counts per tick to rest; two ticks later the estimate is below 2 counts."""
    position = np.concatenate([60.0 * np.arange(50), np.full(20, 60.0 * 49)])
    rate = rates(position)
    assert abs(rate[49] - 60) < 0.1
    assert abs(rate[51]) < 2.0


def test_gap_is_bridged_by_the_line():
    history = np.full((1, cv.WINDOW), 0.0)
    for k in range(20):
        cv.push_counts(np.array([3.0 * k]), 0, history)
    cv.push_counts(np.array([3.0 * 25]), 5, history)
    assert np.allclose(history[0], 3.0 * 25 - 3.0 * np.arange(cv.WINDOW))
    cv.push_counts(np.array([75.0 + 3000.0]), 999, history)
    assert np.allclose(np.diff(history[0]), -3.0)
