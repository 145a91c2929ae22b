"""kernel/motion/script.py: kinematic bodies against numpy's sine and rotation."""

import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.motion.script import follow_scripts
from hapticd.scene.plan import rotation

pytestmark = pytest.mark.kernel


def follow(time, **cells):
    script, body = np.zeros((1, k.SCRIPT_SIZE)), np.zeros((1, k.BODY_SIZE))
    script[0, k.SCRIPT_START : k.SCRIPT_START + 3] = (1, 2, 3)
    script[0, k.SCRIPT_Q + 3] = 1.0
    for name, value in cells.items():
        column = getattr(k, f"SCRIPT_{name.upper()}")
        script[0, column : column + np.size(value)] = value
    follow_scripts(np.array([k.KINEMATIC], np.int32), script, 1, time, body)
    return body[0]


@pytest.mark.parametrize("time", [0.0, 0.1, 0.37, 12.345])
def test_oscillation(time):
    row = follow(time, kind=k.SCRIPT_OSCILLATE, axis=(0, 0.6, 0.8), amplitude=0.2, rate=1.5)
    phase = 2 * np.pi * 1.5 * time
    assert np.allclose(row[:3], np.array([1, 2, 3]) + 0.2 * np.sin(phase) * np.array([0, 0.6, 0.8]), atol=1e-13)
    speed = 0.2 * 2 * np.pi * 1.5 * np.cos(phase)
    assert np.allclose(row[k.BODY_VELOCITY : k.BODY_VELOCITY + 3], speed * np.array([0, 0.6, 0.8]), atol=1e-12)


@pytest.mark.parametrize("time", [0.0, 0.7, 5.3])
def test_spin(time):
    row = follow(time, kind=k.SCRIPT_SPIN, axis=(0, 0, 1), rate=-3.0)
    angle = -3.0 * time
    want = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
    assert np.allclose(rotation(row[k.BODY_Q : k.BODY_Q + 4]), want, atol=1e-13)
    assert row[k.BODY_OMEGA + 2] == -3.0


def test_steady():
    row = follow(2.0, kind=k.SCRIPT_STEADY, velocity=(0.1, 0, -0.2))
    assert np.allclose(row[:3], (1.2, 2, 2.6)) and row[k.BODY_VELOCITY] == 0.1


def test_others_are_left_alone():
    body = np.ones((1, k.BODY_SIZE))
    script = np.zeros((1, k.SCRIPT_SIZE))
    script[0, k.SCRIPT_KIND] = k.SCRIPT_STEADY
    follow_scripts(np.array([k.DYNAMIC], np.int32), script, 1, 1.0, body)
    assert (body == 1.0).all()
