"""kernel/step.py: one call for many ticks, the pair list, and what a tick writes."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.step import step
from hapticd.scene.build import Settings, build
from hapticd.scene.file import load_scene
from hapticd.scene.plan import plan
from hapticd.scene.snapshot import state_hash

pytestmark = pytest.mark.kernel
TICKS = 20 if numba.config.DISABLE_JIT else 400
FLOOR = {"name": "floor", "kind": "static", "shape": {"type": "box", "size": [8, 8, 1]}, "position": [0, 0, -0.5]}
WOOD = {"default": {"stiffness": 2e4, "damping": 60.0}}


def world_of(bodies, **tables):
    return build(plan(load_scene({"material": WOOD, "body": bodies} | tables)), Settings(1e-3))


def ball(name, position, velocity=(0, 0, 0)):
    shape = {"type": "sphere", "radius": 0.3, "tolerance": 0.05}
    return {"name": name, "shape": shape, "mass": 1.0, "position": list(position), "velocity": list(velocity)}


def falling():
    return world_of([FLOOR, *(ball(f"b{i}", (0.5 * i, 0.1 * i, 0.4 + 0.5 * i), (0.3, -0.2 * i, 0)) for i in range(5))])


def test_many_ticks_in_one_call_are_the_same_bits_as_one_by_one():
    one, many = falling(), falling()
    for _ in range(TICKS):
        step(*one, 1)
    step(*many, TICKS)
    assert state_hash(one) == state_hash(many)
    assert one.work.report[k.REPORT_TOUCHING] > 0 or numba.config.DISABLE_JIT


def test_the_pair_list_follows_the_bodies():
    world = falling()
    for _ in range(TICKS // 4):
        step(*world, 1)
        n = int(world.state.pair_count[0])
        listed = [tuple(row) for row in world.state.pair[:n]]
        low, high = world.work.low, world.work.high
        near = [
            (a, b) for a in range(6) for b in range(a + 1, 6) if (low[a] <= high[b]).all() and (low[b] <= high[a]).all()
        ]
        assert listed == sorted(listed) and set(near) <= set(listed)
    assert world.work.report[k.REPORT_DROPPED] == 0


def test_a_contact_that_ends_forgets_its_friction():
    world = world_of([FLOOR, ball("b", (0, 0, 0.29))])
    step(*world, 1)
    assert world.state.touch[0] and world.work.pair_wrench[0].any()
    world.state.body[1, k.BODY_POSITION + 2] = 0.305  # apart, and still in the fattened box
    step(*world, 1)
    assert world.state.pair_count[0] == 1
    assert not world.state.touch[0] and not world.work.pair_wrench[0].any()
    assert world.state.law[0, k.LAW_AGE] == 0.0 and world.state.contact[0, k.VOLUME] == 0.0


def test_pairs_beyond_the_capacity_are_counted_and_the_rest_goes_on():
    world = falling()
    small = world._replace(
        state=world.state._replace(
            **{name: getattr(world.state, name)[:2] for name in ("pair", "touch", "contact", "law")}
        ),
        work=world.work._replace(found=world.work.found[:4]),
    )
    for i in range(5):
        small.state.body[1 + i, :3] = (0.3 * i, 0, 0.2)
    step(*small, 1)
    assert small.work.report[k.REPORT_DROPPED] > 0
    assert small.state.pair_count[0] == 2
    assert np.isfinite(small.state.body).all()


def test_kinematic_bodies_follow_their_script_and_are_felt():
    table = {
        "name": "table", "kind": "kinematic", "shape": {"type": "box", "size": [2, 2, 0.2]}, "position": [0, 0, -0.1],
        "script": {"type": "steady", "velocity": [0.5, 0, 0]},
    }  # fmt: skip
    cube = {"name": "cube", "shape": {"type": "box", "size": [0.4, 0.4, 0.4]}, "mass": 1.0, "position": [0, 0, 0.2]}
    world = world_of([table, cube])
    step(*world, TICKS)
    assert world.state.body[0, 0] == pytest.approx(0.5 * (TICKS - 1) * 1e-3)
    assert world.state.body[1, k.BODY_VELOCITY] > 0.03
