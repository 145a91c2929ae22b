"""The exact clip against solids known in closed form, and against itself."""

from fractions import Fraction

import numpy as np
import pytest

from hapticd.scene.convex import ConvexShape
from tests.oracle.exact_clip import OWNER_A, OWNER_B, clip
from tests.oracle.pairs import random_pairs, random_rotation, relative_pose, shape_pool

BOX = ConvexShape.box((1, 1, 1)).planes
EYE = np.eye(3)


@pytest.mark.parametrize("shift", [(0.5, 0, 0), (0.5, 0.25, 0), (0.5, -0.25, 0.75), (0, 0, 0), (1 - 2**-50, 0, 0)])
def test_shifted_boxes(shift: tuple[float, float, float]) -> None:
    solid = clip(BOX, BOX, EYE, np.array(shift))
    sides = [1 - abs(Fraction(s)) for s in shift]
    assert solid is not None and abs(solid.volume - sides[0] * sides[1] * sides[2]) < Fraction(1, 10**100)
    assert [abs(c - Fraction(s) / 2) < Fraction(1, 10**100) for c, s in zip(solid.centroid, shift, strict=True)] == [
        True
    ] * 3
    expected = [-np.sign(s) * float(sides[i - 2] * sides[i - 1]) for i, s in enumerate(shift)]
    assert [float(x) for x in solid.area_vector(OWNER_B)] == pytest.approx(expected, rel=1e-15)
    assert len(solid.planes) == 6


@pytest.mark.parametrize("shift", [(1, 0, 0), (1, 1, 1), (2, 0, 0), (1 + 2**-50, 0, 0)])
def test_touching_or_apart_is_nothing(shift: tuple[float, float, float]) -> None:
    assert clip(BOX, BOX, EYE, np.array(shift)) is None


def test_box_turned_by_45_degrees() -> None:
    """The unit square and itself turned by 45 degrees share a regular octagon of inradius 1/2."""
    c = np.sqrt(0.5)
    solid = clip(BOX, BOX, np.array([[c, -c, 0], [c, c, 0], [0, 0, 1]]), np.zeros(3))
    assert float(solid.volume) == pytest.approx(2 * np.tan(np.pi / 8), rel=1e-14)
    assert sorted(solid.owners) == [OWNER_A] * 6 + [OWNER_B] * 4


def test_corner_in_corner() -> None:
    """Boxes that meet in a corner: faces of B are three rectangles, moments by hand."""
    solid = clip(BOX, BOX, EYE, np.array([0.75, 0.5, 0.5]))
    moments = solid.area_moments(np.array([-1.0, 0, 0]))
    assert moments.area == pytest.approx(0.25)
    assert moments.centre == pytest.approx([0.375, 0.25, 0.25])
    assert moments.moment == pytest.approx(np.diag([0, 0.5**4 / 12, 0.5**4 / 12]), abs=1e-17)


def test_whole_solid_inside() -> None:
    small = ConvexShape.sphere(0.1, 0.01)
    solid = clip(BOX, small.planes, EYE, np.array([0.125, 0.25, -0.125]))
    assert float(solid.volume) == pytest.approx(small.volume, rel=1e-13)
    assert [float(x) for x in solid.area_vector(OWNER_B)] == pytest.approx([0, 0, 0], abs=1e-16)
    assert solid.area(OWNER_A) == 0.0


def test_swapped_and_closed() -> None:
    """A in B is B in A, and the area vectors of both sides cancel: exactly, whatever the pair."""
    pool = shape_pool(3, sizes_each=2)
    for pair in random_pairs(pool, 4, 25):
        a, b = pool.shapes[pair.a].planes, pool.shapes[pair.b].planes
        if len(a) + len(b) > 120:
            continue
        R, t = relative_pose(pair.X_WA, pair.X_WB)
        solid = clip(a, b, R, t)
        swapped = clip(_turn(b, R, t), a, EYE, np.zeros(3))
        assert float(swapped.volume) == pytest.approx(float(solid.volume), rel=1e-6)
        size = float(max(abs(x) for x in solid.area_vector(OWNER_B)))
        ends = [x + y for x, y in zip(solid.area_vector(OWNER_A), solid.area_vector(OWNER_B), strict=True)]
        assert max(abs(float(x)) for x in ends) <= 1e-90 + 1e-60 * size


def _turn(planes: np.ndarray, R: np.ndarray, t: np.ndarray) -> np.ndarray:
    n = planes[:, :3] @ R.T
    return np.column_stack([n, planes[:, 3] + n @ t])


def test_any_rotation_of_both() -> None:
    rng = np.random.default_rng(5)
    hull = ConvexShape(rng.normal(size=(12, 3)))
    R, t = random_rotation(rng), np.array([0.7, -0.2, 0.4])
    volume = float(clip(BOX, hull.planes, R, t).volume)
    Q = random_rotation(rng)
    turned = clip(_turn(BOX, Q, np.ones(3)), hull.planes, Q @ R, Q @ t + 1.0)
    assert float(turned.volume) == pytest.approx(volume, rel=1e-13)
