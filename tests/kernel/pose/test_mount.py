"""The mount: lengths, turns and powers on both sides fit together; the clutch moves the hand alone."""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.layout import DEVICE_SIZE, SAMPLE_BUTTONS, SAMPLE_OMEGA, SAMPLE_POSITION, SAMPLE_Q, SAMPLE_VELOCITY
from hapticd.kernel.pose.mount import place_pointer, wanted_wrench
from tests.kernel.guard.rig import Rig

pytestmark = pytest.mark.kernel
MOUNT = {"position": (1.0, 2.0, 3.0), "q_xyzw": (0.5, 0.5, 0.5, 0.5), "motion_scale": 20.0, "force_scale": 0.25}


def matrix(q):
    x, y, z, w = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion(random):
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


def pointer(rig, position, q, device, buttons=0):
    rig.sample[SAMPLE_POSITION : SAMPLE_POSITION + 3] = position
    rig.sample[SAMPLE_Q : SAMPLE_Q + 4] = q
    rig.sample[SAMPLE_BUTTONS] = buttons
    rig.word[g.WORD_FRESH] = 1
    rig.safety.sample[:] = rig.sample
    place_pointer(rig.safety, device)
    return device[:3].copy(), matrix(device[3:7])


def test_poses_follow_the_mount():
    rig, random, device = Rig(mount=MOUNT), np.random.default_rng(1), np.zeros(DEVICE_SIZE)
    for _ in range(20):
        p, q, v, w = random.normal(size=3), quaternion(random), random.normal(size=3), random.normal(size=3)
        rig.sample[SAMPLE_VELOCITY : SAMPLE_VELOCITY + 3] = v
        rig.sample[SAMPLE_OMEGA : SAMPLE_OMEGA + 3] = w
        position, R = pointer(rig, p, q, device)
        R_WD = matrix(MOUNT["q_xyzw"])
        assert np.allclose(position, np.array(MOUNT["position"]) + 20 * R_WD @ p, atol=1e-12)
        assert np.allclose(R, R_WD @ matrix(q), atol=1e-12)
        assert np.allclose(device[7:10], 20 * R_WD @ v) and np.allclose(device[10:13], R_WD @ w)


def test_power_scales_alike_for_force_and_torque():
    """f . v and t . w keep their ratio, or the hand would feel another body than the one it sees."""
    rig, random, device = Rig(mount=MOUNT), np.random.default_rng(2), np.zeros(DEVICE_SIZE)
    for _ in range(20):
        wrench = random.normal(size=6)
        v, w = random.normal(size=3), random.normal(size=3)
        rig.sample[SAMPLE_VELOCITY : SAMPLE_VELOCITY + 3] = v
        rig.sample[SAMPLE_OMEGA : SAMPLE_OMEGA + 3] = w
        pointer(rig, (0, 0, 0), (0, 0, 0, 1), device)
        wanted_wrench(rig.safety, wrench)
        hand = rig.safety.wrench[g.WRENCH_WANTED]
        for at_hand, in_world in (
            (hand[:3] @ v, wrench[:3] @ device[7:10]),
            (hand[3:] @ w, wrench[3:] @ device[10:13]),
        ):
            assert at_hand == pytest.approx(0.25 / 20 * in_world, rel=1e-12)


def test_hand_feels_the_stiffness_times_both_scales():
    rig, device = Rig(mount=MOUNT), np.zeros(DEVICE_SIZE)
    start, _ = pointer(rig, (0, 0, 0), (0, 0, 0, 1), device)
    there, _ = pointer(rig, (0.001, 0, 0), (0, 0, 0, 1), device)
    wanted_wrench(rig.safety, np.array([*(-100.0 * (there - start)), 0, 0, 0]))
    assert rig.safety.wrench[g.WRENCH_WANTED, 0] == pytest.approx(-100.0 * 20.0 * 0.25 * 0.001)


def test_stale_sample_moves_nothing():
    rig, device = Rig(), np.arange(float(DEVICE_SIZE))
    rig.word[g.WORD_FRESH] = 0
    place_pointer(rig.safety, device)
    assert np.array_equal(device, np.arange(float(DEVICE_SIZE)))


def test_clutch_frees_the_hand_and_takes_hold_without_a_jump():
    rig, random, device = Rig(mount={**MOUNT, "clutch_button": 2}), np.random.default_rng(3), np.zeros(DEVICE_SIZE)
    at, turned = pointer(rig, (0.01, 0.02, 0.03), quaternion(random), device)
    for _ in range(5):
        q = quaternion(random)
        p = random.normal(size=3)
        now, R = pointer(rig, p, q, device, buttons=0b0110)
        assert np.allclose(now, at, atol=1e-12) and np.allclose(R, turned, atol=1e-12)
        assert rig.word[g.WORD_CLUTCHED] and not np.any(device[7:13])
    now, R = pointer(rig, p, q, device, buttons=0b0010)  # released: still no jump
    assert np.allclose(now, at, atol=1e-12) and np.allclose(R, turned, atol=1e-12) and not rig.word[g.WORD_CLUTCHED]
    moved, R = pointer(rig, p + np.array([0.001, 0, 0]), q, device)
    assert np.allclose(moved - at, 20 * matrix(MOUNT["q_xyzw"]) @ [0.001, 0, 0], atol=1e-12)
    assert np.allclose(R, turned, atol=1e-12)
