"""The quadrature against integrals known in closed form."""

import numpy as np
import pytest

from hapticd.scene.convex import ConvexShape
from tests.oracle.exact_clip import OWNER_B, clip
from tests.oracle.quadrature import (
    coulomb_wrench,
    face_points,
    integrate,
    pressure_wrench,
    projected_points,
    rigid_velocity,
    solid_spring_wrench,
)

SQUARE = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
Z = np.array([0.0, 0.0, 1.0])
ORIGIN = np.zeros(3)


def ones(points: np.ndarray) -> np.ndarray:
    return np.ones(len(points))


def test_polynomials() -> None:
    points, weights = face_points(SQUARE)
    assert weights.sum() == pytest.approx(1.0, rel=1e-12)
    assert integrate(lambda p: p[:, 0] ** 2, points, weights) == pytest.approx(1 / 12, rel=1e-3)
    assert integrate(lambda p: p, points, weights) == pytest.approx([0, 0, 0], abs=1e-12)


def test_spin_torque_of_a_square() -> None:
    """The integral of |p| over the unit square is (sqrt 2 + asinh 1) / 6."""
    wrench = coulomb_wrench([SQUARE], ones, 0.5, rigid_velocity(ORIGIN, 3 * Z, ORIGIN), Z, ORIGIN)
    expected = -0.5 * (np.sqrt(2) + np.arcsinh(1)) / 6
    assert wrench == pytest.approx([0, 0, 0, 0, 0, expected], rel=1e-3, abs=1e-4)


def test_pure_sliding() -> None:
    slide = rigid_velocity(np.array([0.0, -2.0, 5.0]), ORIGIN, ORIGIN)
    wrench = coulomb_wrench([SQUARE + Z], lambda p: 2 + p[:, 0], 0.5, slide, Z, ORIGIN)
    assert wrench == pytest.approx([0, 1.0, 0, 0, 0, 0.5 / 12], rel=1e-3, abs=1e-9)


def test_standing_still_is_no_friction() -> None:
    assert not coulomb_wrench([SQUARE], ones, 0.5, rigid_velocity(ORIGIN, ORIGIN, ORIGIN), Z, ORIGIN).any()


def test_pressure() -> None:
    wrench = pressure_wrench([SQUARE], lambda p: 3 * p[:, 1], Z, ORIGIN)
    assert wrench == pytest.approx([0, 0, 0, 3 / 12, 0, 0], rel=1e-3, abs=1e-4)


def test_contact_of_two_solids() -> None:
    """Area moments and the spring sum of a tilted pair, against the exact solid: two oracles, no common code."""
    box, hull = ConvexShape.box((1, 1, 1)), ConvexShape(np.random.default_rng(2).normal(size=(14, 3)))
    solid = clip(box.planes, hull.planes, np.eye(3), np.array([0.9, 0.6, 0.2]))
    vector = np.array([float(x) for x in solid.area_vector(OWNER_B)])
    n = vector / np.linalg.norm(vector)
    moments = solid.area_moments(n)
    points, weights = projected_points(solid.polygons(OWNER_B), n)
    centre = moments.centre - [float(c) for c in solid.centroid]
    assert weights.sum() == pytest.approx(moments.area, rel=1e-9)
    assert integrate(lambda p: p, points, weights) / moments.area == pytest.approx(centre, abs=1e-9)
    second = integrate(lambda p: np.einsum("ki,kj->kij", p - centre, p - centre).reshape(-1, 9), points, weights)
    assert second.reshape(3, 3) == pytest.approx(moments.moment, rel=1e-2, abs=1e-3 * np.trace(moments.moment))
    wrench = solid_spring_wrench(solid.polygons(), 10.0, n)
    assert wrench[:3] == pytest.approx(10.0 * float(solid.volume) * n, rel=1e-9)
    assert np.abs(wrench[3:]).max() <= 1e-3 * np.linalg.norm(wrench[:3])


def test_error_falls_with_the_square_of_n() -> None:
    """Also where the direction of sliding jumps: a spin about a point inside the area."""
    expected = (np.sqrt(2) + np.arcsinh(1)) / 6
    errors = [
        abs(coulomb_wrench([SQUARE], ones, 1.0, rigid_velocity(ORIGIN, Z, ORIGIN), Z, ORIGIN, n)[5] + expected)
        for n in (8, 64)
    ]
    assert errors[1] < errors[0] / 40
