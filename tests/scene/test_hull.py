"""The polygon hull against what is known of the solid, and where points are flush, collinear or nearly equal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from hapticd.scene.convex import ConvexShape
from hapticd.scene.hull import HullError, check_polyhedron, polygon_hull

CUBE = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return Rotation.from_quat(q / np.linalg.norm(q)).as_matrix()


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("seed", range(5))
def test_points_all_over_a_turned_box(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, n)] * 3), axis=-1).reshape(-1, 3)
    shape = ConvexShape(grid @ random_rotation(rng).T + 10 ** rng.uniform(-3, 3) * rng.normal(size=3))
    assert (len(shape.vertices), len(shape.planes)) == (8, 6)


@pytest.mark.parametrize("n", [3, 12, 100, 500])
def test_turned_prism_keeps_its_faces(n: int) -> None:
    rng = np.random.default_rng(n)
    for scale in (1e-3, 1.0, 1e3):
        shape = ConvexShape(scale * ConvexShape.prism(n, 0.5, radius=1).vertices @ random_rotation(rng).T)
        assert (len(shape.vertices), len(shape.planes)) == (2 * n, n + 2)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), noise=st.integers(-17, -6), n=st.integers(2, 5))
def test_noise_at_any_level(seed: int, noise: int, n: int) -> None:
    """Flush but for noise, also at the merging tolerance itself: always a polyhedron, always the volume."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, n)] * 3), axis=-1).reshape(-1, 3)
    points = grid @ random_rotation(rng).T
    points += 10.0**noise * rng.normal(size=points.shape)
    shape = ConvexShape(points)
    check_polyhedron([face.tolist() for face in shape.faces])
    assert shape.volume == pytest.approx(ConvexHull(points).volume, rel=1e-8)
    assert_planes_fit(shape)
    assert_planes_fit(shape.moved(rng.normal(size=3), random_rotation(rng)))
    assert (points @ shape.planes[:, :3].T - shape.planes[:, 3]).max() <= 1e-12


def assert_planes_fit(shape: ConvexShape) -> None:
    """Every plane passes through its own corners and leaves none outside, also those of faces as thin as rounding."""
    heights = shape.vertices @ shape.planes[:, :3].T - shape.planes[:, 3]
    size = np.abs(shape.vertices).max()
    assert heights.max() <= 1e-15 * size
    assert min(heights[face, i].min() for i, face in enumerate(shape.faces)) >= -2e-13 * size


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), near=st.integers(-18, -8))
def test_nearly_equal_points(seed: int, near: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    twice = np.unique(np.vstack([points, points + 10.0**near * rng.normal(size=points.shape)]), axis=0)
    shape = ConvexShape(twice)
    assert shape.volume == pytest.approx(ConvexHull(points).volume, rel=1e-6)


def test_volume_is_that_of_qhull_in_general_position() -> None:
    points = np.random.default_rng(3).normal(size=(300, 3))
    shape, hull = ConvexShape(points), ConvexHull(points)
    assert shape.volume == pytest.approx(hull.volume, rel=1e-12)
    assert len(shape.planes) == len(hull.simplices)
    assert np.array_equal(shape.vertices, points[np.sort(hull.vertices)])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 80))
def test_order_and_rotation_do_not_matter(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    volume = ConvexShape(points).volume
    assert ConvexShape(rng.permutation(points)).volume == pytest.approx(volume, rel=1e-12)
    assert ConvexShape(points @ random_rotation(rng).T).volume == pytest.approx(volume, rel=1e-12)


def test_cube_is_a_polyhedron() -> None:
    check_polyhedron(CUBE)


@pytest.mark.parametrize(
    "loops",
    [
        CUBE[:5],  # open
        [*CUBE[:5], CUBE[5][::-1]],  # a face turned over
        [*CUBE, [8, 9, 10], [8, 10, 9]],  # something besides it
        [[0, 1, 2, 3], [0, 3, 2], [0, 2, 1], [0, 1, 2]],  # an edge twice
        [[0, 1, 2], [0, 2, 3], [0, 3, 2, 4], [0, 4, 2, 1], [1, 0], [2, 1]],  # a face of two corners
        [[0, 1, 4], [1, 2, 4], [0, 4, 2, 3, 5], [0, 5, 3, 2, 1]],  # corners of two edges: two faces share a path
    ],
)
def test_what_is_no_polyhedron(loops: list[list[int]]) -> None:
    with pytest.raises(HullError):
        check_polyhedron(loops)


def test_flat_points_have_no_hull() -> None:
    with pytest.raises(HullError):
        polygon_hull(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]))
