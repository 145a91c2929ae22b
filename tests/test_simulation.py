"""simulation.py: the Python face, and what a pointer feels at the edges of what it may do."""

import numpy as np
import pytest

import hapticd
from hapticd.errors import ConfigError, SceneError
from hapticd.kernel.layout import WORLD_TRAVEL

MATERIAL = {"default": {"stiffness": 2000, "damping": 2, "mu": 0.5}}


def box(name, size, position, kind="static", **more):
    return {"name": name, "kind": kind, "shape": {"type": "box", "size": size}, "position": position} | more


def sim_of(*bodies, **tables):
    return hapticd.Simulation(hapticd.load_scene({"material": MATERIAL, "body": list(bodies)} | tables))


FLOOR = box("floor", [2, 2, 0.2], [0, 0, -0.1])
HAND = box("hand", [0.04, 0.04, 0.04], [0, 0, 0.1], "pointer")


def test_the_face_of_the_readme():
    sim = sim_of(FLOOR, HAND, box("block", [0.1, 0.1, 0.1], [0, 0, 0.05], "dynamic", mass=0.5))
    sim.set_pointer((0.0, 0.0, 0.1195), (0, 0, 0, 1), (0, 0, -0.1), (0, 0, 0))
    sim.step(10)
    assert sim.tick == 10 and sim.time == pytest.approx(0.01)
    assert sim.pointer_wrench.shape == (6,) and sim.pointer_wrench[2] > 0.0
    block = sim.body("block")
    assert block.mass == 0.5 and block.position.shape == (3,) and np.linalg.norm(block.q_xyzw) == pytest.approx(1)
    pairs = {contact.bodies: contact for contact in sim.contacts()}
    assert set(pairs) == {("floor", "block"), ("hand", "block")}
    contact = pairs["floor", "block"]
    assert contact.area == pytest.approx(0.01, rel=0.05) and contact.polygon.shape == (4, 3)
    assert contact.wrench[2] < 0.0 and contact.status == "ok"  # on the floor
    assert contact.normal == pytest.approx((0, 0, -1), abs=1e-9)
    assert len(sim.state_hash()) == 64


def test_a_block_weighs_what_it_weighs():
    sim = sim_of(FLOOR, box("block", [0.1, 0.1, 0.1], [0, 0, 0.05], "dynamic", mass=0.5))
    sim.step(9000)
    assert sim.body("block").wrench[2] == pytest.approx(0.5 * 9.8, rel=1e-6)
    assert sim.body("block").position[2] == pytest.approx(0.05 - 0.5 * 9.8 / 2000, abs=1e-6)


def test_poses_are_those_of_the_scenes_frame():
    parts = [{"type": "box", "size": [0.1, 0.1, 0.1], "position": [0.3, 0, 0]}]
    body = {"name": "a", "mass": 1.0, "parts": parts, "angular_velocity": [0, 0, 2.0], "position": [1, 0, 0]}
    sim = sim_of(body, gravity=[0, 0, 0])
    assert np.allclose(sim.body("a").position, (1, 0, 0)) and np.allclose(sim.body("a").velocity, 0, atol=1e-15)
    sim.step(100)
    angle = 0.2
    centre = np.array([1.3, 0.06, 0])  # moves at omega x r = 0.6 m/s
    assert np.allclose(sim.body("a").centre_of_mass, centre, atol=1e-12)
    assert np.allclose(sim.body("a").position, centre - 0.3 * np.array([np.cos(angle), np.sin(angle), 0]), atol=1e-6)


def test_bad_arguments():
    sim = sim_of(FLOOR, HAND)
    for bad in ((np.nan, 0, 0), (0, 0), "abc", (np.inf, 0, 0)):
        with pytest.raises(ConfigError, match="finite numbers"):
            sim.set_pointer(bad)
    with pytest.raises(ConfigError, match="not zero"):
        sim.set_pointer((0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(SceneError, match="no body 'cube'; known are floor, hand"):
        sim.body("cube")
    with pytest.raises(SceneError, match="no body of kind 'pointer'"):
        sim_of(FLOOR).set_pointer((0, 0, 0))
    with pytest.raises(ConfigError, match="n = -1"):
        sim.step(-1)
    for keyword in ({"solver": "lcp"}, {"friction": "sticky"}, {"dt": 0.0}, {"dt": float("nan")}):
        with pytest.raises(ConfigError, match=next(iter(keyword))):
            hapticd.Simulation(sim.scene, **keyword)


def press(sim, path, dt=1e-3):
    """The wrench of every tick while the device follows the positions."""
    out, before = [], path[0]
    for position in path:
        sim.set_pointer(position, velocity=(np.array(position) - before) / dt)
        before = np.array(position)
        sim.step()
        out.append(sim.pointer_wrench)
    return np.array(out)


def test_a_pointer_that_starts_inside_a_body_is_pushed_out_gently():
    """Bounded by K times the depth, and never a step larger than the fade allows."""
    sim = sim_of(FLOOR, HAND | {"position": [0, 0, -0.01]})
    force = press(sim, [(0, 0, -0.01)] * 400)[:, 2]
    assert abs(force[0]) < 1e-12 and force[-1] > 1.0
    assert np.abs(np.diff(force)).max() < 1.1 * force.max() / 200
    assert force.max() <= 2000 * 0.05


def test_a_pointer_wholly_inside_is_deep_bounded_and_continuous():
    sim = sim_of(box("rock", [1, 1, 1], [0, 0, 0]), HAND | {"position": [0, 0, 0.7]})
    heights = np.concatenate([np.linspace(0.53, 0.3, 600), np.linspace(0.3, 0.53, 600)])
    force = press(sim, [(0, 0, z) for z in heights])[:, 2]
    assert (force >= -1e-9).all(), "it never pulls in"
    assert force.max() <= 2000 * 0.05 + 2 * 0.4
    assert np.abs(np.diff(force)).max() < 5.0
    sim = sim_of(box("rock", [1, 1, 1], [0, 0, 0]), HAND | {"position": [0, 0, 0.3]})
    sim.step()
    assert [contact.status for contact in sim.contacts()] == ["deep"]


@pytest.mark.parametrize("speed", [1.0, 10.0, 100.0])
def test_a_fast_pointer_does_not_tunnel(speed):
    """A wall 10 mm thin: the pointer lags behind a device faster than half of it per tick, and is pushed back."""
    wall, start = box("wall", [0.01, 1, 1], [0, 0, 0]), -0.1
    sim = sim_of(wall, HAND | {"position": [start, 0, 0]})
    travel = sim.world.model.world[WORLD_TRAVEL]
    assert travel == pytest.approx(0.005)
    places, force = [start], []
    for i in range(1, 60):
        sim.set_pointer((min(start + speed * i * 1e-3, 0.05), 0, 0), velocity=(speed, 0, 0))
        sim.step()
        places.append(sim.body("hand").position[0])
        force.append(sim.pointer_wrench[0])
    assert np.diff(places).max() <= travel * (1 + 1e-9)
    first = np.flatnonzero(np.abs(force) > 1e-9)
    if speed > 1.0:
        assert first.size, "the wall was felt"
        assert force[first[0]] < 0.0 and min(force) > -2000 * 0.05 - 2 * speed


def test_virtual_coupling_holds_the_pointer_outside():
    """The device goes 5 mm into the floor; the simulated pointer rests on it and the device feels the coupling."""
    coupling = {"stiffness": 500, "damping": 5, "turn_stiffness": 0.5, "turn_damping": 0.01}
    sim = sim_of(FLOOR, HAND | {"mass": 0.1, "position": [0, 0, 0.03]}, pointer={"coupling": coupling})
    press(sim, [(0, 0, 0.03 - 1e-5 * i) for i in range(1500)])
    wrench = press(sim, [(0, 0, 0.015)] * 1500)[-1]
    place = sim.body("hand").position[2]
    assert 0.015 < place < 0.02
    assert wrench[2] == pytest.approx(500 * (place - 0.015), rel=1e-3)
    assert wrench[2] == pytest.approx(2000 * (0.02 - place), rel=1e-3)


def test_crowded_beyond_the_capacity_is_said():
    bodies = [box(f"b{i}", [1, 1, 1], [1e-3 * i, 0, 0], "dynamic", mass=1e3) for i in range(40)]
    with pytest.raises(SceneError, match="near each other"):
        sim_of(*bodies).step()
