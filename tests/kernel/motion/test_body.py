"""kernel/motion/body.py: what a free body keeps."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.motion.body import integrate, rotated
from hapticd.scene.plan import rotation

pytestmark = pytest.mark.kernel
TICKS = 100 if numba.config.DISABLE_JIT else 10_000


def free_body(inertia, omega, q=(0, 0, 0, 1)):
    mass, body = np.zeros((1, k.MASS_SIZE)), np.zeros((1, k.BODY_SIZE))
    mass[0, k.MASS], mass[0, k.MASS_INVERSE] = 2.0, 0.5
    mass[0, k.INERTIA : k.INERTIA + 3], mass[0, k.INERTIA_INVERSE : k.INERTIA_INVERSE + 3] = inertia, 1 / inertia
    body[0, k.BODY_Q : k.BODY_Q + 4] = q
    R = rotation(q)
    body[0, k.BODY_OMEGA : k.BODY_OMEGA + 3] = omega
    body[0, k.BODY_SPIN : k.BODY_SPIN + 3] = R @ np.diag(inertia) @ R.T @ omega
    return mass, body


def run(mass, body, ticks, dt=1e-3, gravity=(0, 0, 0), wrench=(0,) * 6, kind=k.DYNAMIC):
    world = np.zeros(k.WORLD_SIZE)
    world[:3] = gravity
    for _ in range(ticks):
        integrate(np.array([kind], np.int32), mass, world, 1, dt, np.array([wrench], float), np.zeros((1, 6)), body)


def test_a_tumbling_body_keeps_its_angular_momentum_to_the_bit_and_its_energy_nearly():
    """Spin about the middle axis, the unstable one, for ten seconds."""
    mass, body = free_body(np.array([0.1, 0.2, 0.3]), np.array([0.01, 5.0, 0.01]))
    spin = body[0, k.BODY_SPIN : k.BODY_SPIN + 3].copy()
    energy = 0.5 * spin @ body[0, k.BODY_OMEGA : k.BODY_OMEGA + 3]
    lowest = highest = energy
    for _ in range(TICKS):
        run(mass, body, 1)
        now = 0.5 * spin @ body[0, k.BODY_OMEGA : k.BODY_OMEGA + 3]
        lowest, highest = min(lowest, now), max(highest, now)
    assert (body[0, k.BODY_SPIN : k.BODY_SPIN + 3] == spin).all()
    assert highest - lowest < 2e-5 * energy
    assert np.linalg.norm(body[0, k.BODY_Q : k.BODY_Q + 4]) == pytest.approx(1.0, abs=1e-15)


def test_free_fall_is_symplectic_euler():
    mass, body = free_body(np.ones(3), np.zeros(3))
    run(mass, body, 100, gravity=(0, 0, -9.8))
    t, dt = 0.1, 1e-3
    assert body[0, 2] == pytest.approx(-0.5 * 9.8 * t * (t + dt))
    assert body[0, k.BODY_VELOCITY + 2] == pytest.approx(-9.8 * t)


def test_a_coupled_pointer_has_no_weight():
    mass, body = free_body(np.ones(3), np.zeros(3))
    run(mass, body, 10, gravity=(0, 0, -9.8), kind=k.POINTER)
    assert not body[0, :3].any()


def test_a_torque_turns_it():
    mass, body = free_body(np.array([0.5, 0.5, 0.5]), np.zeros(3))
    run(mass, body, 200, wrench=(0, 0, 0, 0, 0, 1.0))
    angle = 2 * np.arctan2(body[0, k.BODY_Q + 2], body[0, k.BODY_Q + 3])
    assert angle == pytest.approx(0.5 * 2.0 * 0.2**2, rel=0.01)


def test_a_body_without_mass_stays():
    body = np.ones((1, k.BODY_SIZE))
    run(np.zeros((1, k.MASS_SIZE)), body, 3, gravity=(0, 0, -9.8), wrench=(1,) * 6)
    assert (body == 1.0).all()


def test_rotated_is_the_matrix():
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, a = rng.normal(size=4), rng.normal(size=3)
        q /= np.linalg.norm(q)
        assert np.allclose(rotated(*q, *a), rotation(q) @ a, atol=1e-14)
