"""The computed workspace of the shipped devices, against what was computed before by other means."""

import math
from pathlib import Path

import numpy as np
import pytest

from hapticd.drivers import string_device as sd
from hapticd.drivers.string_geometry import load_geometry
from hapticd.drivers.string_workspace import Probe, pose_of, reach
from tests.oracle.grip import random_pose

FOLDER = Path(__file__).parents[2] / "configs" / "device"


def probe(name="spidar_g6_x3r", edge=0.03, full=0.06):
    geometry = load_geometry(FOLDER / f"{name}.toml")
    setting = np.zeros(sd.SETTING_SIZE)
    setting[sd.TORQUE_WEIGHT] = 1 / geometry.knot_radius() ** 2
    setting[sd.MARGIN_EDGE], setting[sd.MARGIN_FULL] = edge, full
    return Probe(geometry.rows(), geometry.n_dof, setting)


@pytest.mark.parametrize(("reach_mm", "degrees", "share"), [(20, 0, 1.0), (0, 30, 1.0), (20, 20, 0.94), (30, 30, 0.43)])
def test_share_of_poses_that_hold_zero_wrench(reach_mm, degrees, share):
    """devices.md section 6, tensions from 0.3 to 20 N: on the sphere of that radius and that angle."""
    rng, x3r = np.random.default_rng(1), probe()
    good = 0
    for _ in range(300):
        u, w = rng.normal(size=3), rng.normal(size=3)
        turn = math.radians(degrees) * w / np.linalg.norm(w)
        good += x3r.margin(pose_of(reach_mm * 1e-3 * u / np.linalg.norm(u), turn)) > 0.3 / 20
    assert good / 300 == pytest.approx(share, abs=0.08)


def test_reach_of_x3r():
    x3r = probe()
    force, torque, half, angle = reach(x3r.strings, 6, x3r.setting)
    assert force == pytest.approx(28.8, abs=0.5) and torque == pytest.approx(0.51, abs=0.02)
    assert all(0.02 < h < 0.06 for h in half) and math.radians(25) < angle < math.radians(45)


def test_margin_falls_from_home():
    x3r, rng = probe(), np.random.default_rng(2)
    home = x3r.margin(pose_of(np.zeros(3), np.zeros(3)))
    assert home > 0.9
    assert all(x3r.margin(random_pose(rng, 0.03, 0.5)) <= home + 1e-3 for _ in range(100))


def test_three_degrees_of_freedom_have_no_torque():
    four = probe("spidar_4")
    force, torque, half, angle = reach(four.strings, 3, four.setting)
    assert force > 10 and torque == 0 and angle == 0 and min(half) > 0.02
