"""The paper's way against the exact clip: what it says is right, and where it says nothing."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray

from hapticd.kernel.contact.dual import dual_solid
from hapticd.kernel.contact.measure import measure
from hapticd.kernel.layout import SOLID_NODES, Solid
from hapticd.kernel.status import DUAL_FULL, DUAL_OK, DUAL_THIN
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import hull_for, make_hull, make_solid, pack_shapes
from tests.oracle import exact_clip
from tests.oracle.allocation import allocations, one_array
from tests.oracle.hull_volume import shared_volume
from tests.oracle.pairs import random_hull, random_pairs, random_rotation, relative_pose, shape_pool

pytestmark = pytest.mark.kernel

Floats = NDArray[np.float64]
PAIRS = 20 if config.DISABLE_JIT else 400


class Dual:
    def __init__(self, *parts: ConvexShape) -> None:
        self.parts = parts
        self.shapes = pack_shapes(parts)
        self.solid, self.hull = make_solid(self.shapes), make_hull(self.shapes)

    def __call__(self, base: int, cutter: int, R: Floats, p: Floats) -> int:
        self.solid.pose[1] = np.concatenate([R.ravel(), p])
        return int(dual_solid(self.shapes, base, cutter, self.solid, self.hull))

    def volume(self, base: int) -> float:
        return float(measure(self.shapes, base, self.solid)[0])


def assert_graph(solid: Solid) -> None:
    """3-regular, closed, of one piece by Euler's formula; every node on the planes of its three faces."""
    n = solid.count[SOLID_NODES]
    faces = set()
    size = np.ptp(solid.node[:, :n], axis=1).max()
    for i in range(n):
        for k in range(3):
            h = 4 * i + k
            t = solid.twin[h]
            assert t >> 2 != i
            assert solid.twin[t] == h
            # the face on the left of an edge is the one on the right of its twin
            assert solid.face[h] == solid.face[4 * (t >> 2) + ((t & 3) + 2) % 3]
            plane = solid.plane[solid.face[h]]
            assert abs(plane[:3] @ solid.node[:, i] - plane[3]) < 1e-9 * size
            faces.add(int(solid.face[h]))
    assert n == 2 * len(faces) - 4


@pytest.mark.parametrize("faces", [6, 32, 100, 300])
def test_deep_hulls_are_exact(faces: int) -> None:
    """Volume, centroid, the area vector and both areas, against rationals."""
    rng = np.random.default_rng(faces)
    for _ in range(1 if config.DISABLE_JIT or faces == 300 else 4):
        parts = [ConvexShape.box(rng.uniform(0.5, 1, 3)) if faces == 6 else random_hull(rng, faces) for _ in range(2)]
        dual = Dual(*parts)
        R, p = random_rotation(rng), 0.15 * rng.normal(size=3)
        true = exact_clip.clip(parts[0].planes, parts[1].planes, R, p)
        assert true is not None
        assert dual(0, 1, R, p) == DUAL_OK
        assert_graph(dual.solid)
        volume, ax, ay, az, cutter_area, base_area = measure(dual.shapes, 0, dual.solid)
        assert volume == pytest.approx(float(true.volume), rel=1e-12)
        assert dual.solid.centroid == pytest.approx([float(c) for c in true.centroid], abs=1e-12)
        assert base_area == pytest.approx(true.area(exact_clip.OWNER_A), rel=1e-12)
        assert cutter_area == pytest.approx(true.area(exact_clip.OWNER_B), rel=1e-12)
        vector = [float(c) for c in true.area_vector(exact_clip.OWNER_B)]
        assert [ax, ay, az] == pytest.approx(vector, abs=1e-12 * (cutter_area + base_area))


def test_random_pairs_are_right_or_refused() -> None:
    """All classes of the exactness set; nothing wrong, and nothing refused of what is deeper than a thousandth."""
    pool = shape_pool(1)
    dual = Dual(*pool.shapes)
    radius = np.linalg.norm(dual.shapes.box[:, 3:], axis=1)
    statuses: Counter[int] = Counter()
    for k, pair in enumerate(random_pairs(pool, 4, PAIRS)):
        base, cutter, X, Y = pair.a, pair.b, pair.X_WA, pair.X_WB
        if radius[base] > radius[cutter]:
            base, cutter, X, Y = cutter, base, Y, X
        R, p = relative_pose(X, Y)
        status = dual(base, cutter, R, p)
        statuses[status] += 1
        a, b = pool.shapes[base], pool.shapes[cutter]
        smaller = min(a.volume, b.volume)
        if status != DUAL_OK:
            assert pair.depth < 1e-3 * min(pool.sizes[pair.a], pool.sizes[pair.b])
            assert dual.solid.count[SOLID_NODES] == 0
            continue
        if k % 30 == 0:
            solid = exact_clip.clip(a.planes, b.planes, R, p)
            true = float(solid.volume if solid is not None else Fraction(0))
        else:
            true = shared_volume(a.planes, b.planes, R, p)
        assert abs(dual.volume(base) - true) <= 1e-9 * true + 1e-12 * smaller
    assert statuses[DUAL_OK] > 0.97 * PAIRS


def test_flush_faces_of_deep_boxes() -> None:
    """Up to six pairs of planes that are the same, and corners where more than three planes meet."""
    dual = Dual(ConvexShape.box((1, 1, 2)), ConvexShape.box((1, 2, 1)))
    for shift, true in (
        ((0, 0, 0), 1.0),
        ((0, 0.5, 0), 1.0),
        ((0.25, 0, 0), 0.75),
        ((0, 0.5, 0.5), 1.0),
        ((0, 1, 1), 0.25),
    ):
        for tilt in (0.0, 1e-15, 1e-12):
            R = np.array([[1, -tilt, 0], [tilt, 1, 0], [0, 0, 1.0]])
            assert dual(0, 1, R, np.array(shift, dtype=float)) == DUAL_OK
            assert_graph(dual.solid)
            assert dual.volume(0) == pytest.approx(true, rel=1e-11)


def test_identical_hulls() -> None:
    """Every plane twice."""
    rng = np.random.default_rng(6)
    for faces in (32, 100):
        shape = random_hull(rng, faces)
        dual = Dual(shape, shape)
        assert dual(0, 1, np.eye(3), np.zeros(3)) == DUAL_OK
        assert_graph(dual.solid)
        assert dual.volume(0) == pytest.approx(shape.volume, rel=1e-12)


def test_one_inside_the_other_is_the_inner_one() -> None:
    rng = np.random.default_rng(7)
    inner = random_hull(rng, 60)
    dual = Dual(inner, ConvexShape.box((4, 4, 4)))
    for base in (0, 1):
        assert dual(base, 1 - base, np.eye(3), np.zeros(3)) == DUAL_OK
        assert dual.volume(base) == pytest.approx(inner.volume, rel=1e-12)


def test_apart_and_too_large_have_no_nodes() -> None:
    box = ConvexShape.box((1, 1, 1))
    dual = Dual(box, box)
    assert dual(0, 1, np.eye(3), np.array([0, 0, 1.0])) == DUAL_THIN
    assert dual.solid.count[SOLID_NODES] == 0
    dual.hull = hull_for(11)
    assert dual(0, 1, np.eye(3), np.zeros(3)) == DUAL_FULL
    assert dual.solid.count[SOLID_NODES] == 0


def test_nothing_is_allocated() -> None:
    rng = np.random.default_rng(8)
    dual = Dual(random_hull(rng, 60), random_hull(rng, 60))
    R, p = random_rotation(rng), np.array([0.1, 0.2, 0.0])
    assert dual(0, 1, R, p) == DUAL_OK
    assert allocations(lambda: dual(0, 1, R, p)) == 0
    if not config.DISABLE_JIT:
        one_array(1)
        assert allocations(lambda: one_array(1)) > 0  # the count does count
