"""The paper's ways give what ours give, where both are defined; and where they differ, by how much."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hapticd
from hapticd.kernel.contact.paper import dual_contact
from hapticd.kernel.layout import CONTACT_SIZE, VOLUME
from hapticd.kernel.status import CONTACT_NONE
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_hull
from tests.oracle.pair import Pair, pose, random_hull, random_rotation

pytestmark = pytest.mark.kernel

NO_TURN = (0.0, 0.0, 0.0, 1.0)
FACES = 40 if numba.config.DISABLE_JIT else 150


@given(st.integers(0, 2**32 - 1))
def test_the_dual_way_gives_the_same_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_hull(rng, int(rng.integers(5, FACES // 2))), random_hull(rng, 20, rng.uniform(0.3, 3))
    poses = np.array([pose(random_rotation(rng), rng.normal(0, 0.7, 3)), pose(np.eye(3), np.zeros(3))])
    pair = Pair.of(a, b)
    status, row = pair.contact(*poses)
    other = np.zeros((1, CONTACT_SIZE))
    assert dual_contact(pair.shapes, 0, 1, poses, 0, 1, pair.solid, make_hull(pair.shapes), other, 0) == status
    if status != CONTACT_NONE:
        assert other[0, VOLUME] == pytest.approx(row[VOLUME], rel=1e-8, abs=1e-12)
        assert other[0] == pytest.approx(row, rel=1e-6, abs=1e-7)


def test_the_gjk_normal_of_a_face_on_a_face_has_no_bias() -> None:
    """An offset face contact: the area vector leans by the side faces, separation and GJK do not."""
    block = ConvexShape.box((1.0, 1.0, 2.0))
    where = (block, ((0.2, 0.3, 1.99), NO_TURN), block, ((0, 0, 0), NO_TURN))
    ours, paper = hapticd.contact(*where), hapticd.contact(*where, normal="gjk")
    assert ours is not None and paper is not None
    assert paper.normal == pytest.approx((0, 0, 1), abs=1e-9)
    assert paper.area == pytest.approx(0.8 * 0.7, rel=1e-9)
    assert paper.depth == pytest.approx(0.01, rel=1e-9)
    assert np.degrees(np.arccos(ours.normal[2])) == pytest.approx(1.087, abs=1e-3)  # at 1 cm depth of a 1 m block


def test_the_gjk_normal_of_a_corner_in_a_face() -> None:
    cube, floor = ConvexShape.box((1, 1, 1)), ConvexShape.box((5, 5, 1))
    q = np.array([0.3, 0.2, 0.1, 0.9])
    lowest = min((cube.vertices @ turned(q).T)[:, 2])
    pose_a = (0.1, 0.2, 0.45 - lowest), q / np.linalg.norm(q)
    for method in ("clip", "dual"):
        c = hapticd.contact(cube, pose_a, floor, ((0, 0, 0), NO_TURN), method=method, normal="gjk")
        assert c is not None and c.normal == pytest.approx((0, 0, 1), abs=1e-9)
        assert c.depth == pytest.approx(0.05, rel=1e-9)


def turned(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_unknown_ways_are_refused() -> None:
    cube = ConvexShape.box((1, 1, 1))
    with pytest.raises(hapticd.HapticdError, match="'clip', 'dual'"):
        hapticd.contact(cube, ((0, 0, 0), NO_TURN), cube, ((0, 0, 0), NO_TURN), method="magic")  # type: ignore[arg-type]
