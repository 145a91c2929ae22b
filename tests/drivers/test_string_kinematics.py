"""Pose and velocity from string lengths, against plain geometry and the figures of the device table."""

import math
from pathlib import Path

import numba
import numpy as np
import pytest

from hapticd.drivers import string_kinematics as sk
from hapticd.drivers.string_geometry import load_geometry
from tests.oracle.grip import angle_between, random_pose, string_lengths

pytestmark = pytest.mark.kernel

FOLDER = Path(__file__).parents[2] / "configs" / "device"
SAMPLES = 10 if numba.config.DISABLE_JIT else 300
HOME = np.array([0, 0, 0, 0, 0, 0, 1.0])


class Grip:
    """One geometry with its scratch arrays."""

    def __init__(self, name):
        self.geometry = load_geometry(FOLDER / f"{name}.toml")
        self.strings = self.geometry.rows()
        self.exits, self.knots = self.strings[:, :3], self.strings[:, 3:6]
        n = len(self.strings)
        self.A, self.length, self.N, self.delta = np.zeros((n, 6)), np.zeros(n), np.zeros((6, 6)), np.zeros(6)
        self.pose = HOME.copy()

    def solve(self, measured, steps=8, sigma=sk.PULL):
        return sk.solve_pose(
            self.strings,
            measured,
            self.geometry.n_dof,
            sigma,
            steps,
            self.pose,
            self.A,
            self.length,
            self.N,
            self.delta,
        )


def test_rows_of_x3r_at_home():
    grip = Grip("spidar_g6_x3r")
    sk.string_rows(grip.strings, HOME, grip.A, grip.length)
    singular = np.linalg.svd(grip.A, compute_uv=False)
    assert np.abs(singular[:3] - [1.8113, 1.6633, 1.3975]).max() < 1e-4
    assert np.abs(singular[3:] - [0.0425, 0.0223, 0.0218]).max() < 1e-4


def test_rows_are_the_slope_of_the_lengths():
    """a_i = -dL_i/d(pose), by central differences of the plain formula."""
    rng = np.random.default_rng(1)
    grip = Grip("spidar_g6_x3r")
    pose = random_pose(rng, 0.02, 0.5)
    sk.string_rows(grip.strings, pose, grip.A, grip.length)
    from scipy.spatial.transform import Rotation

    for axis in range(6):
        ends = []
        for step in (1e-6, -1e-6):
            p, turn = pose[:3].copy(), np.zeros(3)
            (p if axis < 3 else turn)[axis % 3] += step
            q = (Rotation.from_rotvec(turn) * Rotation.from_quat(pose[3:])).as_quat()
            ends.append(string_lengths(grip.exits, grip.knots, p, q))
        assert np.abs((ends[0] - ends[1]) / 2e-6 + grip.A[:, axis]).max() < 1e-8


@pytest.mark.parametrize(("name", "reach", "angle"), [
    ("spidar_g6_x3r", 0.03, 0.52), ("spidar_g6_x3l", 0.03, 0.52), ("spidar_g6_x4", 0.03, 0.52),
    ("spidar_g6_c", 0.05, 0.52), ("spidar_g6_45", 0.1, 0.52), ("spidar_i7", 0.004, 0.15), ("spidar_4", 0.04, 0.0),
])  # fmt: skip
def test_pose_from_exact_lengths(name, reach, angle):
    """From home, cold, over the whole workspace: the pose of plain geometry to a micrometre and beyond."""
    rng = np.random.default_rng(2)
    grip = Grip(name)
    for _ in range(SAMPLES):
        pose = random_pose(rng, reach, angle)
        grip.pose[:] = HOME
        residual = grip.solve(string_lengths(grip.exits, grip.knots, pose[:3], pose[3:]), steps=20)
        assert residual < 1e-9
        assert np.abs(grip.pose[:3] - pose[:3]).max() < 1e-8
        assert angle_between(grip.pose[3:], pose[3:]) < 1e-6


def test_convergence_is_that_of_the_table():
    """devices.md 1.4: median error after 2 and 5 steps from home to a pose within 20 mm and 20 degrees."""
    rng = np.random.default_rng(3)
    grip = Grip("spidar_g6_x3r")
    poses = [random_pose(rng, 0.02, math.radians(20)) for _ in range(SAMPLES)]
    for sigma, steps, metres, rad in ((1e-3, 2, 517e-6, 58e-3), (1e-6, 2, 10e-6, 0.37e-3), (1e-6, 5, 1e-10, 1e-8)):
        off, turn = [], []
        for pose in poses:
            grip.pose[:] = HOME
            grip.solve(string_lengths(grip.exits, grip.knots, pose[:3], pose[3:]), steps, sigma)
            off.append(np.linalg.norm(grip.pose[:3] - pose[:3]))
            turn.append(angle_between(grip.pose[3:], pose[3:]))
        assert np.median(off) < 2 * metres
        assert np.median(turn) < 2 * rad + 1e-7


def test_quantised_lengths_give_the_table_s_noise():
    """One pulse of uniform quantisation: 3.3-3.5 um and 0.18-0.22 mrad rms per axis at home."""
    rng = np.random.default_rng(4)
    grip = Grip("spidar_g6_x3r")
    home, pulse = grip.geometry.home_lengths(), 1.66555e-5
    track = []
    for _ in range(max(SAMPLES, 40)):
        grip.pose[:] = HOME
        grip.solve(home + pulse * (rng.random(8) - 0.5), steps=3)
        track.append([*grip.pose[:3], *(2 * grip.pose[3:6])])
    noise = np.std(track, axis=0)
    wide = 0.4 if numba.config.DISABLE_JIT else 0.15
    assert (noise[:3] > 3.3e-6 * (1 - wide)).all() and (noise[:3] < 4.4e-6 * (1 + wide)).all()
    assert (noise[3:] > 0.1e-3).all() and (noise[3:] < 0.22e-3 * (1 + wide)).all()


def test_twist_is_the_derivative_of_the_pose():
    rng = np.random.default_rng(5)
    grip = Grip("spidar_g6_x3r")
    from scipy.spatial.transform import Rotation

    for _ in range(min(SAMPLES, 30)):
        pose, v, w = random_pose(rng, 0.02, 0.4), rng.normal(size=3), 5 * rng.normal(size=3)
        ends = [
            string_lengths(
                grip.exits,
                grip.knots,
                pose[:3] + h * v,
                (Rotation.from_rotvec(h * w) * Rotation.from_quat(pose[3:])).as_quat(),
            )
            for h in (1e-6, -1e-6)
        ]
        grip.solve(string_lengths(grip.exits, grip.knots, pose[:3], pose[3:]), steps=20)
        out = np.zeros(6)
        sk.twist(grip.A, grip.N, 6, (ends[0] - ends[1]) / 2e-6, out)
        # sigma = 1e-6 pulls the weakest turns by sigma / s^2, up to a few percent far from home
        assert np.abs(out[:3] - v).max() < 0.02
        assert np.abs(out[3:] - w).max() < 0.05 * np.linalg.norm(w)


def test_turn_is_held_at_a_right_angle():
    grip = Grip("spidar_g6_x3r")
    rng = np.random.default_rng(6)
    for _ in range(min(SAMPLES, 50)):
        grip.pose[:] = HOME
        grip.solve(grip.geometry.home_lengths() + 0.05 * rng.normal(size=8), steps=20)
        assert abs(np.linalg.norm(grip.pose[3:]) - 1) < 1e-12
        assert grip.pose[6] >= math.sqrt(0.5) - 1e-12


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308])
def test_lengths_that_are_no_numbers_are_refused(bad):
    grip = Grip("spidar_g6_x3r")
    lengths = grip.geometry.home_lengths()
    lengths[3] = bad
    assert grip.solve(lengths) < 0
    assert np.array_equal(grip.pose, HOME)


def test_residual_sees_one_wrong_string():
    """At home one string off by d leaves about half of d in the residual: two of eight lengths are redundant."""
    grip = Grip("spidar_g6_x3r")
    for i in range(8):
        lengths = grip.geometry.home_lengths()
        lengths[i] += 1e-3
        grip.pose[:] = HOME
        assert 0.3e-3 < grip.solve(lengths, steps=20) < 0.8e-3
