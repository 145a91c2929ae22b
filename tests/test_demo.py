"""The demo's hand does what `hapticd demo` says: it topples the tower, and lifts the beam of the gate."""

import numpy as np
import pytest

import hapticd
from hapticd.document import load
from tests.oracle.session import ROOT

TOPPLED_BY, LIFTED_AT = 5.0, 12.0  # s


def test_the_hand_topples_the_tower_and_lifts_the_beam():
    config = load(ROOT / "configs" / "demo.toml").data
    path = np.array(config["device"]["path"], float)
    where = np.array(config["mount"]["position"]) + config["mount"]["motion_scale"] * path[:, 1:]
    sim = hapticd.Simulation(hapticd.load_scene(ROOT / "configs" / config["scene"]), dt=1e-3)
    times = np.arange(0.0, LIFTED_AT, 1e-3)
    positions = np.array([np.interp(times, path[:, 0], where[:, k]) for k in range(3)]).T
    for time, position, velocity in zip(times, positions, np.gradient(positions, 1e-3, axis=0), strict=True):
        sim.set_pointer(position, velocity=velocity)
        sim.step(1)
        if time == pytest.approx(TOPPLED_BY):
            assert sim.body("left3").position[2] < 0.05
    beam = sim.body("beam")
    assert beam.position[2] > 0.14 and sim.body("post1").position[2] < 0.025
    assert sim.pointer_wrench[2] == pytest.approx(-beam.mass * 9.8, rel=0.02)  # its weight is felt
