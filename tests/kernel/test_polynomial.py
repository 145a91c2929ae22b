"""kernel/polynomial.py against the library's functions."""

import math

import numpy as np
import pytest

from hapticd.kernel.polynomial import exp_negative, sin_turn

pytestmark = pytest.mark.kernel


def test_sine_of_turns():
    for x in np.random.default_rng(1).uniform(-0.5, 0.5, 500):
        assert sin_turn(x) == pytest.approx(math.sin(2 * math.pi * x), abs=1e-15)


def test_whole_turns_change_nothing():
    for turns in (1.0, -7.0, 2.0**30):
        assert sin_turn(0.125 + turns) == sin_turn(0.125)
    assert sin_turn(0.25) == pytest.approx(1.0, abs=1e-15) and sin_turn(0.0) == 0.0


def test_exponential():
    for x in np.random.default_rng(2).uniform(0, 700, 500):
        assert exp_negative(x) == pytest.approx(math.exp(-x), rel=4e-16)
    assert exp_negative(0.0) == 1.0 and exp_negative(1e4) == 0.0 and exp_negative(math.nan) == 0.0
