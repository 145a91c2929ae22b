"""Cholesky of small matrices, against numpy."""

import numpy as np
import pytest

from hapticd.drivers.small_matrix import factor, solve

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n", [1, 2, 3, 6, 8])
def test_solves_what_numpy_solves(n):
    rng = np.random.default_rng(n)
    M = rng.normal(size=(n, n))
    M = M @ M.T + 0.1 * np.eye(n)
    b = rng.normal(size=n)
    wanted = np.linalg.solve(M, b)
    big = np.full((n + 2, n + 2), np.nan)  # only the leading block may be read
    big[:n, :n] = M
    assert factor(big, n)
    solve(big, n, b)
    assert np.abs(b - wanted).max() < 1e-9


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_refuses_what_is_not_positive_definite(bad):
    M = np.eye(3)
    M[1, 1] = bad
    assert not factor(M, 3)
