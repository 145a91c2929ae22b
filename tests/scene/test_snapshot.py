"""scene/snapshot.py: a state put back has the same future."""

import pytest

import hapticd
from hapticd.errors import SceneError

SCENE = {
    "material": {"default": {"stiffness": 3000, "damping": 3}},
    "body": [
        {"name": "floor", "kind": "static", "shape": {"type": "box", "size": [4, 4, 1]}, "position": [0, 0, -0.5]},
        {"name": "a", "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "mass": 0.3, "position": [0, 0, 0.12],
         "velocity": [1, 0, 0], "angular_velocity": [1, 2, 3]},
    ],
}  # fmt: skip


def test_the_future_is_the_same():
    sim = hapticd.Simulation(hapticd.load_scene(SCENE))
    sim.step(150)
    kept, now = sim.snapshot(), sim.state_hash()
    sim.step(100)
    later = sim.state_hash()
    sim.restore(kept)
    assert sim.state_hash() == now != later
    sim.step(100)
    assert sim.state_hash() == later
    fresh = hapticd.Simulation(hapticd.load_scene(SCENE))
    fresh.restore(kept)
    fresh.step(100)
    assert fresh.state_hash() == later


def test_a_foreign_snapshot_changes_nothing():
    sim = hapticd.Simulation(hapticd.load_scene(SCENE))
    sim.step(30)
    before = sim.state_hash()
    for bad in (b"", b"1234567", sim.snapshot()[:-1], sim.snapshot() + b"x", b"\xff" * 64):
        with pytest.raises(SceneError):
            sim.restore(bad)
        assert sim.state_hash() == before
