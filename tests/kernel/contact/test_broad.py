"""Broad phase against all pairs compared one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hapticd.kernel.contact.broad import find_pairs, world_boxes
from hapticd.kernel.layout import Near
from hapticd.scene.pack import make_near

pytestmark = pytest.mark.kernel


def near_of(low: np.ndarray, high: np.ndarray, n_pair: int = 4000) -> Near:
    near = make_near(len(low), n_pair)
    near.low[:], near.high[:] = low, high
    return near


def overlapping(low: np.ndarray, high: np.ndarray) -> list[tuple[int, int]]:
    n = len(low)
    return [
        (a, b) for a in range(n) for b in range(a + 1, n) if (low[a] <= high[b]).all() and (low[b] <= high[a]).all()
    ]


def pairs(near: Near, body: np.ndarray | None = None, still: np.ndarray | None = None) -> list[tuple[int, int]]:
    n = len(near.low)
    body = np.arange(n, dtype=np.int32) if body is None else body
    still = np.zeros(n, dtype=bool) if still is None else still
    found = find_pairs(near, body, still, n)
    return [(int(a), int(b)) for a, b in near.pair[:found]]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.sampled_from(["heap", "row", "field", "floor", "one place"]))
def test_same_as_comparing_all(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    middle = rng.random((n, 3)) * {"heap": (4, 4, 4), "row": (0, 50, 0), "field": (9, 9, 0)}.get(kind, (5, 5, 1))
    if kind == "one place":
        middle[:] = 1.0
    half = rng.uniform(0.1, 1.0, (n, 3))
    low, high = middle - half, middle + half
    if kind == "floor":
        low[0], high[0] = (-1e3, -1e3, -1), (1e3, 1e3, 0)
    near = near_of(low, high)
    for _ in range(3):  # the order of the last call is only a start
        assert pairs(near) == overlapping(near.low, near.high)
        shift = rng.normal(0, 0.5, (n, 3))
        near.low[:] += shift
        near.high[:] += shift


def test_parts_of_a_body_and_still_bodies_make_no_pairs() -> None:
    low, high = np.zeros((4, 3)), np.ones((4, 3))
    body = np.array([0, 0, 1, 2], dtype=np.int32)
    still = np.array([False, True, True])
    assert pairs(near_of(low, high), body, still) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_more_pairs_than_fit_are_counted() -> None:
    near = near_of(np.zeros((10, 3)), np.ones((10, 3)), n_pair=7)
    assert find_pairs(near, np.arange(10, dtype=np.int32), np.zeros(10, dtype=bool), 10) == 45


def test_world_boxes_hold_the_turned_part() -> None:
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    position = rng.normal(size=3)
    box = np.array([[0.1, 0.2, -0.3, 1.0, 2.0, 0.5]])
    low, high = np.zeros((1, 3)), np.zeros((1, 3))
    world_boxes(box, np.zeros(1, dtype=np.int32), np.hstack([turn.ravel(), position])[None], 1, 0.01, low, high)
    corners = box[0, :3] + box[0, 3:] * np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    world = corners @ turn.T + position
    assert low[0] == pytest.approx(world.min(axis=0) - 0.01, abs=1e-12)
    assert high[0] == pytest.approx(world.max(axis=0) + 0.01, abs=1e-12)
