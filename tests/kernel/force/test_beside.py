"""kernel/force/beside.py: who shares a stiffness with whom, how much of it each has, and what is felt of a seam."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.force.beside import area_beside, link
from hapticd.kernel.step import step
from hapticd.scene.arrays import Capacity, allocate
from hapticd.scene.build import Settings, build
from hapticd.scene.file import load_scene
from hapticd.scene.material import PointerLimit
from hapticd.scene.plan import plan

pytestmark = pytest.mark.kernel
SLOW = numba.config.DISABLE_JIT
N = 20 if SLOW else 300
K = 1000.0


def rows(normals, areas, depths):
    """Contact rows of flat patches."""
    contact = np.zeros((len(areas), k.CONTACT_SIZE))
    contact[:, k.NORMAL : k.NORMAL + 3] = normals
    contact[:, k.AREA], contact[:, k.VOLUME], contact[:, k.DEPTH] = areas, np.multiply(areas, depths), depths
    return contact


def shares(contact, stiffness=None, fade=None):
    """Share of its stiffness that each contact has when all of them are in one ring."""
    n = len(contact)
    law, partner = np.zeros((n, k.LAW_SIZE)), np.roll(np.arange(n, dtype=np.int32), -1)
    law[:, k.LAW_FADE] = 1.0 if fade is None else fade
    stiffness = np.full(n, K) if stiffness is None else stiffness
    beside = np.array([area_beside(contact, law, i, partner, stiffness, n) for i in range(n)])
    return contact[:, k.AREA] / (contact[:, k.AREA] + beside)


def unit(rng, n):
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1)[:, None]


def test_along_normals_no_direction_is_stiffer_than_the_stiffest():
    rng = np.random.default_rng(7)
    for _ in range(N):
        n = rng.integers(1, 12)
        normals, own = unit(rng, n), rng.uniform(100.0, 1000.0, n)
        contact = rows(normals, rng.uniform(1e-6, 1e-3, n), 1e-3 * rng.uniform(1.0, 2.0, n))
        stiffness = np.einsum("i,ij,ik->jk", own * shares(contact, own), normals, normals)
        assert np.linalg.eigvalsh(stiffness)[-1] <= own.max() * (1.0 + 1e-12)


def test_one_contact_has_all_of_it_and_walls_at_right_angles_too():
    assert shares(rows([[0, 0, 1]], [1e-3], [1e-3])) == 1.0
    assert np.allclose(shares(rows(np.eye(3), [1e-3, 2e-3, 1e-4], [1e-3] * 3)), 1.0)


def test_parts_of_one_plane_share_by_area_and_so_do_opposite_walls():
    assert np.allclose(shares(rows([[0, 0, 1]] * 2, [3e-3, 1e-3], [1e-3] * 2)), [0.75, 0.25])
    assert np.allclose(shares(rows([[1, 0, 0], [-1, 0, 0]], [1e-3] * 2, [1e-3] * 2)), 0.5)


def test_steel_beside_rubber_stays_steel():
    """By area alone a hundredth of the area would have a hundredth of its stiffness."""
    steel, rubber = shares(rows([[0, 0, 1]] * 2, [1e-5, 99e-5], [1e-3] * 2), np.array([1000.0, 10.0]))
    assert steel == pytest.approx(1000.0 / (1000.0 + 99 * 10.0)) and rubber == pytest.approx(steel * 99 / 100)


def test_what_is_new_or_over_or_broken_takes_nothing():
    """A face just touched, one that is being faded in, one that is over; and one that rounding left without depth."""
    normals, areas, deep = [[0, 0, 1]] * 2, [1e-4, 1e-2], [1e-3, 1e-3]
    assert shares(rows(normals, areas, [1e-3, 1e-9]))[0] == pytest.approx(1.0, abs=1e-3)
    assert shares(rows(normals, areas, deep), fade=[1.0, 0.0])[0] == 1.0
    for broken in ([k.VOLUME, k.AREA, k.DEPTH], [k.DEPTH]):
        contact = rows([[0, 0, 1]] * 3, [*areas, 1e-4], [*deep, 1e-3])
        contact[1, broken] = 0.0
        with np.errstate(all="ignore"):
            assert shares(contact)[[0, 2]] == pytest.approx(0.5), "the two others share as if it were not there"


def test_deeper_is_never_weaker_nor_stiffer_than_one_contact():
    """Two faces at different heights: of a peg and of its plate; and of tiles instead of the plate."""
    for peg, plate, tiles in ((25e-6, 16e-4, 1), (4e-4, 4e-4, 1), (16e-4, 25e-6, 1), (25e-6, 16e-4, 8)):
        areas, before, last = [peg, *[plate / tiles] * tiles], 0.0, 0.0
        for depth in np.linspace(1e-6, 4e-3, 20 if SLOW else 400):
            depths = np.array([depth, *[max(depth - 1e-3, 0.0)] * tiles])
            touching = depths > 0.0
            contact = rows([[0, 0, 1]] * touching.sum(), np.array(areas)[touching], depths[touching])
            force = K * float(shares(contact) @ depths[touching])
            assert -1e-12 <= force - before <= K * (depth - last) * (1.0 + 1e-9)
            before, last = force, depth
        assert force == pytest.approx(K * (depth - 1e-3 * plate / (peg + plate)))


def rings(pairs, part_body, still, pointer):
    """The groups that `link` makes, as sets of pairs."""
    n_body = len(still)
    world = allocate(
        Capacity(
            bodies=n_body, parts=len(part_body), pairs=len(pairs) + 2, materials=1, vertices=1, planes=1, nodes=1,
            edge_ends=1, part_planes=1, part_vertices=1,
        )
    )  # fmt: skip
    m, s, w, _ = world
    m.option[k.OPTION_BODIES], m.option[k.OPTION_POINTER], m.option[k.OPTION_MATERIALS] = n_body, pointer, 1
    m.part_body[:], m.still[:], m.gain[0, k.GAIN_STIFFNESS] = part_body, still, K
    s.pair_count[0], s.pair[: len(pairs)] = len(pairs), np.reshape(pairs, (-1, 2))
    w.near[: len(pairs)] = 1
    link(m, s, w.near, w.latest, w.partner, w.stiffness)
    found = set()
    for i in range(len(pairs)):
        group, j = {pairs[i]}, int(w.partner[i])
        while j != i:
            group.add(pairs[j])
            j = int(w.partner[j])
        found.add(frozenset(group))
    assert (w.stiffness[: len(pairs)] == K).all()
    return found


def test_who_shares_with_whom():
    """Bodies: 0 and 1 stand still, 2 has two parts, 3 and 4 one, 5 is the pointer."""
    part_body, still = [0, 1, 2, 2, 3, 4, 5], [1, 1, 0, 0, 0, 0]
    pairs = [(0, 2), (0, 4), (0, 6), (1, 2), (1, 3), (2, 4), (2, 5), (3, 4), (3, 6), (4, 5), (5, 6)]
    assert rings(pairs, part_body, still, 5) == {
        frozenset({(0, 2), (1, 2), (1, 3)}),  # body 2 on all that stands still
        frozenset({(0, 4)}),
        frozenset({(0, 6), (3, 6), (5, 6)}),  # the pointer
        frozenset({(2, 4), (3, 4)}),  # both parts of body 2 on body 3
        frozenset({(2, 5)}),
        frozenset({(4, 5)}),
    }


def test_the_rings_are_those_of_a_plain_search():
    rng = np.random.default_rng(5)
    for _ in range(N):
        part_body = sorted(rng.integers(0, 6, 14).tolist())
        still, pointer = (rng.random(6) < 0.3).astype(int).tolist(), int(rng.integers(-1, 6))
        if pointer >= 0:
            still[pointer] = 0
        pairs = [
            (a, b)
            for a in range(14)
            for b in range(a + 1, 14)
            if part_body[a] != part_body[b] and not (still[part_body[a]] and still[part_body[b]]) and rng.random() < 0.5
        ]
        groups = {}
        for a, b in pairs:
            one, two = part_body[a], part_body[b]
            mover = pointer if pointer in (one, two) else one if still[two] else two if still[one] else None
            groups.setdefault((one, two) if mover is None else mover, set()).add((a, b))
        assert rings(pairs, part_body, still, pointer) == {frozenset(group) for group in groups.values()}


def floor_of(tiles, apart=False):
    """A cube of 4 cm over a floor of so many tiles along x, as parts of one body or bodies of their own."""
    width = 0.4 / tiles
    parts = [
        {"type": "box", "size": [width, 0.4, 0.1], "position": [(i + 0.5) * width - 0.2, 0, -0.05]}
        for i in range(tiles)
    ]
    bodies = [{"name": f"tile{i}", "kind": "static", "parts": [part]} for i, part in enumerate(parts)]
    if not apart:
        bodies = [{"name": "floor", "kind": "static", "parts": parts}]
    cube = {"type": "box", "size": [0.04, 0.04, 0.04]}
    table = {
        "material": {"default": {"stiffness": K, "damping": 0.5, "mu": 0.3}},
        "body": [*bodies, {"name": "hand", "kind": "pointer", "shape": cube, "position": [0, 0, 0.03]}],
    }
    return build(plan(load_scene(table)), Settings(1e-3, limit=PointerLimit(2.0)))


def drawn(world, places):
    """The wrench in each tick as the cube is moved through these places."""
    found, last = [], np.array(places[0])
    for place in places:
        world.state.device[k.DEVICE_POSITION : k.DEVICE_POSITION + 3] = place
        world.state.device[k.DEVICE_VELOCITY : k.DEVICE_VELOCITY + 3] = (place - last) / 1e-3
        world.state.device[k.DEVICE_Q + 3] = 1.0
        step(*world, 1)
        found.append(world.work.pointer.copy())
        last = np.array(place)
    return np.array(found)


def pressed(world, x):
    """The cube, let down to 1 mm depth at x."""
    drawn(world, [(x, 0.0, 0.0205 - 1e-4 * i) for i in range(16)])
    drawn(world, [(x, 0.0, 0.019)])
    return world


@pytest.mark.parametrize("apart", [False, True])
def test_tiles_in_one_plane_feel_like_one_plate(apart):
    """Drawn over a seam at 0.1 m/s: what is left of it is depth over width of the force; else it is half of it."""
    along = [(-0.0205 + 1e-4 * i, 0.0, 0.019) for i in range(30 if SLOW else 450)]
    smooth = drawn(pressed(floor_of(1), along[0][0]), along)
    tiles = pressed(floor_of(2, apart), along[0][0])
    seam = drawn(tiles, along)
    assert tiles.state.touch.max() and np.count_nonzero(tiles.state.law[:, k.LAW_AGE]) == (2 if SLOW else 1)
    assert np.abs(smooth[:, 2] - K * 1e-3).max() < 1e-9
    left = 1.2 * (1e-3 / 0.04) * K * 1e-3
    assert np.abs(seam - smooth)[:, :3].max() < left
    assert np.abs(np.diff(seam - smooth, axis=0))[:, :3].max() < left


def test_a_cube_over_a_seam_sinks_in_as_on_a_plate():
    assert pressed(floor_of(10), 0.0).work.pointer[2] == pytest.approx(K * 1e-3, rel=0.01)
