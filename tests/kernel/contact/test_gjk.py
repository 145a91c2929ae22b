"""GJK against every pair of features, against its own certificate, and where it is hard: flush, far, tiny."""

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hapticd.kernel.contact.gjk import distance
from hapticd.kernel.contact.layout import GAP_A, GAP_B, GAP_DIRECTION, GAP_WARM, Gap
from hapticd.kernel.layout import POSE_SIZE, Shapes
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_gap, pack_shapes
from tests.oracle.allocation import allocations
from tests.oracle.distance import ball_radius, feature_distance

pytestmark = pytest.mark.kernel

Floats = NDArray[np.float64]
SAMPLES = 4 if config.DISABLE_JIT else 40


def hull(rng: np.random.Generator, corners: int, size: float = 1.0) -> ConvexShape:
    points = rng.normal(size=(corners, 3))
    return ConvexShape(size * points / np.linalg.norm(points, axis=1)[:, None])


def pose_row(R: Floats, p: Floats) -> Floats:
    return np.concatenate([R.ravel(), p]).reshape(1, POSE_SIZE)


class Query:
    """One pair of parts with its warm start."""

    def __init__(self, a: ConvexShape, b: ConvexShape) -> None:
        self.a, self.b = a, b
        self.shapes: Shapes = pack_shapes([a, b])
        self.gap: Gap = make_gap()
        self.warm = np.zeros((1, GAP_WARM), dtype=np.int32)

    def __call__(self, R: Floats, p: Floats, warm: bool = False) -> float:
        if not warm:
            self.warm[:] = 0
        answer = float(distance(self.shapes, 0, 1, pose_row(R, p), 0, self.warm, 0, self.gap))
        assert np.isfinite(answer)
        assert np.isfinite(self.gap.row).all()
        return answer

    def true_distance(self, R: Floats, p: Floats) -> float:
        moved = self.b.vertices @ R.T + p
        return feature_distance(
            self.a.vertices, [self.a.vertices[f] for f in self.a.faces], moved, [moved[f] for f in self.b.faces]
        )

    def assert_proved(self, R: Floats, p: Floats, d: float) -> None:
        """Points in the parts that are d apart, and a slab of width d between the parts: nothing else can be true."""
        row = self.gap.row
        scale = np.abs(p).sum() + np.ptp(self.a.vertices) + np.ptp(self.b.vertices)
        n, x_a, x_b = row[GAP_DIRECTION : GAP_DIRECTION + 3], row[GAP_A : GAP_A + 3], row[GAP_B : GAP_B + 3]
        assert abs(np.linalg.norm(x_a - x_b) - d) <= 1e-14 * scale
        assert (self.a.planes[:, :3] @ x_a - self.a.planes[:, 3]).max() <= 1e-14 * scale
        assert (self.b.planes[:, :3] @ (R.T @ (x_b - p)) - self.b.planes[:, 3]).max() <= 1e-14 * scale
        if d > 0:
            slab = (self.a.vertices @ n).min() - (self.b.vertices @ R.T @ n + p @ n).max()
            assert slab >= d * (1 - 1e-9) - 1e-14 * scale
        else:
            assert not n.any()


def turns(rng: np.random.Generator) -> list[Floats]:
    """Orientations: the same, by right angles, almost the same, free."""
    return [
        np.eye(3),
        Rotation.from_rotvec([0, np.pi / 2, 0]).as_matrix().round(),
        Rotation.from_rotvec(rng.normal(size=3) * 1e-9).as_matrix(),
        Rotation.random(random_state=rng).as_matrix(),
    ]


@pytest.mark.parametrize("corners", [0, 4, 12, 60])
def test_is_that_of_the_nearest_features(corners: int) -> None:
    rng = np.random.default_rng(corners)
    for _ in range(max(1, SAMPLES // (40 if corners > 12 else 8))):  # the oracle is slow
        if corners:
            query = Query(hull(rng, corners), hull(rng, corners))
        else:
            query = Query(ConvexShape.box(rng.uniform(0.5, 2, 3)), ConvexShape.box(rng.uniform(0.5, 2, 3)))
        for R in turns(rng):
            p = rng.normal(size=3)
            p *= rng.choice([2.1, 3.5, 10.0]) / np.linalg.norm(p)
            d = query(R, p)
            moved = np.column_stack(
                [query.b.planes[:, :3] @ R.T, query.b.planes[:, 3] + query.b.planes[:, :3] @ R.T @ p]
            )
            if ball_radius(query.a.planes, moved) > 1e-9:
                assert d == 0
            elif ball_radius(query.a.planes, moved) < -1e-9:
                assert d == pytest.approx(query.true_distance(R, p), rel=1e-9)
            query.assert_proved(R, p, d)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("apart", [1e-9, 1e-3, 1.0, 1e6])
def test_proves_itself_at_every_size(size: float, apart: float) -> None:
    rng = np.random.default_rng(7)
    for corners in (8, 30, 150):
        query = Query(hull(rng, corners, size), hull(rng, corners, 0.3 * size))
        for R in turns(rng):
            direction = rng.normal(size=3)
            direction /= np.linalg.norm(direction)
            contact = (query.a.vertices @ direction).max() - (query.b.vertices @ R.T @ direction).min()
            p = direction * (contact + apart * size)
            d = query(R, p)
            assert d >= apart * size * (1 - 1e-9) - 1e-14 * size
            query.assert_proved(R, p, d)


def test_parallel_flush_and_identical_boxes() -> None:
    query = Query(ConvexShape.box((1, 1, 2)), ConvexShape.box((1, 1, 2)))
    for x, y in ((0.0, 0.0), (0.3, -0.2), (1.0, 0.0), (1.0, 1.0)):
        for gap in (1e-12, 1e-6, 0.5):
            p = np.array([x, y, 2.0 + gap])
            assert query(np.eye(3), p) == pytest.approx(p[2] - 2.0, rel=1e-9)
            query.assert_proved(np.eye(3), p, p[2] - 2.0)
        assert query(np.eye(3), np.array([x, y, 2.0])) <= 1e-15
    assert query(np.eye(3), np.zeros(3)) == 0
    assert query(np.eye(3), np.array([0.1, 0.1, 1.9])) == 0


def test_a_millimetre_part_a_kilometre_away() -> None:
    rng = np.random.default_rng(8)
    query = Query(hull(rng, 20, 1e-3), hull(rng, 20, 1e-3))
    for R in turns(rng):
        p = np.array([1e3, 2.0, -5.0])
        d = query(R, p)
        assert d == pytest.approx(query.true_distance(R, p), rel=1e-12)


def test_a_warm_start_changes_nothing_but_the_work() -> None:
    rng = np.random.default_rng(9)
    for corners in (8, 150):
        query = Query(hull(rng, corners), hull(rng, corners))
        cold = Query(query.a, query.b)
        for k in range(5 * SAMPLES):  # through contact and out again
            R = Rotation.from_rotvec([0.002 * k, -0.003 * k, 0.001 * k]).as_matrix()
            p = np.array([0.1, 2.4 * np.cos(0.05 * k), 0.2])
            assert query(R, p, warm=True) == pytest.approx(cold(R, p), rel=1e-12, abs=1e-14)


def test_a_warm_start_from_other_parts_is_ignored() -> None:
    query = Query(ConvexShape.box((1, 1, 1)), ConvexShape.box((1, 1, 1)))
    for bad in ([4, 90, 0, 1, 1, 2, 2, 3, 3], [2, 0, -1, 1, 1, 0, 0, 0, 0], [9, 0, 0, 0, 0, 0, 0, 0, 0]):
        query.warm[0] = bad
        assert query(np.eye(3), np.array([0.0, 0.0, 3.0]), warm=True) == pytest.approx(2.0, rel=1e-15)


def test_nothing_raises_on_absurd_poses() -> None:
    query = Query(ConvexShape.box((1, 1, 1)), ConvexShape.box((1, 1, 1)))
    with np.errstate(all="ignore"):
        for value in (np.nan, np.inf, 1e200):
            query.warm[:] = 0
            distance(query.shapes, 0, 1, pose_row(np.eye(3), np.array([value, 0, 0])), 0, query.warm, 0, query.gap)
    assert query(np.eye(3), np.array([0.0, 0.0, 3.0])) == pytest.approx(2.0, rel=1e-15)


def test_nothing_is_allocated() -> None:
    query = Query(ConvexShape.box((1, 1, 1)), hull(np.random.default_rng(10), 60))
    pose = pose_row(np.eye(3), np.array([0.3, 0.0, 3.0]))
    distance(query.shapes, 0, 1, pose, 0, query.warm, 0, query.gap)
    assert allocations(lambda: distance(query.shapes, 0, 1, pose, 0, query.warm, 0, query.gap)) == 0
