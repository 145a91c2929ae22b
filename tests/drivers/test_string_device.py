"""Parts of a string device's tick: what counts as still, how tensions fade; the whole is tried in test_spidar.py."""

import numpy as np
import pytest

from hapticd.drivers import string_device as sd
from hapticd.drivers.string_kinematics import PER_PULSE, STRING_SIZE

pytestmark = pytest.mark.kernel


def test_still_string_is_the_one_that_does_not_move():
    strings = np.zeros((4, STRING_SIZE))
    strings[:, PER_PULSE] = [1e-5, -1e-5, 1e-5, -1e-5]
    setting = np.zeros(sd.SETTING_SIZE)
    setting[sd.STILL_TRAVEL] = 4e-3
    still, counts = np.zeros((4, 4)), np.zeros(4)
    for k in range(500):
        counts[:] = [k, -k, 1 if k % 2 else 0, 2 * k]  # string 2 only flickers by one count
        found = sd.still_string(setting, strings, counts, still)
        assert found == (2 if 2 * k > 400 else -1)
    counts[2] = 5  # it moves: all is well again
    assert sd.still_string(setting, strings, counts, still) == -1


def test_tension_falls_to_the_least_beyond_the_edge():
    low, high, edge = 0.3, 9.0, 0.06
    tops = [sd.highest(low, high, mu, edge) for mu in (1.0, 0.06, 0.0599, 0.03, 0.0)]
    assert tops[0] == tops[1] == high
    assert tops[2] == pytest.approx(low / edge, rel=0.01)
    assert tops[2] > tops[3] > tops[4] == low
