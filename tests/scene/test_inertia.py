"""Mass properties against closed forms, and against points thrown at random."""

import numpy as np
import pytest

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape

BOX_SIDES = np.array([0.3, 1.1, 2.0])


def test_box() -> None:
    shape = ConvexShape.box(BOX_SIDES).moved((5.0, -3.0, 2.0))
    squares = BOX_SIDES**2
    assert shape.volume == pytest.approx(np.prod(BOX_SIDES), rel=1e-13)
    assert shape.centroid == pytest.approx([5.0, -3.0, 2.0], rel=1e-13)
    expected = np.diag(squares.sum() - squares) * 7.0 / 12
    assert shape.inertia(mass=7.0) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert shape.inertia(7.0 / shape.volume) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_tetrahedron() -> None:
    """Corners 0 and the unit vectors, closed form: second moment about 0 is 1/60 on the diagonal, 1/120 off it."""
    shape = ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    second = (np.ones((3, 3)) + np.eye(3)) / 120 - np.full((3, 3), 1 / 16) / 6
    expected = np.trace(second) * np.eye(3) - second
    assert shape.volume == pytest.approx(1 / 6, rel=1e-14)
    assert shape.centroid == pytest.approx([1 / 4] * 3, rel=1e-14)
    assert shape.inertia(1.0) == pytest.approx(expected, rel=1e-13)


def test_round_bodies_converge() -> None:
    """An inscribed n-gon has the area pi r^2 sinc(2 pi / n); fine facets come near the true cylinder and sphere."""
    cylinder = ConvexShape.cylinder(0.5, 2.0, 1e-4)
    assert cylinder.inertia(mass=1.0)[2, 2] == pytest.approx(0.5**2 / 2, rel=1e-3)
    assert cylinder.inertia(mass=1.0)[0, 0] == pytest.approx((3 * 0.5**2 + 2.0**2) / 12, rel=1e-3)
    sphere = ConvexShape.sphere(2.0, 0.01)
    assert sphere.inertia(mass=1.0) == pytest.approx(np.eye(3) * 2 / 5 * 4, rel=2e-2, abs=1e-10)


def test_random_hull_against_random_points() -> None:
    """400000 points in the bounding box: the relative error of a mean is about 1/sqrt(n); five of those are allowed."""
    rng = np.random.default_rng(5)
    shape = ConvexShape(rng.normal(size=(15, 3)))
    low, high = shape.bounds
    n = 400_000
    points = rng.uniform(low, high, (n, 3))
    inside = points[(points @ shape.planes[:, :3].T <= shape.planes[:, 3]).all(axis=1)]
    share = len(inside) / n
    assert shape.volume == pytest.approx(share * np.prod(high - low), rel=5 / np.sqrt(n * share))
    spread = np.ptp(inside, axis=0).max() / np.sqrt(len(inside))
    assert shape.centroid == pytest.approx(inside.mean(axis=0), abs=5 * spread)
    second = np.cov(inside.T, bias=True)
    expected = np.trace(second) * np.eye(3) - second
    assert shape.inertia(mass=1.0) == pytest.approx(expected, abs=5 * np.trace(expected) / np.sqrt(len(inside)))


def test_shift_and_rotation() -> None:
    shape = ConvexShape(np.random.default_rng(6).normal(size=(30, 3)))
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    moved = shape.moved((1, 2, 3), R, scale=2.0)
    assert moved.volume == pytest.approx(8 * shape.volume, rel=1e-13)
    assert moved.centroid == pytest.approx(R @ (2 * shape.centroid) + [1, 2, 3], rel=1e-13)
    assert np.array_equal(moved.inertia(1.0), moved.inertia(1.0).T)
    assert moved.inertia(1.0) == pytest.approx(32 * R @ shape.inertia(1.0) @ R.T, rel=1e-12)


def test_density_or_mass() -> None:
    shape = ConvexShape.box((1, 1, 1), name="lid")
    assert shape.mass(500.0) == 500.0
    for wrong in ({}, {"density": 1.0, "mass": 1.0}):
        with pytest.raises(SceneError, match="lid: give either density or mass"):
            shape.inertia(**wrong)
