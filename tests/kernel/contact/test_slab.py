"""The direction of least overlap: right about what is apart, and never wrong about what is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.kernel.contact.slab import first_direction, slab
from tests.oracle.pair import Pair, pose, random_hull, random_rotation

pytestmark = pytest.mark.kernel


def relative(pair: Pair, X: np.ndarray) -> np.ndarray:
    pair.solid.pose[0] = pose(np.eye(3), np.zeros(3))
    pair.solid.pose[1] = X
    return pair.solid.pose


@given(st.integers(0, 2**32 - 1))
def test_slab_is_the_extent_of_both(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_hull(rng, 12), random_hull(rng, 60)  # one is searched whole, the other from corner to corner
    R, p = random_rotation(rng), rng.normal(size=3)
    pair = Pair.of(a, b)
    u = random_rotation(rng)[0]
    bottom, _, top, _ = slab(pair.shapes, 0, 1, relative(pair, pose(R, p)), *u)
    assert bottom == pytest.approx((a.vertices @ u).min(), abs=1e-14)
    assert top == pytest.approx(((b.vertices @ R.T + p) @ u).max(), abs=1e-14)


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 3.0))
def test_spheres_that_are_apart_are_seen_so_at_once(seed: int, gap: float) -> None:
    rng = np.random.default_rng(seed)
    pair = Pair.of(random_hull(rng), random_hull(rng))
    u = random_rotation(rng)[0]
    poses = relative(pair, pose(random_rotation(rng), (2.0 + gap) * u))
    direction = first_direction(pair.shapes, 0, 1, poses)
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    bottom, _, top, _ = slab(pair.shapes, 0, 1, poses, *direction)
    assert top < bottom
