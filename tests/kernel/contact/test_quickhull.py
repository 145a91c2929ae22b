"""QuickHull against Qhull, and on what breaks hulls: duplicates, planes full of points, lines, noise."""

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from hapticd.kernel.contact.layout import HULL_FACETS, Hull
from hapticd.kernel.contact.quickhull import DEAD, quickhull
from hapticd.kernel.status import HULL_FLAT, HULL_OK
from hapticd.scene.pack import hull_for

pytestmark = pytest.mark.kernel

Floats = NDArray[np.float64]
SAMPLES = 3 if config.DISABLE_JIT else 40


def hull_of(points: Floats) -> tuple[int, Hull]:
    hull = hull_for(len(points))
    hull.point[:] = points
    return quickhull(hull, len(points)), hull


def facets(hull: Hull) -> NDArray[np.intp]:
    return np.flatnonzero(hull.mark[: hull.count[HULL_FACETS]] != DEAD)


def assert_hull(points: Floats, hull: Hull) -> None:
    """A closed surface of triangles with every point behind every facet."""
    alive = facets(hull)
    corners = set()
    for f in alive:
        for k in range(3):
            twin = hull.twin[4 * f + k]
            assert hull.twin[twin] == 4 * f + k
            assert hull.vertex[4 * f + k] == hull.vertex[4 * (twin >> 2) + ((twin & 3) + 1) % 3]
            corners.add(int(hull.vertex[4 * f + k]))
    assert len(alive) == 2 * len(corners) - 4
    normals = hull.plane[alive, :3]
    lengths = np.linalg.norm(normals, axis=1)
    above = (normals @ points.T - hull.plane[alive, 3:4]) / lengths[:, None]
    assert above[lengths > 1e-9].max() <= 1e-11


def volume(hull: Hull) -> float:
    corners = hull.point[hull.vertex.reshape(-1, 4)[facets(hull), :3]]
    return float(np.linalg.det(corners).sum() / 6)


@pytest.mark.parametrize("n", [4, 5, 12, 60, 300, 1200])
@pytest.mark.parametrize("kind", ["sphere", "ball", "flat"])
def test_is_qhulls(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    for _ in range(max(1, min(SAMPLES, 3000 // n))):
        points = rng.normal(size=(n, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        if kind == "ball":
            points *= rng.uniform(size=(n, 1)) ** (1 / 3)
        if kind == "flat":
            points[:, 2] *= 1e-3
        status, hull = hull_of(points)
        assert status == HULL_OK
        assert_hull(points, hull)
        assert volume(hull) == pytest.approx(ConvexHull(points).volume, rel=1e-12)
        if config.DISABLE_JIT:
            break


def test_points_in_planes_and_on_lines() -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 5)] * 3), -1).reshape(-1, 3)
    rng = np.random.default_rng(1)
    for noise in (0.0, 1e-16, 1e-15, 1e-14, 1e-9):
        points = rng.permutation(grid) + noise * rng.normal(size=grid.shape)
        status, hull = hull_of(points)
        assert status == HULL_OK
        assert volume(hull) == pytest.approx(1.0, rel=max(1e-12, 10 * noise))


def test_duplicates_are_inside() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(30, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    status, hull = hull_of(np.repeat(points, 4, axis=0) + 1e-15 * rng.normal(size=(120, 3)))
    assert status == HULL_OK
    assert_hull(points, hull)
    assert volume(hull) == pytest.approx(ConvexHull(points).volume, rel=1e-12)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_what_spans_no_volume_is_flat(rank: int) -> None:
    points = np.random.default_rng(3).normal(size=(20, 3))
    points[:, rank:] = 0.1
    assert hull_of(points)[0] == HULL_FLAT
    assert hull_of(points[:3])[0] == HULL_FLAT


def test_rounding_noise_ends_with_a_status() -> None:
    """Points that are all one point but for noise, NaN or huge numbers: any status, but an end."""
    rng = np.random.default_rng(4)
    with np.errstate(all="ignore"):
        for scale in (1e-17, 1e-13, 1e-6, 1e150):
            hull_of(0.3 + scale * rng.normal(size=(200, 3)))
        hull_of(np.full((50, 3), np.nan))
