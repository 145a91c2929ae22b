"""The driver's part of a replay: recorded bytes through its decode, recorded wrenches through its encode.

A tick is decode, kernel, encode. Replay tries the kernel with what the record says that the driver gave, and here the
driver with what the record says that the kernel gave. When each gives what is recorded, so does the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.device import Device, find_driver
from hapticd.errors import ConfigError, LogError
from hapticd.kernel.guard.states import CAUSE_LINK_LOST, FAULT, IDLE, LIMITED_MOTOR
from hapticd.kernel.layout import SAMPLE_SIZE
from hapticd.kernel.status import SAMPLE_NONE
from hapticd.logtool.difference import Difference, differences
from hapticd.safety import MotorClamp

FIELDS = ("code", "sample", "wrench_rendered", "motor_clamped", "sent_bytes_wrong")


def recorded_driver(header: Mapping[str, Any]) -> Device:
    """The driver of a log as it was after `open`; nothing is opened."""
    table = header["device"]
    try:
        device = find_driver(table["driver"])(table["options"])
    except ConfigError as error:
        raise LogError(f"the log's driver {table['driver']!r} cannot be used here: {error}") from error
    device.period = 1.0 / header["rate_hz"]
    device.recall(table["learnt"])
    return device


class DriverRun:
    """One driver and its buffers."""

    def __init__(self, device: Device) -> None:
        self.device = device
        have = device.capabilities
        self.clamp = MotorClamp(have)
        self.raw, self.out = np.zeros(have.input_size, np.uint8), np.zeros(have.output_size, np.uint8)
        self.sample, self.rendered = np.zeros(SAMPLE_SIZE), np.zeros(6)

    def start(self, state: NDArray[Any], sample: NDArray[np.float64]) -> None:
        """As in a snapshot."""
        self.device.state[...] = state
        self.sample[:] = sample

    def run(self, inputs: NDArray[Any], ticks: NDArray[Any], raw: list[bytes], sent: list[bytes]) -> list[Difference]:
        """Ticks in a row; where the driver differs from the record."""
        dtype = [("tick", "i8"), ("code", "i8"), ("sample", "f8", SAMPLE_SIZE), ("wrench_rendered", "f8", 6),
                 ("motor_clamped", "i8"), ("sent_bytes_wrong", "i8")]  # fmt: skip
        theirs, ours = np.zeros(len(inputs), dtype), np.zeros(len(inputs), dtype)
        theirs["tick"], theirs["code"], theirs["sample"] = inputs["tick"], inputs["code"], inputs["sample"]
        theirs["wrench_rendered"] = ticks["wrench_rendered"]
        theirs["motor_clamped"] = ticks["limits"] >> LIMITED_MOTOR & 1
        lost, modes = (inputs["stop"] == CAUSE_LINK_LOST).tolist(), ticks["mode"].tolist()
        leave, wrenches = inputs["leave"].tolist(), np.ascontiguousarray(ticks["wrench_sent"])
        code, sample, rendered = ours["code"], ours["sample"], ours["wrench_rendered"]
        motor, wrong = ours["motor_clamped"], ours["sent_bytes_wrong"]
        for i, data in enumerate(raw):
            code[i] = SAMPLE_NONE if lost[i] else self._decode(data)
            sample[i] = self.sample
            frame, motor[i] = self._encode(modes[i], bool(leave[i]), wrenches[i])
            rendered[i] = self.rendered
            if frame != sent[i]:
                wrong[i] = _first_unequal(frame, sent[i])
        return differences(theirs, ours, FIELDS)

    def _decode(self, data: bytes) -> int:
        self.raw[: len(data)] = np.frombuffer(data, np.uint8)
        try:
            return int(self.device.decode(self.raw, len(data), self.sample))
        except Exception:
            return int(SAMPLE_NONE)  # as the servo takes it

    def _encode(self, mode: int, leave: bool, wrench: NDArray[np.float64]) -> tuple[bytes, bool]:
        if mode <= IDLE:
            self.rendered[:] = 0.0
            return (self.device.off if mode == FAULT or leave else self.device.rest), False
        try:
            count = self.device.encode(wrench, self.out, self.rendered)
            clamped = self.clamp(self.out, count) > 0
            return self.out[:count].tobytes(), clamped
        except Exception:
            self.rendered[:] = 0.0
            return self.device.off, False


def _first_unequal(ours: bytes, theirs: bytes) -> int:
    """1 + the first byte that differs."""
    return (
        next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))) + 1
    )
