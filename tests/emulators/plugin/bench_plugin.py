"""A driver in plain Python, as a third party would write it: the test rig's device, a point on a socket or pty.

Protocol (little-endian; tests/emulators/bench_device.py is the other end, written from this text alone):

    host -> device   5A seq f32[6] sum       force and torque
    device -> host   5B seq f32[13] sum      position, quaternion x y z w, velocity, angular velocity

seq counts frames modulo 256; sum is the sum of all bytes before it, modulo 256. The device holds the last command until
the next one; `A5` anywhere a frame may start switches it off and drops what was half-sent.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from hapticd.device import Bytes, Capabilities, Device, Motor, Row, Transport, Workspace
from hapticd.errors import ConfigError, DeviceOpenError
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_Q
from hapticd.kernel.status import SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED

COMMAND = struct.Struct("<BB6fB")
REPLY = struct.Struct("<BB13fB")
KEPT = 256  # bytes of an unfinished reply that are kept; more is garbage
SEQUENCE, FILL, PENDING = 0, 1, 2  # in state


class Bench(Device):
    """The rig's device: 6 axes, 10 N, no firmware watchdog."""

    name = "bench"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.path = str(options.get("path", ""))
        if not self.path:
            raise ConfigError("device.path: the bench driver needs the path of a unix socket")
        self.link: socket.socket | None = None
        self.state = np.zeros(PENDING + KEPT)
        self.off = _command(0, [0.0] * 6)
        self.rest = self.off
        self.panic = (b"\xa5" * COMMAND.size + self.off,) * 2
        self.capabilities = Capabilities(
            title="test rig", identity=self.path, dof=6,
            force_peak=10.0, force_continuous=6.0, torque_peak=1.0, torque_continuous=0.6, thermal_time=1.0,
            workspace=Workspace((0.0, 0.0, 0.0), (0.1, 0.1, 0.1), 1.5), velocity_peak=3.0, spin_peak=60.0,
            delay=0.001, damping=1.0, transport=Transport.STREAM, input_size=1024, output_size=COMMAND.size,
            motors=tuple(Motor(2 + 4 * i, "f4", -12.0, 12.0) for i in range(6)),
            simulated=bool(options.get("simulated", True)),
        )  # fmt: skip

    def open(self) -> int:
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.link.connect(self.path)
        except OSError as error:
            self.close()
            raise DeviceOpenError(f"device.path: {self.path}: {error.strerror}; is the emulator running?") from error
        self.link.setblocking(False)
        return self.link.fileno()

    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        fill = int(self.state[FILL])
        data = self.state[PENDING : PENDING + fill].astype(np.uint8).tobytes() + raw[:count].tobytes()
        code, start = SAMPLE_NONE, 0
        while len(data) - start >= REPLY.size:
            if data[start] == 0x5B and sum(data[start : start + REPLY.size - 1]) % 256 == data[start + REPLY.size - 1]:
                code = _sample(data[start : start + REPLY.size], sample)
                start += REPLY.size
            else:
                start += 1
        rest = data[start:][-KEPT:]
        self.state[FILL] = len(rest)
        self.state[PENDING : PENDING + len(rest)] = np.frombuffer(rest, np.uint8)
        return code

    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        self.state[SEQUENCE] = (self.state[SEQUENCE] + 1) % 256
        values = np.nan_to_num(np.clip(wrench, -12.0, 12.0), nan=0.0)
        raw[: COMMAND.size] = np.frombuffer(_command(int(self.state[SEQUENCE]), values.tolist()), np.uint8)
        rendered[:] = values.astype(np.float32)
        return COMMAND.size

    def close(self) -> None:
        if self.link is not None:
            os.close(self.link.detach())
            self.link = None


def _command(sequence: int, values: list[float]) -> bytes:
    frame = COMMAND.pack(0x5A, sequence, *values, 0)
    return frame[:-1] + bytes([sum(frame) % 256])


def _sample(frame: bytes, sample: Row) -> int:
    values = np.array(REPLY.unpack(frame)[2:15], dtype=float)
    norm = float(np.sqrt(np.sum(values[3:7] ** 2))) if np.all(np.abs(values) < 1e3) else 0.0
    if not 0.9 < norm < 1.1:
        return SAMPLE_REFUSED
    sample[:13] = values
    sample[SAMPLE_Q : SAMPLE_Q + 4] /= norm
    sample[SAMPLE_HELD] = 1.0
    return SAMPLE_OK
