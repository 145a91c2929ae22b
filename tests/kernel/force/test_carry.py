"""kernel/force/carry.py against a dict."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.force.carry import carry

pytestmark = pytest.mark.kernel
ROOM = 30


def pairs(rng, n):
    every = [(a, b) for a in range(9) for b in range(a + 1, 9)]
    return sorted(every[i] for i in rng.choice(len(every), n, replace=False))


def test_rows_follow_their_pairs():
    rng = np.random.default_rng(3)
    count, pair = np.zeros(1, np.int64), np.zeros((ROOM, 2), np.int32)
    touch, contact, law = np.zeros(ROOM, np.int32), np.zeros((ROOM, k.CONTACT_SIZE)), np.zeros((ROOM, k.LAW_SIZE))
    old = (pair.copy(), touch.copy(), contact.copy(), law.copy())
    known: dict[tuple[int, int], float] = {}
    for _ in range(5 if numba.config.DISABLE_JIT else 60):
        new = pairs(rng, rng.integers(0, ROOM + 1))
        found = np.zeros((2 * ROOM, 2), np.int32)
        found[: len(new)] = np.array(new, np.int32).reshape(-1, 2)
        carry(len(new), found, count, pair, touch, contact, law, *old)
        assert count[0] == len(new) and [tuple(row) for row in pair[: len(new)]] == new
        for i, key in enumerate(new):
            value = known.get(key, 0.0)
            assert touch[i] == int(value) and (contact[i] == value).all() and (law[i] == value).all()
        for array in (pair, touch, contact, law):
            assert not array[len(new) :].any()
        known = {key: float(rng.integers(1, 1000)) for key in new}
        for i, key in enumerate(new):
            touch[i], contact[i], law[i] = known[key], known[key], known[key]
