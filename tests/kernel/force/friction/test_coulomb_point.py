"""kernel/force/friction/coulomb_point.py: no friction torque; the rest is in test_laws.py."""

import pytest

from tests.oracle.patch import block_on_floor, drive

pytestmark = pytest.mark.kernel


def test_spin_is_not_resisted():
    patch = block_on_floor(1e-3, friction="coulomb_point")
    out = drive(patch, [(0.0, 0.0)] * 200, [2.0] * 200)
    assert out[:, 2] == pytest.approx(0.0, abs=1e-12)
