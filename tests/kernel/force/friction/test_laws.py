"""What every friction law on a patch owes: stick, limit, opposition, dissipation. One test, all laws."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from tests.oracle.patch import block_on_floor, drive

pytestmark = pytest.mark.kernel
LAWS = ("coulomb_area", "coulomb_point", "kikuuwe", "maxwell_slip")
TICKS = 30 if numba.config.DISABLE_JIT else 400


def wobble(rng, size):
    """Smooth random motion that reverses."""
    t = np.arange(TICKS) * 1e-3
    return sum(size * rng.normal() * np.sin(2 * np.pi * f * t + rng.uniform(0, 6)) for f in (3, 7, 17))


@pytest.mark.parametrize("law", LAWS)
def test_a_small_push_is_held_by_the_stick_spring(law):
    patch = block_on_floor(1e-3, friction=law)
    forces = drive(patch, [(1e-3, 0.0)] * 50 + [(0.0, 0.0)] * 5, [0.0] * 55)
    # 50 um against 1000 N/m. Maxwell's weakest element (limit 0.1 N, 400 N/m) has not given way yet.
    assert forces[-1, 0] == pytest.approx(-1000.0 * 50e-6, rel=1e-6)
    assert (forces[-1] == forces[-2]).all(), "a held patch keeps its bits"


@pytest.mark.parametrize("law", LAWS)
def test_sliding_is_at_the_limit_and_against_the_motion(law):
    patch = block_on_floor(1e-3, friction=law)
    force = drive(patch, [(0.3, 0.4)] * 100, [0.0] * 100)[-1]
    assert force[:2] == pytest.approx(-0.5 * force[3] * np.array([0.6, 0.8]), rel=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_never_beyond_the_limit(law):
    rng = np.random.default_rng(7)
    for _ in range(3):
        patch = block_on_floor(1e-3, friction=law)
        x, y, spin = wobble(rng, 0.05), wobble(rng, 0.05), wobble(rng, 1.0)
        forces = drive(patch, np.stack([x, y], axis=1), spin)
        assert (np.hypot(forces[:, 0], forces[:, 1]) <= 0.5 * forces[:, 3] * (1 + 1e-12)).all()


@pytest.mark.parametrize("law", LAWS)
def test_friction_does_no_positive_work(law):
    """Work done on the block, less what its stick spring can give back (at most (mu N)^2 / 2K), is never positive."""
    rng = np.random.default_rng(8)
    for _ in range(3):
        patch = block_on_floor(1e-3, friction=law)
        x, y, spin = wobble(rng, 0.02), wobble(rng, 0.02), wobble(rng, 0.4)
        forces = drive(patch, np.stack([x, y], axis=1), spin)
        work = np.cumsum(patch.dt * (forces[:, 0] * x + forces[:, 1] * y + forces[:, 2] * spin))
        assert work.max() <= 1e-9
        assert work[-1] < 0.0


@pytest.mark.parametrize("law", ["kikuuwe", "coulomb_area"])
def test_static_friction_above_dynamic(law):
    patch = block_on_floor(1e-3, friction=law, gains={k.GAIN_MU_STATIC: 0.8, k.GAIN_STRIBECK: 1e-3})
    force = -drive(patch, [(1e-2, 0.0)] * 200 + [(0.5, 0.0)] * 50, [0.0] * 250)[:, 0]
    assert force.max() == pytest.approx(0.8 * 2.0, rel=0.02)
    assert force[-1] == pytest.approx(0.5 * 2.0, rel=1e-3)


@pytest.mark.parametrize("law", ["kikuuwe", "coulomb_area", "maxwell_slip"])
def test_stick_state_turns_with_two_bodies_that_turn_together(law):
    """Both bodies spin at 2 rad/s about z: the held force turns with them and keeps its size."""
    patch = block_on_floor(1e-3, friction=law)
    drive(patch, [(1e-3, 0.0)] * 50, [0.0] * 50)
    held = np.linalg.norm(patch.on_a[0, :2])
    angle = 0.0
    for _ in range(50):
        angle += 2.0 * patch.dt
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        p, omega = R @ (5e-5, 0, 0.049), np.array([0, 0, 2.0])
        patch.place(0, p, np.cross(omega, p), omega)
        patch.place(1, (0, 0, -0.5), (0, 0, 0), omega)
        patch.step(R, R)
    assert np.linalg.norm(patch.on_a[0, :2]) == pytest.approx(held, rel=0.03)
    assert np.allclose(patch.on_a[0, :2], -held * np.array([np.cos(angle), np.sin(angle)]), atol=0.02 * held)


@pytest.mark.parametrize("law", ["kikuuwe", "maxwell_slip", "coulomb_area", "coulomb_point"])
def test_pressing_while_stuck_makes_no_energy(law):
    """Gains per area: a patch that grows would stiffen a stretched spring; the stretch gives way instead."""
    patch = block_on_floor(
        1e-3, friction=law, per_area=True, gains={k.GAIN_STICK_STIFFNESS: 5e4, k.GAIN_STIFFNESS: 1e5}
    )
    drive(patch, [(1e-3, 0.0)] * 20, [0.0] * 20)
    before = patch.law[0, k.LAW_STIFFNESS] * np.sum(patch.law[0, k.LAW_STRETCH : k.LAW_STRETCH + 3] ** 2)
    patch.law[0, k.LAW_STIFFNESS] *= 0.25  # as if the patch had been a quarter as stiff a tick ago
    patch.place(0, patch.body[0, :3])
    patch.step()
    after = patch.law[0, k.LAW_STIFFNESS] * np.sum(patch.law[0, k.LAW_STRETCH : k.LAW_STRETCH + 3] ** 2)
    assert after == pytest.approx(0.25 * before, rel=1e-6)
