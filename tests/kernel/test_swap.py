"""A scene that begins anew: at its start, or with the bodies that both scenes share going on as they were."""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import ARMING, EVENT_SCENE
from hapticd.kernel.layout import BODY_POSITION, LAW_AGE
from hapticd.kernel.swap import renew
from tests.kernel.small_world import World, block, scene

pytestmark = pytest.mark.kernel


def carried(world, new, bodies, parts):
    """renew() with old body of each new one, and new part of each old one."""
    body, part = np.full(world.capacity.bodies, -1, np.int32), np.full(world.capacity.parts, -1, np.int32)
    body[: len(bodies)], part[: len(parts)] = bodies, parts
    renew(world.state, new.state, world.work, body, part, 1, world.safety, 2)
    world.model = new.model


def settled(*names):
    world = World(scene(*(block(name, 0.1 * k + 0.1, 0.0199) for k, name in enumerate(names))))
    world.hand(0.0065)
    for _ in range(15):
        world.tick()
    return world


def test_restart_is_the_beginning():
    world = settled("a", "b")
    start = world.fill(scene(block("a", 0.1, 0.0199), block("b", 0.2, 0.0199)))
    none = np.full(64, -1, np.int32)
    renew(world.state, start.state, world.work, none[: world.capacity.bodies], none, 0, world.safety, 5)
    assert np.array_equal(world.state.body, start.state.body) and world.state.tick[0] == 0
    assert world.word[g.WORD_GENERATION] == 5 and world.state.pair_count[0] == 0 and not world.state.law.any()
    slot = world.tick(renew=1)
    assert world.mode == ARMING and slot["wrench"][g.WRENCH_SENT, 2] == 0.0  # fault row 38: force from zero
    assert (EVENT_SCENE, 0, 5, 0) in world.events() and slot["word"][g.WORD_CONTACTS] == 3


def test_added_body_leaves_the_others_as_they_were():
    world = settled("a", "b")
    kept = world.state.body[:4].copy()
    ages = {tuple(p): a for p, a in zip(world.state.pair[:3].tolist(), world.state.law[:3, LAW_AGE], strict=True)}
    new = world.fill(scene(block("a", 0.1, 0.0199), block("b", 0.2, 0.0199), block("c", 0.3, 0.5)))
    carried(world, new, [0, 1, 2, 3], [0, 1, 2, 3])
    assert np.array_equal(world.state.body[:4], kept) and world.state.body[4, BODY_POSITION + 2] == 0.5
    count = int(world.state.tick[0])
    world.tick(renew=1)
    assert world.state.tick[0] == count + 1
    for pair, age in ages.items():
        i = world.state.pair[: world.state.pair_count[0]].tolist().index(list(pair))
        assert world.state.law[i, LAW_AGE] == age + 1  # friction goes on where it was


def test_removed_body_closes_the_ranks():
    world = settled("a", "b", "c")
    kept = world.state.body.copy()
    new = world.fill(scene(block("a", 0.1, 0.0199), block("c", 0.3, 0.0199)))
    carried(world, new, [0, 1, 2, 4], [0, 1, 2, -1, 3])
    assert np.array_equal(world.state.body[:4], kept[[0, 1, 2, 4]]) and not world.state.body[4:].any()
    pairs = world.state.pair[: world.state.pair_count[0]].tolist()
    assert pairs == sorted(pairs) and [0, 3] in pairs and all(b < 4 for _, b in pairs)
    world.tick(renew=1)
    ages = world.state.law[: world.state.pair_count[0], LAW_AGE]
    assert sorted(ages[ages > 0]) == [16, 16, 16]


def test_push_goes_with_its_body():
    world = settled("a", "b")
    world.safety.push[3], world.state.applied[3, 0] = 7, 2.0
    new = world.fill(scene(block("b", 0.2, 0.0199)))
    carried(world, new, [0, 1, 3], [0, 1, -1, 2])
    assert world.safety.push[2] == 7 and world.state.applied[2, 0] == 2.0 and not world.safety.push[3]
