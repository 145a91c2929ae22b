"""The nearest point of a simplex against a fine search, and on simplices that are flat."""

import itertools

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray
from scipy.optimize import nnls

from hapticd.kernel.contact.simplex import nearest

pytestmark = pytest.mark.kernel

SAMPLES = 50 if config.DISABLE_JIT else 1000


def true_square(corners: NDArray[np.float64]) -> float:
    """Least over all faces of the simplex of the distance to its plane, where the foot is inside."""
    best = np.inf
    for k in range(1, len(corners) + 1):
        for face in itertools.combinations(corners, k):
            points = np.array(face)
            # weights that sum up to 1: the last row outweighs the others, so the sum is right to 1e-12
            matrix = np.vstack([points.T, np.full(k, 1e6)])
            weights = nnls(matrix, np.array([0, 0, 0, 1e6]))[0]
            foot = weights / weights.sum() @ points
            best = min(best, foot @ foot)
    return float(best)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_is_the_nearest(n: int) -> None:
    rng = np.random.default_rng(n)
    corner, weight = np.zeros((4, 3)), np.zeros(4)
    for _ in range(SAMPLES):
        corner[:] = rng.normal(size=(4, 3)) + rng.normal(size=3)
        nearest(corner, n, weight)
        assert (weight[:n] >= 0).all()
        assert not weight[n:].any()
        assert weight.sum() == pytest.approx(1, rel=1e-14)
        point = weight @ corner
        assert point @ point <= true_square(corner[:n]) * (1 + 1e-9) + 1e-20


def test_flat_simplices_lose_nothing() -> None:
    corner, weight = np.zeros((4, 3)), np.zeros(4)
    square = np.array([[1, 1, 1], [-1, 1, 1], [-1, -1, 1], [1, -1, 1.0]])
    for order in itertools.permutations(range(4)):
        for shift in (0.0, 0.5, 1.5):
            corner[:] = square[list(order)] + [shift, 0, 0]
            nearest(corner, 4, weight)
            point = weight @ corner
            assert point == pytest.approx([max(shift - 1, 0), 0, 1], abs=1e-14)
    corner[:3] = [[1, -1, 0], [1, 0, 0], [1, 3, 0]]  # on one line
    nearest(corner, 3, weight)
    assert weight[:3] @ corner[:3] == pytest.approx([1, 0, 0], abs=1e-14)
    corner[:] = [2, 0, 0]  # one point
    for n in (1, 2, 3, 4):
        nearest(corner, n, weight)
        assert weight @ corner == pytest.approx([2, 0, 0], abs=1e-14)
