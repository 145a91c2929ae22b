"""kernel/force/friction/kikuuwe.py: the elliptic limit of slide and spin; the rest is in test_laws.py."""

import numpy as np
import pytest

from tests.oracle.patch import block_on_floor, drive

pytestmark = pytest.mark.kernel
RADIUS = 0.94 * np.sqrt((0.2**2 + 0.1**2) / 12)  # m; the true mean distance is 2 % less


def test_slide_and_spin_share_one_limit():
    """Off by at most 0.17 to 0.25 mu N from the exact integral, but always on the ellipse."""
    for spin in (0.0, 1.0, 5.0, 50.0):
        patch = block_on_floor(1e-3, friction="kikuuwe")
        fx, fy, torque, normal = drive(patch, [(0.1, 0.2)] * 300, [spin] * 300)[-1]
        assert np.sqrt(fx**2 + fy**2 + (torque / RADIUS) ** 2) == pytest.approx(0.5 * normal, rel=0.01)


def test_spin_is_resisted_by_mu_n_times_the_mean_radius():
    patch = block_on_floor(1e-3, friction="kikuuwe")
    assert drive(patch, [(0.0, 0.0)] * 200, [2.0] * 200)[-1, 2] == pytest.approx(-0.5 * 2.0 * RADIUS, rel=0.02)
