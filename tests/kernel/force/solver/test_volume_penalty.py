"""kernel/force/solver/volume_penalty.py against an integral over the patch."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from tests.oracle.patch import block_on_floor

pytestmark = pytest.mark.kernel
N = 2 if numba.config.DISABLE_JIT else 30


def tilted(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def brute(depth, tilt, velocity, omega, K, B):
    """Springs and dampers of a box's lower side on a midpoint grid: (N, torque about the block's centre)."""
    R = tilted(tilt)
    n = 400
    u = (np.arange(n) + 0.5) / n - 0.5
    x, y = np.meshgrid(0.2 * u, 0.1 * u)
    points = np.stack([x, y, np.full_like(x, -0.05)], axis=-1) @ R.T + (0, 0, 0.05 - depth)
    inside = points[..., 2] < 0.0
    area = 0.2 * 0.1 / n**2 * R[2, 2]
    total = area * inside.sum()
    pressure = (-K * points[..., 2] - B * (velocity + np.cross(omega, points - (0, 0, 0.05 - depth)))[..., 2]) / total
    force = np.stack([np.zeros_like(x), np.zeros_like(x), np.where(inside, pressure, 0.0) * area], axis=-1)
    torque = np.cross(points - (0, 0, 0.05 - depth), force)
    return force.sum(axis=(0, 1)), torque.sum(axis=(0, 1))


def test_flat_contact_per_contact_and_per_area():
    patch = block_on_floor(1e-3, friction="none")
    patch.step()
    assert patch.wrench[0] == pytest.approx([0, 0, 2000.0 * 1e-3, 0, 0, 0], abs=1e-12)
    patch = block_on_floor(1e-3, friction="none", per_area=True)
    patch.step()
    assert patch.wrench[0, 2] == pytest.approx(2000.0 * 0.2 * 0.1 * 1e-3)


def test_springs_and_dampers_equal_the_integral():
    """A tilt so small that no corner is free; the solver's plane is then within 1e-3 rad of the floor's."""
    rng = np.random.default_rng(4)
    for _ in range(N):
        tilt, velocity, omega = 0.004 * rng.uniform(-1, 1), 0.05 * rng.normal(size=3), 2.0 * rng.normal(size=3)
        patch = block_on_floor(1e-3, friction="none")
        patch.place(0, (0, 0, 0.049), velocity, omega)
        patch.step(tilted(tilt))
        force, torque = brute(1e-3, tilt, velocity, omega, 2000.0, 3.0)
        assert np.allclose(patch.wrench[0, :3], force, atol=0.01 * np.linalg.norm(force))
        assert np.allclose(patch.wrench[0, 3:], torque, atol=0.01 * np.linalg.norm(force) * 0.1)


def test_a_wedge_acts_at_its_centroid():
    patch = block_on_floor(1e-3, friction="none")
    tilt = np.arctan(1e-3 / 0.1)  # one edge 2 mm deep, the other just touching
    patch.step(tilted(tilt))
    arm = -patch.wrench[0, 4] / patch.wrench[0, 2]
    assert abs(arm) == pytest.approx(0.2 / 6, rel=0.02)


def test_the_pressure_never_leaves_the_patch():
    """A damper at a fast edge would pull at the far side: the centre of pressure is kept in the patch."""
    rng = np.random.default_rng(5)
    for _ in range(N):
        patch = block_on_floor(1e-3, friction="none", gains={k.GAIN_DAMPING: 500.0})
        patch.place(0, (0, 0, 0.049), (0, 0, -0.1), rng.normal(size=3) * (50, 50, 0))
        patch.step()
        force = patch.on_a[0, 2]
        if force > 0.0:
            d = np.array([-patch.on_a[0, 4], patch.on_a[0, 3]]) / force
            assert abs(d[0]) <= 0.1 and abs(d[1]) <= 0.05
