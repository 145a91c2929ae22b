"""The frames of the virtual device, compiled: bytes into a sample row, a wrench into bytes (see virtual.py)."""

import math

from hapticd.kernel._jit import kernel
from hapticd.kernel.layout import SAMPLE_BUTTONS, SAMPLE_GRIP, SAMPLE_HELD, SAMPLE_Q
from hapticd.kernel.status import SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED

NUMBERS = 13
INPUT_SIZE = 8 * NUMBERS + 4
OUTPUT_SIZE = 8 * 6
UNIT = 1e-3  # how far the square of the quaternion's length may be off in a frame that is believed
FAR = 1e3  # no number of a frame is larger


@kernel
def unpack(raw, count, byte, number, sample):
    """A sample code. byte (8 NUMBERS,) u1 and number (NUMBERS,) f8 are the same scratch memory."""
    if count < INPUT_SIZE:
        return SAMPLE_NONE
    for k in range(8 * NUMBERS):
        byte[k] = raw[k]
    for k in range(NUMBERS):
        if not abs(number[k]) < FAR:
            return SAMPLE_REFUSED
    square = 0.0
    for k in range(4):
        square += number[3 + k] ** 2
    if not abs(square - 1.0) < UNIT:
        return SAMPLE_REFUSED
    for k in range(NUMBERS):
        sample[k] = number[k]
    length = math.sqrt(square)
    for k in range(4):
        sample[SAMPLE_Q + k] /= length
    sample[SAMPLE_GRIP] = 0.0
    mask = 0
    for k in range(3):
        mask += int(raw[8 * NUMBERS + k]) << (8 * k)
    sample[SAMPLE_BUTTONS] = mask
    sample[SAMPLE_HELD] = 1.0
    return SAMPLE_OK


@kernel
def pack(wrench, dof, force, torque, byte, number, raw, rendered):
    """The output frame; byte (48,) u1 and number (6,) f8 are the same scratch memory."""
    for k in range(6):
        most = force if k < 3 else torque
        value = wrench[k]
        if not abs(value) <= most:
            value = most if value > 0.0 else -most if value < 0.0 else 0.0  # the last for NaN
        if dof == 2 and k > 1:
            value = 0.0
        rendered[k] = value
        number[k] = value
    for k in range(OUTPUT_SIZE):
        raw[k] = byte[k]
    return OUTPUT_SIZE


@kernel
def take(out, byte):
    """The frame of the last tick into scratch memory, whose other view is the wrench."""
    for k in range(OUTPUT_SIZE):
        byte[k] = out[k]


@kernel
def report(grip, resolution, flat, frame, number, raw):
    """What the device would send: frame (INPUT_SIZE,) u1 ends with the buttons, number (NUMBERS,) f8 views its head."""
    if flat:
        grip[2] = grip[9] = grip[3] = grip[4] = grip[5] = grip[10] = grip[11] = grip[12] = 0.0
        grip[6] = 1.0
    for k in range(NUMBERS):
        number[k] = grip[k]
    if resolution > 0.0:
        for k in range(3):
            number[k] = math.floor(grip[k] / resolution + 0.5) * resolution
    for k in range(INPUT_SIZE):
        raw[k] = frame[k]
    return INPUT_SIZE
