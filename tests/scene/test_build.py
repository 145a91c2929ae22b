"""scene/build.py: the arrays of a scene, in worlds of any capacity."""

import dataclasses

import numpy as np
import pytest

from hapticd.errors import SceneError
from hapticd.kernel import layout as k
from hapticd.kernel.step import step
from hapticd.scene.arrays import allocate
from hapticd.scene.build import Settings, build, capacity_of, fill, needed
from hapticd.scene.file import load_scene
from hapticd.scene.material import PointerLimit
from hapticd.scene.plan import plan
from hapticd.scene.snapshot import state_hash

TABLE = {
    "material": {"wood": {"stiffness": 3000, "damping": 3}, "ice": {"stiffness": 4000, "damping": 1, "mu": 0.05}},
    "body": [
        {"name": "floor", "kind": "static", "material": "wood", "shape": {"type": "box", "size": [1, 1, 0.1]}},
        {"name": "cube", "material": "ice", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "mass": 0.2,
         "position": [0, 0, 0.11], "velocity": [0.1, 0, 0], "angular_velocity": [0, 0, 2]},
        {"name": "hand", "kind": "pointer", "material": "wood", "shape": {"type": "box", "size": [0.02, 0.04, 0.04]},
         "position": [0.3, 0, 0.2]},
    ],
}  # fmt: skip


def test_rows():
    world = build(plan(load_scene(TABLE)), Settings(1e-3, limit=PointerLimit(damping=0.5)))
    m, s = world.model, world.state
    assert list(m.kind) == [k.STATIC, k.DYNAMIC, k.POINTER] and list(m.still) == [1, 0, 0]
    assert list(m.material) == [0, 1, 2] and m.option[k.OPTION_MATERIALS] == 3
    assert m.mass[1, k.MASS] == 0.2 and not m.mass[[0, 2]].any()
    assert np.allclose(s.body[1, k.BODY_MOMENTUM : k.BODY_MOMENTUM + 3], (0.02, 0, 0))
    assert s.body[1, k.BODY_SPIN + 2] == pytest.approx(2 * 0.2 * 0.01 / 6)
    gain = m.gain.reshape(3, 3, -1)
    assert (gain[2, 1] == gain[1, 2]).all() and gain[2, 0, k.GAIN_STIFFNESS] == 1000.0
    assert m.world[k.WORLD_TRAVEL] == pytest.approx(0.01)
    assert m.world[k.WORLD_REACH] == pytest.approx(0.03)
    assert np.allclose(s.device[:7], (0.3, 0, 0.2, 0, 0, 0, 1))


def test_a_larger_world_gives_the_same_bits():
    made = plan(load_scene(TABLE))
    wanted = needed(made)
    large = allocate(dataclasses.replace(wanted, **{name: 2 * value + 3 for name, value in vars(wanted).items()}))
    fill(large, made, Settings(1e-3))
    small = build(made, Settings(1e-3))
    assert capacity_of(small).holds(wanted) == []
    for world in (small, large):
        step(*world, 50)
    assert state_hash(small) == state_hash(large)


def test_filling_again_leaves_nothing_behind():
    made = plan(load_scene(TABLE))
    world = build(made, Settings(1e-3))
    first = state_hash(world)
    step(*world, 20)
    fill(world, made, Settings(1e-3))
    assert state_hash(world) == first


def test_too_large_a_scene_changes_nothing():
    made = plan(load_scene(TABLE))
    world = build(made, Settings(1e-3))
    step(*world, 5)
    before = state_hash(world)
    larger = plan(load_scene(TABLE | {"tower": [{"count": 3, "material": "wood"}]}))
    with pytest.raises(SceneError, match=r"6 bodies \(capacity 3\)"):
        fill(world, larger, Settings(1e-3))
    assert state_hash(world) == before
