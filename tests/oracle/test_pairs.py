"""The generator gives what the exactness rule names: all classes, depths as measured, every pair in contact."""

import itertools

import numpy as np
import pytest

from tests.oracle import pairs
from tests.oracle.exact_clip import clip

POOL = pairs.shape_pool(8)
PAIRS = list(pairs.random_pairs(POOL, 9, 400))


def test_pool() -> None:
    counts = sorted({len(shape.planes) for shape in POOL.shapes})
    assert counts == [6, *pairs.FACE_COUNTS]
    assert POOL.sizes[0] == pytest.approx(pairs.SMALLEST) and POOL.sizes[-1] == pytest.approx(pairs.LARGEST)
    assert all(np.abs(shape.centroid).max() <= 1e-12 * size for shape, size in zip(*POOL, strict=True))


def test_same_seed_same_pairs() -> None:
    for pair, again in zip(PAIRS, itertools.islice(pairs.random_pairs(POOL, 9, 9), 9), strict=False):
        assert np.array_equal(pair.X_WB, again.X_WB) and (pair.a, pair.b) == (again.a, again.b)


def test_range() -> None:
    ratios = [POOL.sizes[p.a] / POOL.sizes[p.b] for p in PAIRS]
    assert max(ratios) <= 1000 * (1 + 1e-9) and min(ratios) >= 1e-3 * (1 - 1e-9)
    assert max(ratios) > 100 and min(ratios) < 1e-2
    relative = [p.depth / min(POOL.sizes[p.a], POOL.sizes[p.b]) for p in PAIRS]
    assert 1e-9 <= min(relative) < 1e-8 and 0.1 < max(relative) <= 0.5
    assert {p.orientation for p in PAIRS} == set(pairs.ORIENTATIONS)
    assert max(np.abs(p.X_WA[9:]).max() for p in PAIRS) > 900


def test_depth_is_the_overlap_along_the_direction() -> None:
    for p in PAIRS:
        a, b = POOL.shapes[p.a], POOL.shapes[p.b]
        R, t = pairs.relative_pose(p.X_WA, p.X_WB)
        u = p.X_WA[:9].reshape(3, 3).T @ p.direction
        depth = np.max(a.vertices @ u) - np.min((b.vertices @ R.T + t) @ u)
        rounding = 1e-15 * (np.abs(p.X_WA[9:]).max() + POOL.sizes[p.a] + POOL.sizes[p.b])
        assert depth == pytest.approx(p.depth, rel=1e-9, abs=4 * rounding)


def test_all_are_in_contact() -> None:
    for p in PAIRS[:120]:
        a, b = POOL.shapes[p.a].planes, POOL.shapes[p.b].planes
        if len(a) + len(b) <= 80:
            assert clip(a, b, *pairs.relative_pose(p.X_WA, p.X_WB)) is not None


def test_tilts_are_there() -> None:
    tilts = [
        np.abs(R - np.round(R)).max()
        for p in PAIRS
        if p.orientation == "tilted"
        for R in [pairs.relative_pose(p.X_WA, p.X_WB)[0]]
    ]
    assert min(tilts) < 1e-14 and 1e-4 < max(tilts) < 1.1e-3
