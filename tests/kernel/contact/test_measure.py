"""Centroid, area vector and one-sided area moments against exact rationals, and against brute-force quadrature."""

import numba
import numpy as np
import pytest

from hapticd.kernel.layout import AREA, CENTRE, CENTROID, DEPTH, MOMENT, NORMAL, SOLID_SWAPPED, VOLUME
from hapticd.kernel.status import CONTACT_OK
from hapticd.scene.convex import ConvexShape
from tests.oracle import exact_clip
from tests.oracle.pair import Pair, pose, random_hull, random_rotation
from tests.oracle.quadrature import integrate, projected_points

pytestmark = pytest.mark.kernel

SAMPLES = 10 if numba.config.DISABLE_JIT else 150


def moment(row: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, yz, zx = row[MOMENT : MOMENT + 6]
    return np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


@pytest.mark.parametrize("size", [(1.0, 1.0), (1e-3, 1.0), (30.0, 0.2)])
def test_against_exact_rationals(size: tuple[float, float]) -> None:
    rng = np.random.default_rng(11)
    judged = 0
    for _ in range(SAMPLES):
        a = random_hull(rng, 14, size[0]) if rng.random() < 0.5 else ConvexShape.box(size[0] * rng.uniform(0.5, 2, 3))
        b = random_hull(rng, 10, size[1])
        R, u = random_rotation(rng), random_rotation(rng)[0]
        corners = a.vertices @ R.T
        low, high = corners[(corners @ u).argmin()], b.vertices[(b.vertices @ u).argmax()]
        pair = Pair.of(a, b)
        X_A = pose(R, high - low - rng.uniform(0.01, 0.8) * min(size) * u)
        status, row = pair.contact(X_A, pose(np.eye(3), np.zeros(3)))
        if status != CONTACT_OK:
            continue
        judged += 1
        compare(pair, row, a, b)
    assert judged > SAMPLES / 4


def compare(pair: Pair, row: np.ndarray, a: ConvexShape, b: ConvexShape) -> None:
    base, cutter, sign = (b, a, -1.0) if pair.solid.count[SOLID_SWAPPED] else (a, b, 1.0)
    frame, relative = pair.solid.pose
    R, p = frame[:9].reshape(3, 3), frame[9:]
    exact = exact_clip.clip(base.planes, cutter.planes, relative[:9].reshape(3, 3), relative[9:])
    assert exact is not None
    length = float(exact.volume) ** (1 / 3)
    # Positions are known to a rounding of the base's size; the shape of a small solid is known relative to that.
    noise = 1e-14 * np.ptp(base.vertices, axis=0).max() / length
    assert row[CENTROID : CENTROID + 3] == pytest.approx(
        R @ np.array([float(x) for x in exact.centroid]) + p, abs=length * max(1e-9, 1e3 * noise)
    )
    vector = sign * np.array([float(x) for x in exact.area_vector(exact_clip.OWNER_B)])
    normal = vector / np.linalg.norm(vector)
    assert R.T @ row[NORMAL : NORMAL + 3] == pytest.approx(normal, abs=max(1e-9, 1e3 * noise))
    n = sign * (R.T @ row[NORMAL : NORMAL + 3])  # the cutter's side
    moments = exact.area_moments(n)
    rel = max(1e-8, 1e4 * noise)
    assert row[AREA] == pytest.approx(moments.area, rel=rel)
    assert R.T @ (row[CENTRE : CENTRE + 3] - p) == pytest.approx(moments.centre, abs=length * rel)
    assert R.T @ moment(row) @ R == pytest.approx(moments.moment, abs=np.trace(moments.moment) * rel)
    corners = np.concatenate(exact.polygons())
    assert row[DEPTH] == pytest.approx(np.ptp(corners @ n), rel=rel)


def test_area_moments_by_quadrature() -> None:
    rng = np.random.default_rng(12)
    a, b = random_hull(rng, 16), ConvexShape.box((1.5, 1.5, 1.5))
    pair = Pair.of(a, b)
    R = random_rotation(rng)
    _, row = pair.contact(pose(R, (0.3, 0.2, 1.4)), pose(np.eye(3), np.zeros(3)))
    relative = pair.solid.pose[1]
    base, cutter = (b, a) if pair.solid.count[SOLID_SWAPPED] else (a, b)
    exact = exact_clip.clip(base.planes, cutter.planes, relative[:9].reshape(3, 3), relative[9:])
    assert exact is not None
    frame = pair.solid.pose[0]
    turn, middle = frame[:9].reshape(3, 3), row[CENTROID : CENTROID + 3]
    side = [polygon @ turn.T + middle for polygon in exact.polygons(exact_clip.OWNER_B)]
    n = row[NORMAL : NORMAL + 3]
    points, weights = projected_points(side, n if cutter is b else -n, 48)
    flat = points - np.outer((points - middle) @ n, n)
    area = weights.sum()
    centre = integrate(lambda p: p, flat, weights) / area
    assert row[AREA] == pytest.approx(area, rel=1e-9)
    assert row[CENTRE : CENTRE + 3] == pytest.approx(centre, abs=1e-6)
    spread = flat - centre
    assert moment(row) == pytest.approx((spread * weights[:, None]).T @ spread, abs=2e-3 * np.trace(moment(row)))
    assert row[VOLUME] == pytest.approx(float(exact.volume), rel=1e-12)
