"""scene/stability.py: the bound is where a run begins to blow up, and the message says what to do."""

import re

import pytest

import hapticd
from hapticd.errors import SceneError
from hapticd.scene.plan import plan
from hapticd.scene.stability import neighbours

FLOOR = {"name": "floor", "kind": "static", "shape": {"type": "box", "size": [8, 8, 1]}, "position": [0, 0, -0.5]}


def scene(stiffness, damping, blocks=1, **tables):
    material = {"default": {"stiffness": stiffness, "damping": damping, "stick_stiffness": 1.0, "stick_damping": 0.1}}
    tower = {"count": blocks, "size": [1, 1, 1]}
    return hapticd.load_scene({"material": material, "body": [FLOOR], "tower": [tower]} | tables)


def energy_after(table, ticks=3000):
    """Of one block put where the spring carries its weight, but for a nanometre."""
    sim = hapticd.Simulation(table, dt=1e-3)
    stiffness = sim.world.model.gain[0, 0]
    sim.world.state.body[1, 2] -= 98.0 / stiffness + 1e-9
    sim.step(ticks)
    return sim.energy().kinetic


def test_one_block_is_refused_where_it_is_unstable():
    """K h^2/m + 2 B h/m < 4, never pulling apart: a pressed block under ten times its weight."""
    heavy = {"gravity": [0, 0, -98]}
    assert energy_after(scene(3.2e6, 350.0, **heavy)) < 1e-12
    with pytest.raises(SceneError, match="unstable"):
        hapticd.Simulation(scene(3.4e6, 350.0, **heavy))
    assert energy_after(scene(3.4e6, 350.0, allow_unstable=True, **heavy)) > 1e-6


def test_the_nearest_stable_value_is_stable():
    with pytest.raises(SceneError) as caught:
        hapticd.Simulation(scene(1e7, 100.0, blocks=3))
    found = re.search(r"nearest stable is stiffness ([\d.e+]+)", str(caught.value))
    assert found and "below 4" in str(caught.value) and "block2" in str(caught.value)
    hapticd.Simulation(scene(float(found[1]), 100.0, blocks=3))
    with pytest.raises(SceneError):
        hapticd.Simulation(scene(1.02 * float(found[1]), 100.0, blocks=3))


def test_too_much_damping_is_named_as_such():
    with pytest.raises(SceneError, match="nearest stable is damping"):
        hapticd.Simulation(scene(100.0, 1e5))


def test_an_unstable_coupling():
    box = {"type": "box", "size": [0.1, 0.1, 0.1]}
    table = {
        "material": {"default": {"stiffness": 10, "damping": 0.1}},
        "pointer": {"coupling": {"stiffness": 1e6, "damping": 1}},
        "body": [{"name": "p", "kind": "pointer", "shape": box, "mass": 0.1}],
    }
    with pytest.raises(SceneError, match=r"\[pointer.coupling\] stiffness"):
        hapticd.Simulation(hapticd.load_scene(table))


def test_gains_per_area_count_by_the_largest_patch():
    per_area = {"stiffness_is": "per_area"}
    hapticd.Simulation(scene(3e6, 100.0, **per_area))
    with pytest.raises(SceneError):
        hapticd.Simulation(scene(5e6, 100.0, **per_area))


@pytest.mark.parametrize("per_area", [False, True])
def test_tiles_count_as_one_body_unless_gains_are_per_area(per_area):
    """A slab on nine tiles at nearly the bound for one: per contact they share one stiffness, and it rests."""
    tiles = [
        {"name": f"t{i}{j}", "kind": "static", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [i, j, -0.5]}
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
    ]  # fmt: skip
    slab = {"name": "slab", "shape": {"type": "box", "size": [3, 3, 0.5]}, "mass": 1, "position": [0, 0, 0.2501]}
    material = {"default": {"stiffness": 1e6, "damping": 350.0, "stick_stiffness": 1.0, "stick_damping": 0.1}}
    kind = {"stiffness_is": "per_area" if per_area else "per_contact"}
    table = hapticd.load_scene({"material": material, "body": [*tiles, slab]} | kind)
    if per_area:
        with pytest.raises(SceneError, match="on 9 bodies"):
            hapticd.Simulation(table, dt=1e-3)
        return
    sim = hapticd.Simulation(table, dt=1e-3)
    sim.step(3000)
    assert sim.energy().kinetic < 1e-9 and len(sim.contacts()) == 9


def test_neighbours_of_a_tower():
    near = neighbours(plan(scene(100.0, 1.0, blocks=4)))
    assert [sorted(row) for row in near] == [[1], [0, 2], [1, 3], [2, 4], [3]]


def test_a_restless_scene_is_warned_of(caplog):
    hapticd.Simulation(scene(100.0, 1.0))
    assert not caplog.records
    hapticd.Simulation(scene(1e6, 100.0))
    assert "may not come to rest" in caplog.text
