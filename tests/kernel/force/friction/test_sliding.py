"""kernel/force/friction/sliding.py against a brute-force integral of the Coulomb law over the patch (A5)."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.force.friction.sliding import sliding
from tests.kernel.force.solver.test_volume_penalty import tilted
from tests.oracle.patch import block_on_floor

pytestmark = pytest.mark.kernel
N = 2 if numba.config.DISABLE_JIT else 40


def brute(depth, tilt, velocity, spin):
    """Per unit of mu N: force and torque about the patch's centre of pressure, by a fine midpoint grid."""
    n = 500
    u = (np.arange(n) + 0.5) / n - 0.5
    x, y = np.meshgrid(0.2 * u, 0.1 * u)
    pressure = np.maximum(depth + np.tan(tilt) * x, 0.0)
    pressure /= pressure.sum()
    cx, cy = (pressure * x).sum(), (pressure * y).sum()
    vx, vy = velocity[0] - spin * y, velocity[1] + spin * x
    size = np.hypot(vx, vy)
    fx, fy = -pressure * vx / size, -pressure * vy / size
    return fx.sum(), fy.sum(), ((x - cx) * fy - (y - cy) * fx).sum()


def test_slide_and_spin_equal_the_integral():
    """Within 1 % of the limit, whatever the mixture of sliding and spinning and the slope of the pressure."""
    rng = np.random.default_rng(6)
    for _ in range(N):
        tilt = 0.008 * rng.uniform(-1, 1)
        velocity, spin = rng.normal(size=2), rng.normal() * 20
        patch = block_on_floor(1e-3)
        patch.step(tilted(tilt))
        centre = patch.centre[:2]
        v_centre = velocity + spin * np.array([-centre[1], centre[0]])
        fx, fy, fz, torque = sliding(patch.row[None], 0, 1.0, *v_centre, 0.0, spin, patch.pair.solid)
        want = brute(1e-3, tilt, velocity, spin)
        assert np.hypot(fx - want[0], fy - want[1]) < 0.01
        assert torque == pytest.approx(want[2], abs=0.01 * 0.06)
        assert abs(fz) < 0.01


def test_pure_sliding_is_exact():
    patch = block_on_floor(1e-3)
    patch.step()
    out = sliding(patch.row[None], 0, 7.0, 3.0, 4.0, 0.0, 0.0, patch.pair.solid)
    assert out == pytest.approx((-4.2, -5.6, 0.0, 0.0))


def test_pure_spin_of_a_square():
    """mu N times the mean radius; the paper's interpolation between corners would give 38 % less."""
    patch = block_on_floor(1e-3)
    patch.step()
    fx, fy, _, torque = sliding(patch.row[None], 0, 1.0, 0.0, 0.0, 0.0, 1.0, patch.pair.solid)
    assert np.hypot(fx, fy) < 1e-3
    assert torque == pytest.approx(brute(1e-3, 0.0, (0.0, 0.0), 1.0)[2], rel=0.005)


def test_no_motion_no_friction():
    patch = block_on_floor(1e-3)
    patch.step()
    assert sliding(patch.row[None], 0, 1.0, 0.0, 0.0, 0.0, 0.0, patch.pair.solid) == (0.0, 0.0, 0.0, 0.0)


def test_the_weights_of_all_points_add_up_to_the_volume():
    """A spin about a far centre is a slide: the force must be the whole limit."""
    patch = block_on_floor(1e-3)
    patch.step(tilted(0.02))
    _, fy, _, _ = sliding(patch.row[None], 0, 1.0, 0.0, 1e3, 0.0, 1.0, patch.pair.solid)
    assert fy == pytest.approx(-1.0, abs=1e-6)
    assert patch.row[k.VOLUME] > 0.0
