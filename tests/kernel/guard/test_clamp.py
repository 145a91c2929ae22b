"""The clamp after encode: any bytes in, every motor within its bounds out, nothing else touched."""

import struct

import numba
import numpy as np
import pytest

from hapticd.device import MOTOR_KINDS, Motor
from hapticd.safety import MotorClamp
from tests.kernel.guard.rig import HAVE

pytestmark = pytest.mark.kernel

FORMAT = {
    "i1": "<b", "u1": "<B", "i2": "<h", "u2": "<H", "i2be": ">h", "u2be": ">H", "i4": "<i", "f4": "<f", "f8": "<d",
}  # fmt: skip


def clamp_of(*motors):
    return MotorClamp(type(HAVE)(**{**vars(HAVE), "motors": motors, "output_size": 64}))


@pytest.mark.parametrize("kind", MOTOR_KINDS)
def test_any_bytes_end_within_the_bounds(kind):
    low, high, off = (3, 90, 5) if kind.startswith("u") else (-70, 90, 5)
    clamp, random = clamp_of(Motor(3, kind, low, high, off)), np.random.default_rng(9)
    for _ in range(200 if numba.config.DISABLE_JIT else 5000):
        frame = random.integers(0, 256, 20, np.uint8)
        before = frame.copy()
        (value,) = struct.unpack_from(FORMAT[kind], before.tobytes(), 3)
        acted = clamp(frame, 20)
        (after,) = struct.unpack_from(FORMAT[kind], frame.tobytes(), 3)
        want = off if value != value else min(max(value, low), high)
        assert after == want and acted == (value != want or value != value)
        width = MOTOR_KINDS[kind]
        assert np.array_equal(frame[:3], before[:3]) and np.array_equal(frame[3 + width :], before[3 + width :])


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("value, want", [(np.nan, 0.5), (np.inf, 2.0), (-np.inf, -1.0), (-0.0, 0.0), (5e-324, 5e-324)])
def test_numbers_that_are_none(kind, value, want):
    clamp = clamp_of(Motor(0, kind, -1.0, 2.0, 0.5))
    frame = np.frombuffer(struct.pack(FORMAT[kind], value), np.uint8).copy()
    clamp(frame, len(frame))
    (after,) = struct.unpack(FORMAT[kind], frame.tobytes())
    assert after == pytest.approx(want, abs=1e-300 if kind == "f8" else 1e-40)


def test_motor_beyond_a_short_frame_is_left_alone():
    clamp = clamp_of(Motor(0, "i2", -5, 5), Motor(2, "i2", -5, 5))
    frame = np.full(4, 0x7F, np.uint8)
    assert clamp(frame, 3) == 1
    assert struct.unpack("<hh", frame.tobytes()) == (5, 0x7F7F)
