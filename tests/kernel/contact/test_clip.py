"""The intersection against exact rationals and against an independent method, on the seeded set of `oracle/pairs.py`.

The kernel forms the relative pose once; the oracles take those numbers as exact. Every pair is compared with
`oracle/face_clip.py`, which shares no idea with the kernel; where the two differ, and on a sample of the rest, the
rationals judge.
"""

import functools
from collections.abc import Callable

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.kernel import layout
from hapticd.kernel.contact.clip import FULL, cut
from hapticd.kernel.contact.pair import pair_contact
from hapticd.kernel.layout import CENTROID, NORMAL, SOLID_NODES, SOLID_SWAPPED, VOLUME
from hapticd.kernel.status import CONTACT_COARSE, CONTACT_NONE, CONTACT_OK
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_solid, pack_shapes
from tests.oracle import exact_clip
from tests.oracle.face_clip import shared_volume
from tests.oracle.pair import Pair, pose, random_hull, random_rotation
from tests.oracle.pairs import Pool, random_pairs, shape_pool

pytestmark = pytest.mark.kernel

RELATIVE, OF_SMALLER = 1e-9, 1e-12  # allowed error of a volume: of itself, and of the smaller body's
CHUNK = 10 if numba.config.DISABLE_JIT else 1250
SAMPLE = 25  # one pair in so many is judged by the rationals whatever the other method says ...
SAMPLE_FACES = 120  # ... if the two have no more faces together: 600 take them a second


@functools.cache
def packed_pool() -> tuple[Pool, layout.Shapes, layout.Solid]:
    pool = shape_pool(seed=7)
    shapes = pack_shapes(pool.shapes)
    return pool, shapes, make_solid(shapes)


def judge_chunk(chunk: int) -> None:
    pool, shapes, solid = packed_pool()
    row, swapped_row = np.zeros((2, 1, layout.CONTACT_SIZE))
    for k, pair in enumerate(random_pairs(pool, seed=chunk, count=CHUNK)):
        where = f"chunk {chunk}, pair {k}: {pair}"
        row[:] = swapped_row[:] = 0.0
        pair_contact(shapes, pair.b, pair.a, np.array([pair.X_WB, pair.X_WA]), 0, 1, solid, swapped_row, 0)
        pair_contact(shapes, pair.a, pair.b, np.array([pair.X_WA, pair.X_WB]), 0, 1, solid, row, 0)
        assert np.isfinite(row).all(), where
        base, cutter = (pair.b, pair.a) if solid.count[SOLID_SWAPPED] else (pair.a, pair.b)
        both = pool.shapes[base], pool.shapes[cutter]
        relative = solid.pose[1, :9].reshape(3, 3), solid.pose[1, 9:]
        volume = shared_volume(*both, *relative)
        smaller = min(both[0].volume, both[1].volume)
        judged = k % SAMPLE == 0 and len(both[0].planes) + len(both[1].planes) <= SAMPLE_FACES
        if judged or abs(row[0, VOLUME] - volume) > RELATIVE * volume + OF_SMALLER * smaller:
            exact = exact_clip.clip(both[0].planes, both[1].planes, *relative)
            volume = float(exact.volume) if exact else 0.0
        allowed = RELATIVE * volume + OF_SMALLER * smaller
        assert abs(row[0, VOLUME] - volume) <= allowed, where
        assert abs(row[0, VOLUME] - swapped_row[0, VOLUME]) <= allowed, where


@pytest.mark.parametrize("chunk", range(8))
def test_exact_on_ten_thousand_pairs(chunk: int) -> None:
    judge_chunk(chunk)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(8, 80))
def test_exact_on_the_other_ninety_thousand(chunk: int) -> None:
    judge_chunk(chunk)


@given(st.integers(0, 2**32 - 1))
def test_both_halves_of_a_cut_body_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_hull(rng), ConvexShape.box((2.0, 2.0, 2.0))
    R = random_rotation(rng)
    poses = pose(R, R[0] * rng.uniform(-1, 1)), pose(np.eye(3), np.zeros(3))
    halves = [ConvexShape.box((2.0, 2.0, 1.0)).moved((0.0, 0.0, z)) for z in (-0.5, 0.5)]
    whole = Pair.of(a, b).contact(*poses)[1][VOLUME]
    parts = [Pair.of(a, half).contact(*poses)[1][VOLUME] for half in halves]
    assert sum(parts) == pytest.approx(whole, rel=1e-12, abs=1e-14)
    assert whole <= min(a.volume, b.volume) * (1 + 1e-12)


@given(st.integers(0, 2**32 - 1))
def test_a_body_shares_all_of_itself_with_itself(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = random_hull(rng, int(rng.integers(4, 60)))
    X = pose(random_rotation(rng), rng.normal(size=3))
    _, row = Pair.of(a, a).contact(X, X)
    assert row[VOLUME] == pytest.approx(a.volume, rel=1e-12)
    assert row[CENTROID : CENTROID + 3] == pytest.approx(X[:9].reshape(3, 3) @ a.centroid + X[9:], abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_volume_grows_with_the_cube_of_the_length(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_hull(rng), random_hull(rng)
    R, p = random_rotation(rng), rng.normal(0, 0.6, 3)
    still = pose(np.eye(3), np.zeros(3))
    volume = Pair.of(a, b).contact(pose(R, p), still)[1][VOLUME]
    scaled = Pair.of(a.moved(scale=scale), b.moved(scale=scale)).contact(pose(R, scale * p), still)[1][VOLUME]
    assert scaled == pytest.approx(scale**3 * volume, rel=1e-9, abs=1e-13 * scale**3)


def test_the_order_of_vertices_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    a, b = random_hull(rng, 30), random_hull(rng, 30)
    poses = pose(random_rotation(rng), (0.9, 0.3, 0.2)), pose(np.eye(3), np.zeros(3))
    _, row = Pair.of(a, b).contact(*poses)
    for _ in range(5):
        shuffled = ConvexShape(rng.permutation(a.vertices))
        _, other = Pair.of(shuffled, b).contact(*poses)
        assert other[VOLUME] == pytest.approx(row[VOLUME], rel=1e-12)
        assert other[NORMAL : NORMAL + 3] == pytest.approx(row[NORMAL : NORMAL + 3], abs=1e-11)


def test_a_full_capacity_gives_an_enclosing_solid() -> None:
    rng = np.random.default_rng(6)
    a, b = random_hull(rng, 40), random_hull(rng, 40)
    poses = pose(np.eye(3), (0.8, 0.0, 0.0)), pose(np.eye(3), np.zeros(3))
    true = Pair.of(a, b).contact(*poses)[1][VOLUME]
    pair = Pair.of(a, b)
    seen = set()
    for room in range(190, 500, 20):  # 40 corners have 76 nodes and 114 edges to cut: what is loaded always fits
        solid = pair.solid._replace(height=np.zeros(room))
        status, row = pair._replace(solid=solid).contact(*poses)
        seen.add(status)
        assert true * (1 - 1e-12) <= row[VOLUME] <= min(a.volume, b.volume)
    assert seen == {CONTACT_OK, CONTACT_COARSE}


def test_a_cut_that_does_not_fit_leaves_the_solid_alone() -> None:
    pair = Pair.of(ConvexShape.box((1, 1, 1)), ConvexShape.box((1, 1, 1)))
    pair.contact(pose(np.eye(3), (0, 0, 0.5)), pose(np.eye(3), np.zeros(3)))
    solid, n = pair.solid, int(pair.solid.count[SOLID_NODES])
    before = [part.copy() for part in (solid.node, solid.twin, solid.face)]
    height = np.zeros(n + 2)
    assert cut(solid.node, solid.twin, solid.face, height, n, 0, 1.0, 0.0, 0.0, 0.0) == FULL
    for part, old in zip((solid.node, solid.twin, solid.face), before, strict=True):
        assert (part == old).all()


def test_the_graph_stays_whole() -> None:
    """Twins are mutual and every face's ring closes, also where faces are flush and edges parallel."""
    rng = np.random.default_rng(8)
    boxes = [ConvexShape.box((1, 1, 1)), ConvexShape.box((1, 2, 1))]
    shapes = [*boxes, random_hull(rng, 20), ConvexShape.prism(7, 1.0, radius=0.5)]
    turns = [np.eye(3), random_rotation(rng)]
    seen = 0
    for a in shapes:
        for b in shapes:
            for R in turns:
                for shift in ((0, 0, 0.5), (0, 0.5, 0.5), (0.5, 0.5, 0.5), (0, 0, 0), (1e-16, 0, 0.999)):
                    pair = Pair.of(a, b)
                    if pair.contact(pose(R, shift), pose(np.eye(3), np.zeros(3)))[0] == CONTACT_NONE:
                        continue
                    seen += 1
                    check_graph(pair.solid)
    assert seen > 100


def check_graph(solid: layout.Solid) -> None:
    n = int(solid.count[SOLID_NODES])
    halves = [4 * i + k for i in range(n) for k in range(3)]
    for h in halves:
        t = int(solid.twin[h])
        assert 0 <= t < 4 * n and t & 3 != 3 and solid.twin[t] == h
        assert solid.face[following(solid, h)] == solid.face[h]
    # Euler, by pieces: where faces are flush, rounding may cut off a crumb or leave one face in two rings.
    assert n - len(halves) // 2 + cycles(halves, lambda h: following(solid, h)) == 2 * pieces(solid, n)


def following(solid: layout.Solid, h: int) -> int:
    """The next edge with the same face on its left."""
    t = int(solid.twin[h])
    return t - 1 if t & 3 else t + 2


def cycles(items: list[int], step: Callable[[int], int]) -> int:
    left, count = set(items), 0
    while left:
        count += 1
        item = min(left)
        while item in left:
            left.remove(item)
            item = step(item)
    return count


def pieces(solid: layout.Solid, n: int) -> int:
    left, count = set(range(n)), 0
    while left:
        count += 1
        heap = [left.pop()]
        while heap:
            i = heap.pop()
            near = {int(solid.twin[4 * i + k]) >> 2 for k in range(3)} & left
            left -= near
            heap += near
    return count
