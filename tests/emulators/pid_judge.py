"""What must be true of a run of pid_exercise: the driver's side and the device's log, for each layout."""

import itertools
import struct

import pytest

from tests.emulators.pid_descriptor import FEATURES, RANGES

SET_EFFECT_SIZE = {"sidewinder": 14, "arduino": 14, "openffboard": 18}
CONTROL = {"sidewinder": (4, 1, 2), "arduino": (4, 1, 2), "openffboard": (8, 1, 2)}  # reset, enable, disable


def judge(layout, result, frames, lossless=True):
    """`result` is the exercise's JSON, `frames` the emulator's log; uhid drops reports when the device is slow."""
    assert set(result["codes"]) <= {"1", "0"} and result["codes"]["1"] > 0.8 * result["ticks"]
    assert result["strongest"] == RANGES[layout] and result["deadman"] and result["held"] == 1.0
    assert result["buttons"] == 0b10
    # 2 N and -1 N of 5: the stick goes to 0.3 and -0.15 of its travel of 5 cm
    assert result["position"][0] == pytest.approx(0.015, abs=0.002)
    assert result["position"][1] == pytest.approx(-0.0075, abs=0.002)
    reports = [frame.data for frame in frames if frame.kind == "rx"]
    reset, enable, disable = CONTROL[layout]
    assert reports[0] == bytes([0x0C, reset]) and reports[1] == bytes([0x0C, enable]) and reports[2] == b"\x0d\xff"
    assert [frame.data[:2] for frame in frames if frame.kind == "set"] == [bytes([FEATURES[layout][0], 1])] * 2
    effects = [data for data in reports if data[0] == 1]
    assert [len(data) for data in effects] == [SET_EFFECT_SIZE[layout]] * 2
    assert [data[1:] for data in reports if data[0] == 0x0A and data[2] == 1] == [b"\x01\x01\x01", b"\x02\x01\x01"]
    magnitudes = [struct.unpack("<xBh", data) for data in reports if data[0] == 5]
    judge_magnitudes(layout, magnitudes, result["ticks"] if lossless else 0)
    stops = [data for data in reports if data[0] == 0x0A and data[2] == 3]
    frees = [data for data in reports if data[0] == 0x0B]
    assert len(stops) == 2 and len(frees) == 2 and reports[-1] == bytes([0x0C, disable])
    forces = [struct.unpack("<4d", frame.data) for frame in frames if frame.kind == "force"]
    both = [row for row in forces if abs(row[0]) > 0.1 and abs(row[1]) > 0.1]  # one axis comes before the other
    assert len(both) > 20
    assert all(row[:2] == (pytest.approx(0.4, abs=0.01), pytest.approx(-0.2, abs=0.01)) for row in both)
    assert forces[-1][:2] == (0.0, 0.0)


def judge_magnitudes(layout, magnitudes, ticks):
    """Zero at first, then the axes in turn, zero at once in both at the end."""
    wanted = {1: round(0.4 * RANGES[layout]), 2: round(-0.2 * RANGES[layout])}
    assert magnitudes[:2] == [(1, 0), (2, 0)]
    running = [m for m in magnitudes if m[1]]
    assert all(value == wanted[block] for block, value in running)
    blocks = [block for block, _ in running]
    assert set(blocks) == {1, 2} and len(blocks) >= ticks
    assert not ticks or all(a != b for a, b in itertools.pairwise(blocks))
    assert magnitudes[-4:] == [(1, 0), (2, 0)] * 2  # off; then close says it again
