"""kernel/motion/pointer.py: travel limit, frames, bad samples, virtual coupling."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.motion.pointer import felt, follow_device, pull
from hapticd.scene.plan import rotation

pytestmark = pytest.mark.kernel
ORIGIN = np.array([[0.01, 0.02, -0.03]])


def setting(travel=0.005, reach=0.05):
    world, body = np.zeros(k.WORLD_SIZE), np.zeros((1, k.BODY_SIZE))
    world[k.WORLD_TRAVEL], world[k.WORLD_REACH] = travel, reach
    world[k.WORLD_COUPLING : k.WORLD_COUPLING + 4] = 100.0, 2.0, 0.3, 0.01
    body[0, k.BODY_Q + 3] = 1.0
    return world, body


def device(position=(0, 0, 0), q=(0, 0, 0, 1), velocity=(0, 0, 0), omega=(0, 0, 0)):
    return np.concatenate([position, np.array(q) / np.linalg.norm(q), velocity, omega]).astype(float)


def test_a_slow_device_is_followed_exactly():
    world, body = setting()
    q = np.array([0.01, -0.02, 0.005, 1.0])
    row = device(ORIGIN[0] + (1e-3, 0, 0), q, (0.5, 0, 0), (0, 0, 2.0))
    follow_device(row, ORIGIN, 0, world, body)
    R = rotation(q)
    assert np.allclose(body[0, :3] + R @ ORIGIN[0], row[:3], atol=1e-16)
    assert np.allclose(body[0, k.BODY_Q : k.BODY_Q + 4], row[3:7])
    velocity = body[0, k.BODY_VELOCITY : k.BODY_VELOCITY + 3]
    assert np.allclose(velocity + np.cross((0, 0, 2.0), R @ ORIGIN[0]), (0.5, 0, 0))


def test_no_point_of_the_pointer_travels_further_than_the_limit_and_it_arrives():
    rng = np.random.default_rng(9)
    for _ in range(2 if numba.config.DISABLE_JIT else 20):
        world, body = setting()
        row = device(rng.normal(size=3) * 0.3, rng.normal(size=4))
        corners = rng.normal(size=(8, 3))
        corners *= 0.05 / np.linalg.norm(corners, axis=1)[:, None]
        before = corners + body[0, :3]
        for _ in range(400):
            follow_device(row, ORIGIN, 0, world, body)
            now = corners @ rotation(body[0, k.BODY_Q : k.BODY_Q + 4]).T + body[0, :3]
            assert np.linalg.norm(now - before, axis=1).max() <= 0.005 * (1 + 1e-9)
            if np.array_equal(now, before):
                break
            before = now
        R = rotation(row[3:7])
        assert np.allclose(body[0, :3], row[:3] - R @ ORIGIN[0])


def test_a_pointer_that_catches_up_has_the_velocity_of_the_hand():
    world, body = setting()
    row = device(ORIGIN[0] + (0.3, 0, 0), velocity=(0.02, 0, 0))
    follow_device(row, ORIGIN, 0, world, body)
    assert body[0, 0] == pytest.approx(0.005) and body[0, k.BODY_VELOCITY] == 0.02


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_sample_leaves_the_pointer_where_it_was(bad):
    world, body = setting()
    for i in range(7):
        row = device()
        row[i] = bad
        before = body.copy()
        with np.errstate(invalid="ignore"):
            follow_device(row, ORIGIN, 0, world, body)
        assert (body == before).all()


def test_what_is_felt_is_about_the_frames_origin():
    _, body = setting()
    wrench, out = np.array([[1.0, 2, 3, 0.1, 0.2, 0.3]]), np.zeros(6)
    felt(ORIGIN, 0, body, wrench, out)
    assert np.allclose(out[:3], (1, 2, 3))
    assert np.allclose(out[3:], wrench[0, 3:] - np.cross(ORIGIN[0], (1, 2, 3)))


def test_the_coupling_pulls_the_body_and_the_device_feels_the_opposite():
    world, body = setting()
    wrench, out = np.zeros((1, 6)), np.zeros(6)
    pull(
        device((0.01, 0, 0), (0, 0, np.sin(0.05), np.cos(0.05)), (0, 0.1, 0)),
        np.zeros((1, 3)),
        0,
        world,
        body,
        wrench,
        out,
    )
    assert np.allclose(wrench[0, :3], (100 * 0.01, 2 * 0.1, 0))
    assert wrench[0, 5] == pytest.approx(0.3 * 0.1, rel=1e-2)
    assert np.allclose(out, -wrench[0])


def test_a_device_that_jumps_pulls_with_a_bounded_force():
    world, body = setting()
    wrench, out = np.zeros((1, 6)), np.zeros(6)
    pull(device((1e6, 0, 0)), ORIGIN, 0, world, body, wrench, out)
    assert np.linalg.norm(wrench[0, :3]) == pytest.approx(100.0 * 0.05)
