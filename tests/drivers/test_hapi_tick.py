"""Kernels of the hAPI tick that the driver's own tests do not reach; they run without the compiler, too."""

import struct

import numpy as np
import pytest

from hapticd.drivers import hapi_tick as tick

pytestmark = pytest.mark.kernel


def test_only_whole_answers_count():
    words = np.zeros(2, np.float32)
    data = np.frombuffer(b"".join(struct.pack("<Bff", 3, 150.0 + k, 30.0) for k in range(3)), np.uint8).copy()
    view = words.view(np.uint8)
    assert tick.whole_answers(data, 0, 27, 3, words, view)
    assert tick.whole_answers(data, 0, 20, 3, words, view)  # the third has begun
    assert not tick.whole_answers(data, 1, 27, 3, words, view)
    data[9] = 4
    assert not tick.whole_answers(data, 0, 27, 3, words, view)
    tick.read_angles(data, 18, view)
    assert words.tolist() == [152.0, 30.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_no_number_makes_more_than_the_limit(bad):
    setting, linkage = np.zeros(tick.SETTING_SIZE), np.array([0.01, 0.07, 0.05, 0.01, 0.02, 0.04, 1.0])
    setting[tick.LIMIT], setting[tick.FADE] = 0.123, 0.3
    words, rendered = np.zeros(2, np.float32), np.zeros(6)
    tick.encode_tick(np.array([bad, 1.0, 0, 0, 0, 0]), setting, linkage, np.zeros(4), words, rendered)
    assert np.abs(words).max() <= 0.1231 and np.isfinite(rendered).all()
