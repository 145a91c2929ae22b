"""kernel/force/friction/maxwell_slip.py: presliding; the rest is in test_laws.py."""

import pytest

from tests.oracle.patch import block_on_floor, drive

pytestmark = pytest.mark.kernel


def test_maxwell_slip_yields_before_it_slides():
    """Presliding: softer than the one spring of kikuuwe well below the limit, and closed loops."""
    x = 0.5 * 2.0 / 1000.0  # mu N / K: kikuuwe's limit of rest
    forces = {}
    for law in ("kikuuwe", "maxwell_slip"):
        patch = block_on_floor(1e-3, friction=law)
        forces[law] = -drive(patch, [(0.8 * x / 0.1, 0.0)] * 100, [0.0] * 100)[-1, 0]
    assert forces["kikuuwe"] == pytest.approx(0.8 + 1.0 * 8e-3, rel=1e-3)  # K e + B v
    assert 0.3 < forces["maxwell_slip"] < 0.75


def test_loops_close():
    """Presliding to and fro between the same two points gives the same loop from the second round on."""
    patch = block_on_floor(1e-3, friction="maxwell_slip")
    there, back = [(5e-3, 0.0)] * 100, [(-5e-3, 0.0)] * 100
    force = drive(patch, (there + back) * 3, [0.0] * 600)[:, 0]
    assert force[200:400] == pytest.approx(force[400:], abs=1e-3)  # the dampers' memory of the start fades
    assert abs(force[249] - force[349]) > 0.01, "a loop has an inside"
