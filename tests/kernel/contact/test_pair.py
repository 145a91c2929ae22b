"""The contact row: invariance, symmetry, continuity, and a defined answer where there is no normal."""

import itertools

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.kernel.contact.pair import pair_contact
from hapticd.kernel.layout import (
    AREA,
    CENTRE,
    CENTROID,
    CONTACT_SIZE,
    DEPTH,
    MOMENT,
    NORMAL,
    VOLUME,
)
from hapticd.kernel.status import CONTACT_DEEP, CONTACT_NONE, CONTACT_OK
from hapticd.scene.convex import ConvexShape
from tests.oracle.allocation import allocations, one_array
from tests.oracle.pair import Pair, pose, random_hull, random_rotation, wrench

pytestmark = pytest.mark.kernel

EYE = np.eye(3)
BLOCK = ConvexShape.box((1.0, 1.0, 2.0))
CUBE = ConvexShape.box((1.0, 1.0, 1.0))
seeds = st.integers(0, 2**32 - 1)


def vector(row: np.ndarray, column: int) -> np.ndarray:
    return row[column : column + 3]


def moment(row: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, yz, zx = row[MOMENT : MOMENT + 6]
    return np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


def touching(rng: np.random.Generator) -> tuple[Pair, np.ndarray, np.ndarray]:
    a, b = random_hull(rng, int(rng.integers(6, 40))), random_hull(rng, int(rng.integers(6, 40)))
    u = rng.normal(size=3)
    p = rng.uniform(0.3, 1.7) * u / np.linalg.norm(u)
    return Pair.of(a, b), pose(random_rotation(rng), p), pose(EYE, np.zeros(3))


def test_block_on_block() -> None:
    status, row = Pair.of(BLOCK, BLOCK).contact(pose(EYE, (0, 0, 1.99)), pose(EYE, (0, 0, 0)))
    assert status == CONTACT_OK
    assert row[VOLUME] == pytest.approx(0.01, rel=1e-13)
    assert vector(row, CENTROID) == pytest.approx((0, 0, 0.995), abs=1e-14)
    assert vector(row, NORMAL) == pytest.approx((0, 0, 1), abs=1e-14)
    assert row[AREA] == pytest.approx(1.0, rel=1e-13)
    assert row[DEPTH] == pytest.approx(0.01, rel=1e-12)
    assert moment(row) == pytest.approx(np.diag([1 / 12, 1 / 12, 0]), abs=1e-14)


def test_apart_is_exactly_nothing() -> None:
    pair = Pair.of(BLOCK, BLOCK)
    status, row = pair.contact(pose(EYE, (0, 0, 2.001)), pose(EYE, (0, 0, 0)))
    assert status == CONTACT_NONE and row[VOLUME] == 0.0
    assert np.linalg.norm(vector(row, NORMAL)) == pytest.approx(1.0)
    assert pair.contact(pose(EYE, (0, 0, 2.0)), pose(EYE, (0, 0, 0)))[0] == CONTACT_NONE


@given(seeds)
def test_turning_both_turns_the_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair, X_A, X_B = touching(rng)
    status, row = pair.contact(X_A, X_B)
    R, p = random_rotation(rng), rng.normal(size=3)
    moved = [pose(R @ X[:9].reshape(3, 3), R @ X[9:] + p) for X in (X_A, X_B)]
    status_moved, row_moved = pair.contact(*moved)
    assert status_moved == status
    if status == CONTACT_NONE:
        return
    for column in (VOLUME, AREA, DEPTH):
        assert row_moved[column] == pytest.approx(row[column], rel=1e-9, abs=1e-12)
    assert vector(row_moved, CENTROID) == pytest.approx(R @ vector(row, CENTROID) + p, abs=1e-10)
    assert vector(row_moved, CENTRE) == pytest.approx(R @ vector(row, CENTRE) + p, abs=1e-9)
    assert vector(row_moved, NORMAL) == pytest.approx(R @ vector(row, NORMAL), abs=1e-9)
    assert moment(row_moved) == pytest.approx(R @ moment(row) @ R.T, abs=1e-10)


def test_the_24_axis_rotations_agree_to_the_last_digits() -> None:
    turns = [
        np.array([[s * (k == a) for k in range(3)] for a, s in zip(order, signs, strict=True)], dtype=float)
        for order in itertools.permutations(range(3))
        for signs in itertools.product((1, -1), repeat=3)
    ]
    turns = [R for R in turns if np.linalg.det(R) > 0]
    assert len(turns) == 24
    X_A, X_B = pose(random_rotation(np.random.default_rng(1)), (0.2, 0.1, 0.9)), pose(EYE, (0, 0, 0))
    pair = Pair.of(CUBE, BLOCK)
    _, row = pair.contact(X_A, X_B)
    for R in turns:
        _, turned = pair.contact(*(pose(R @ X[:9].reshape(3, 3), R @ X[9:]) for X in (X_A, X_B)))
        assert turned[VOLUME] == pytest.approx(row[VOLUME], rel=4e-16)
        assert R.T @ vector(turned, NORMAL) == pytest.approx(vector(row, NORMAL), abs=4e-16)


@given(seeds)
def test_swapped_bodies_get_the_opposite_wrench(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_hull(rng, 12), random_hull(rng, 30, size=rng.uniform(0.5, 2.0))
    X_A, X_B = pose(random_rotation(rng), rng.normal(0, 0.6, 3)), pose(EYE, np.zeros(3))
    status, row = Pair.of(a, b).contact(X_A, X_B)
    status_back, row_back = Pair.of(b, a).contact(X_B, X_A)
    assert status == status_back
    if status == CONTACT_OK:
        assert wrench(row_back) == pytest.approx(-wrench(row), abs=1e-12)
        assert row_back[AREA] == pytest.approx(row[AREA], rel=1e-9)


@given(seeds)
def test_a_warm_start_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair, X_A, X_B = touching(rng)
    status, cold = pair.contact(X_A, X_B)
    again, warm = pair.contact(X_A, X_B, warm=True)
    assert status == again
    assert warm == pytest.approx(cold, rel=1e-9, abs=1e-11)
    pair.row[0, NORMAL : NORMAL + 3] = random_rotation(rng)[0]  # a poor direction costs time only
    pair.row[0, VOLUME] = 1.0
    status_poor, poor = pair.contact(X_A, X_B, warm=True)
    assert poor[VOLUME] == pytest.approx(cold[VOLUME], rel=1e-9, abs=1e-13)
    assert (status_poor == CONTACT_NONE) == (status == CONTACT_NONE)


# Bound of |dF| / |dx| for the law k V n with k = 1: dV/dx is at most the section's area, and n turns by no more than
# the change of the area vector over its length. The sweeps below have areas of at most 2 m2 and keep |area vector|
# above a twentieth of the sides' areas. Measured over these sweeps: 0.81 for the force, 0.22 m for the torque.
SLOPE = 2.0


@pytest.mark.parametrize(
    "start, end", [((0.0, 0.0), (0.4, 0.0)), ((0.615, 0.785), (0.0, 0.0)), ((0.3, -0.3), (0.3, 0.3))]
)
def test_the_wrench_of_a_sweep_is_continuous(start: tuple[float, float], end: tuple[float, float]) -> None:
    """Vertex to edge to face and back: a cube turns over a block that it touches by 2 cm, step by step."""
    pair = Pair.of(CUBE, ConvexShape.box((3.0, 3.0, 1.0)))
    steps = 400
    last: np.ndarray | None = None
    for t in np.linspace(0, 1, steps + 1):
        x, y = (1 - t) * np.array(start) + t * np.array(end)
        R = axis_turn(0, x) @ axis_turn(1, y)
        lowest = min((CUBE.vertices @ R.T)[:, 2])
        _, row = pair.contact(pose(R, (0.1, 0.2, 0.48 - lowest)), pose(EYE, np.zeros(3)), warm=last is not None)
        now = wrench(row)
        if last is not None:
            moved = np.hypot(end[0] - start[0], end[1] - start[1]) / steps * np.sqrt(3) / 2  # of the farthest corner
            assert np.linalg.norm(now[:3] - last[:3]) <= SLOPE * moved
            assert np.linalg.norm(now[3:] - last[3:]) <= 2 * SLOPE * moved
        last = now


def axis_turn(axis: int, angle: float) -> np.ndarray:
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R


def test_inside_at_first_sight_points_to_the_nearest_face() -> None:
    small = ConvexShape.box((0.1, 0.1, 0.1))
    for a, b, sign in ((small, BLOCK, 1), (BLOCK, small, -1)):
        X = [pose(EYE, (0.3, 0.0, 0.2)), pose(EYE, (0, 0, 0))]
        status, row = Pair.of(a, b).contact(*(X if sign == 1 else X[::-1]))
        assert status == CONTACT_DEEP
        assert row[VOLUME] == pytest.approx(1e-3)
        assert np.isfinite(row).all() and row[AREA] > 0
        if sign == 1:
            assert vector(row, NORMAL) == pytest.approx((1, 0, 0))


def test_a_pointer_pushed_through_a_plate_never_flips() -> None:
    plate, pin = ConvexShape.box((2.0, 2.0, 0.05)), ConvexShape.box((0.2, 0.2, 0.4))
    pair = Pair.of(pin, plate)
    states = set()
    force = 0.0
    for k, z in enumerate(np.linspace(0.23, -0.21, 441)):
        status, row = pair.contact(pose(EYE, (0, 0, z)), pose(EYE, (0, 0, 0)), warm=k > 0)
        states.add(status)
        assert status == CONTACT_NONE or vector(row, NORMAL) == pytest.approx((0, 0, 1), abs=1e-9)
        assert abs(wrench(row)[2] - force) <= 0.2 * 0.2 * 1e-3 * 1.001  # area times the step: continuous
        force = wrench(row)[2]
    assert states == {CONTACT_NONE, CONTACT_OK, CONTACT_DEEP}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy's scalars, when nothing is compiled
def test_bad_poses_give_no_contact_and_no_crash() -> None:
    pair = Pair.of(BLOCK, CUBE)
    for bad in (np.nan, np.inf, -np.inf, 1e308):
        X_A = pose(EYE, (bad, 0, 0))
        status, row = pair.contact(X_A, pose(EYE, (0, 0, 0)))
        assert status == CONTACT_NONE and row[VOLUME] == 0.0
    assert len(row) == CONTACT_SIZE


def test_nothing_is_allocated() -> None:
    pair = Pair.of(random_hull(np.random.default_rng(1), 60), BLOCK)
    poses = np.array([pose(EYE, (0.0, 0.0, 1.9)), pose(EYE, (0, 0, 0))])
    pair.contact(*poses)
    assert allocations(lambda: pair_contact(pair.shapes, 0, 1, poses, 0, 1, pair.solid, pair.row, 0)) == 0
    if not numba.config.DISABLE_JIT:
        one_array(1)
        assert allocations(lambda: one_array(1)) > 0  # the count does count
