"""The centre of an intersection: well inside by a linear program's word, round by the frame's own identity."""

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray

from hapticd.kernel.contact.dual import write_planes
from hapticd.kernel.contact.interior import CENTRE, FRAME, interior
from hapticd.kernel.contact.layout import Hull
from hapticd.kernel.layout import Solid
from hapticd.kernel.status import DUAL_OK, DUAL_THIN
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_hull, make_solid, pack_shapes
from tests.oracle.distance import ball_radius
from tests.oracle.pairs import random_hull, random_rotation

pytestmark = pytest.mark.kernel

Floats = NDArray[np.float64]
SAMPLES = 5 if config.DISABLE_JIT else 60


def centre_of(a: ConvexShape, b: ConvexShape, R: Floats, p: Floats) -> tuple[int, Solid, Hull]:
    shapes = pack_shapes([a, b])
    solid, hull = make_solid(shapes), make_hull(shapes)
    solid.pose[1] = np.concatenate([R.ravel(), p])
    write_planes(shapes, 0, 1, solid)
    return interior(shapes, 0, 1, solid, hull, len(a.planes) + len(b.planes)), solid, hull


def slacks(solid: Solid, hull: Hull, n: int) -> Floats:
    plane = solid.plane[:n]
    return plane[:, 3] - plane[:, :3] @ hull.centre[CENTRE : CENTRE + 3]


@pytest.mark.parametrize("faces", [6, 32, 100, 300])
def test_is_well_inside_and_round(faces: int) -> None:
    rng = np.random.default_rng(faces)
    for _ in range(SAMPLES):
        shapes = [ConvexShape.box(rng.uniform(0.5, 1, 3)) if faces == 6 else random_hull(rng, faces) for _ in range(2)]
        R, p = random_rotation(rng), 0.3 * rng.normal(size=3)
        n = len(shapes[0].planes) + len(shapes[1].planes)
        status, solid, hull = centre_of(*shapes, R, p)
        radius = ball_radius(solid.plane[: len(shapes[0].planes)], solid.plane[len(shapes[0].planes) : n])
        if radius < 1e-3:
            continue
        assert status == DUAL_OK
        s = slacks(solid, hull, n)
        assert s.min() > 0.1 * radius
        x, yx, y, zx, zy, z = hull.centre[FRAME : FRAME + 6]
        points = (solid.plane[:n, :3] / s[:, None]) @ np.array([[x, 0, 0], [yx, y, 0], [zx, zy, z]]).T
        assert points.T @ points == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_slab_between_flush_boxes(depth: float) -> None:
    """The middle of the slab across and along, although the widest ball may sit in any of its corners."""
    box = ConvexShape.box((1, 1, 1))
    status, solid, hull = centre_of(box, box, np.eye(3), np.array([0.2, 0.1, 1 - depth]))
    assert status == DUAL_OK
    s = slacks(solid, hull, 12)
    along = np.abs(solid.plane[:12, 2]) < 0.5
    assert s[along].min() > 0.1
    assert s.min() > 0.2 * depth


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-9, 1e-3, 1.0, 1e3])
def test_parts_that_are_apart_or_touch_have_none(gap: float) -> None:
    box = ConvexShape.box((1, 1, 1))
    for axis in np.eye(3):
        status, _, _ = centre_of(box, box, np.eye(3), axis * (1 + gap))
        assert status == DUAL_THIN
    rng = np.random.default_rng(5)
    for _ in range(5):
        a, b, R = random_hull(rng, 60), random_hull(rng, 60), random_rotation(rng)
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        apart = (a.vertices @ u).max() - (b.vertices @ R.T @ u).min()
        assert centre_of(a, b, R, (apart * (1 + 1e-14) + gap) * u)[0] == DUAL_THIN


def test_absurd_poses_have_none() -> None:
    box = ConvexShape.box((1, 1, 1))
    with np.errstate(all="ignore"):
        for value in (np.nan, np.inf, 1e300):
            assert centre_of(box, box, np.eye(3), np.array([0, value, 0]))[0] == DUAL_THIN
