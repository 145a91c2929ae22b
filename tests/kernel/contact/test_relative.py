"""Poses: turning there and back, and one frame seen from another."""

import numpy as np
import pytest

from hapticd.kernel.contact.relative import turn, turn_back, write_relative
from tests.oracle.pair import pose, random_rotation

pytestmark = pytest.mark.kernel


def test_turn_and_back() -> None:
    R = random_rotation(np.random.default_rng(0))
    X, a = pose(R, (1, 2, 3))[None], np.array([0.3, -2.0, 0.7])
    assert turn(X, 0, *a) == pytest.approx(R @ a)
    assert turn_back(X, 0, *turn(X, 0, *a)) == pytest.approx(a)


def test_relative_pose_far_from_the_origin_keeps_its_digits() -> None:
    rng = np.random.default_rng(1)
    R_A, R_B, p_A = random_rotation(rng), random_rotation(rng), np.array([1000.0, -1000.0, 500.0])
    shift = np.array([2.0**-20, 2.0**-10, -(2.0**-15)])  # exact after the addition
    out = np.zeros((1, 12))
    write_relative(np.array([pose(R_A, p_A), pose(R_B, p_A + shift)]), 0, 1, out, 0)
    assert out[0, :9].reshape(3, 3) == pytest.approx(R_A.T @ R_B, abs=1e-15)
    assert out[0, 9:] == pytest.approx(R_A.T @ shift, rel=1e-12)
