"""The five-bar linkage against the makers' positions, finite differences and virtual work."""

import math

import numpy as np
import pytest

from hapticd.drivers.five_bar import force_to_torque, sine_cosine, tip_and_jacobian
from tests.emulators.pantograph_plant import Arm, PantographPlant

pytestmark = pytest.mark.kernel

LINKS = (0.05, 0.07, 0.02)


def linkage(q1, q2):
    out = np.zeros(7)
    assert tip_and_jacobian(q1 / 360, q2 / 360, *LINKS, out)
    return out


def test_own_sine_is_libm_s():
    for turns in np.linspace(-3, 3, 2001):
        s, c = sine_cosine(turns)
        turns = math.remainder(turns, 1.0)  # exact; libm would round the larger angle
        assert abs(s - math.sin(2 * math.pi * turns)) < 1e-15
        assert abs(c - math.cos(2 * math.pi * turns)) < 1e-15


@pytest.mark.parametrize(
    ("q1", "q2", "tip", "singular"),
    [
        (180, 0, (10.0, 36.1), (35.4, 21.2)),
        (150, 30, (10.0, 70.4), (51.4, 43.7)),
        (120, 60, (10.0, 103.9), (61.2, 35.4)),
    ],
)
def test_table(q1, q2, tip, singular):
    """devices.md 2.3: tip in mm and singular values of the true Jacobian in mm/rad."""
    out = linkage(q1, q2)
    assert np.abs(out[:2] * 1e3 - tip).max() < 0.05
    assert np.abs(np.linalg.svd(out[2:6].reshape(2, 2), compute_uv=False) * 1e3 - singular).max() < 0.05


def test_jacobian_is_the_slope_of_the_tip():
    rng = np.random.default_rng(1)
    for _ in range(50):
        q1, q2, h = rng.uniform(110, 180), rng.uniform(0, 70), 1e-4
        J = linkage(q1, q2)[2:6].reshape(2, 2)
        for k in range(2):
            ends = [linkage(q1 + s * (k == 0), q2 + s * (k == 1))[:2] for s in (h, -h)]
            slope = (ends[0] - ends[1]) / math.radians(2 * h)
            assert np.abs(J[:, k] - slope).max() < 1e-7


def test_angles_and_force_of_the_plant_agree():
    """Inverse kinematics and virtual work, as the emulator has them: the same tip, the same force."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        plant = PantographPlant(Arm(), (rng.uniform(-0.02, 0.04), rng.uniform(0.05, 0.09)))
        q1, q2 = np.degrees(plant.angles())
        out = linkage(q1, q2)
        assert np.abs(out[:2] - plant.p).max() < 1e-12
        command, force = np.zeros(4), rng.normal(size=2)
        force_to_torque(*force, 10.0, out, command)
        plant.torque[:] = command[:2]
        assert np.abs(plant.force() - force).max() < 1e-6
        assert np.array_equal(command[2:], force)


def test_torque_limit_keeps_the_direction():
    out, command = linkage(150, 30), np.zeros(4)
    force_to_torque(30.0, -40.0, 0.123, out, command)
    assert max(abs(command[:2])) == pytest.approx(0.123)
    assert command[3] / command[2] == pytest.approx(-4 / 3)
    assert 2.6 - 0.1 < math.hypot(*command[2:]) < 4.0 + 0.1


def test_weakest_and_strongest_direction():
    """0.123 Nm: 2.6-4.0 N at 150, 30 degrees."""
    out, command = linkage(150, 30), np.zeros(4)
    forces = []
    for a in np.linspace(0, 2 * math.pi, 720):
        force_to_torque(100 * math.cos(a), 100 * math.sin(a), 0.123, out, command)
        forces.append(math.hypot(*command[2:]))
    assert min(forces) == pytest.approx(2.6, abs=0.15)


def test_linkage_that_cannot_close_is_refused():
    assert not tip_and_jacobian(0.5, 0.0, 0.05, 0.05, 0.2, np.zeros(7))
