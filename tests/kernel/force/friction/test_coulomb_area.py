"""kernel/force/friction/coulomb_area.py: the wrench of rest, of sliding and of the change; more in test_laws.py."""

import numpy as np
import pytest

from tests.oracle.patch import block_on_floor, drive

pytestmark = pytest.mark.kernel
RADIUS = 0.0593  # m, mean distance from the middle of a 0.2 x 0.1 m patch


def test_spin_is_resisted_by_mu_n_times_the_mean_radius():
    patch = block_on_floor(1e-3, friction="coulomb_area")
    assert drive(patch, [(0.0, 0.0)] * 200, [2.0] * 200)[-1, 2] == pytest.approx(-0.5 * 2.0 * RADIUS, rel=0.005)


def test_at_rest_the_torque_is_that_of_springs_over_the_patch():
    """(21): K theta times the mean square radius."""
    patch = block_on_floor(1e-3, friction="coulomb_area")
    torque = drive(patch, [(0.0, 0.0)] * 51, [0.01] * 50 + [0.0])[-1, 2]
    assert torque == pytest.approx(-1000.0 * 0.01 * 0.05 * (0.2**2 + 0.1**2) / 12, rel=1e-6)


def test_after_a_slide_the_springs_hold_just_the_sliding_wrench():
    patch = block_on_floor(1e-3, friction="coulomb_area")
    slide = drive(patch, [(0.3, 0.1)] * 100, [4.0] * 100)[-1]
    patch.place(0, patch.body[0, :3])
    patch.step()
    # stopped dead: the damper's b v is the only difference, 1 Ns/m at 0.32 m/s and 4 rad/s
    assert np.allclose(patch.on_a[0, :2] - slide[:2], (0.3, 0.1), atol=1e-9) or np.hypot(*patch.on_a[0, :2]) <= 1.0
    assert np.hypot(*patch.on_a[0, :2]) <= 0.5 * slide[3] * (1 + 1e-12)


def test_the_stretch_follows_the_patch():
    """The patch centre moves over the bodies (the block is over the floor's edge): r is carried to the new centre."""
    patch = block_on_floor(1e-3, friction="coulomb_area")
    drive(patch, [(0.0, 0.0)] * 20, [0.05] * 20)
    held = patch.on_a[0, 5]
    arm = patch.centre - patch.body[0, :3]
    assert held == pytest.approx(patch.wrench[0, 5] - np.cross(arm, patch.on_a[0, :3])[2])
    assert held < 0.0
