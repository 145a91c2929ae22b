"""Haply's hAPI boards over USB serial: the 2-DOF pantograph "2DIY".

Config: [device] driver = "hapi", port and the keys of `Options`. Frames are bytes without sync or checksum, and the
firmware reads without waiting: every frame is one write. It answers command 2 only:

    host    02 device f32 torque per motor (Nm)            10 bytes
    board   device f32 angle per encoder (degrees)          9 bytes, from before the new torques

Source: Haply-API-Java and the Arduino firmware. The angles are whole encoder counts, and are taken back to counts, so
that velocity comes from `count_velocity`. A frame counts when its first byte and all behind it fit, and both angles are
possible. With two encoders for two axes nothing is redundant: a stuck encoder cannot be told from a still hand; only
jumps are refused. The board has no watchdog that the sources show: it holds the last torque.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from hapticd.device import Bytes, Capabilities, Device, Found, Motor, Row, Transport, Workspace
from hapticd.errors import ConfigError, DeviceTimeout
from hapticd.kernel.layout import SAMPLE_SIZE, WRENCH_SIZE
from hapticd.rule import Above, Within
from hapticd.schema import read_table

from .count_velocity import WINDOW
from .hapi_tick import (
    FADE,
    KEPT,
    LIMIT,
    LINK_INNER,
    LINK_OUTER,
    LINK_SPAN,
    MEMORY_SIZE,
    ORIGIN,
    PER_TURN,
    PERIOD,
    SETTING_SIZE,
    STEP_LIMIT,
    decode_tick,
    encode_tick,
)
from .serial_link import SerialLink, serial_ports

COMMAND = struct.Struct("<BBff")
ANSWER = struct.Struct("<Bff")
ANSWER_TIME = 0.1  # s
INPUT_SIZE = 256  # bytes a tick: 28 answers


@dataclass(frozen=True, kw_only=True)
class Options:
    """The [device] table; the defaults are a 2DIY on a Haply board M3."""

    port: str
    device: Annotated[int, Within(1, 255)] = 3
    link_inner_m: Annotated[float, Above(0)] = 0.05
    link_outer_m: Annotated[float, Above(0)] = 0.07
    motor_span_m: Annotated[float, Above(0)] = 0.02
    origin_m: tuple[float, float] = (0.01, 0.07)  # the device frame's origin: the middle of the reach
    counts_per_turn: Annotated[int, Within(100, 1_000_000)] = 13824
    encoder_offset_deg: tuple[float, float] = (180.0, 0.0)
    motor_turns_ccw: tuple[bool, bool] = (False, False)
    encoder_turns_ccw: tuple[bool, bool] = (False, False)
    torque_limit_nm: Annotated[float, Within(0.001, 1)] = 0.123
    damping_ns_m: Annotated[float, Above(0)] = 0.2  # b at the tip; measure it
    joint_speed_limit_rad_s: Annotated[float, Within(1, 1000)] = 60.0  # faster is a jump
    rate_hz: Annotated[float, Within(100, 4000)] = 1000.0  # of the loop
    simulated: bool = False  # only for a pseudo terminal


class Hapi(Device):
    """One pantograph."""

    name = "hapi"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = o = read_table(Options, options)
        self.link: SerialLink | None = None
        self.setting = np.zeros(SETTING_SIZE)
        self.setting[PERIOD], self.setting[PER_TURN] = 1.0 / o.rate_hz, o.counts_per_turn
        self.setting[STEP_LIMIT] = o.joint_speed_limit_rad_s / o.rate_hz / (2 * np.pi) * o.counts_per_turn
        self.setting[LINK_INNER], self.setting[LINK_OUTER] = o.link_inner_m, o.link_outer_m
        self.setting[LINK_SPAN], self.setting[LIMIT] = o.motor_span_m, o.torque_limit_nm
        self.setting[ORIGIN : ORIGIN + 2] = o.origin_m
        self.setting[FADE] = 0.6  # some 5 mm from the longest reach
        sizes = (MEMORY_SIZE, 2, 2 * WINDOW, 7, KEPT // 8)
        self.state = np.zeros(sum(sizes))
        self.memory, self.counts, history, self.linkage, kept = np.split(self.state, np.cumsum(sizes)[:-1])
        self.history, self.kept = history.reshape(2, WINDOW), kept.view(np.uint8)
        self.words, self.command = np.zeros(2, np.float32), np.zeros(4)
        self.word_bytes = self.words.view(np.uint8)
        self.reset = bytes((0, 0))
        self.off = self.rest = COMMAND.pack(2, o.device, 0.0, 0.0)
        # the firmware reads what is there and starts anew with the next write: a half-sent frame spoils only itself
        self.panic = (self.off, self.off, self.off)
        self.capabilities = self._capabilities()

    @classmethod
    def scan(cls) -> list[Found]:
        """USB serial ports of the kind that the board shows; the makers' ids are not published."""
        return [found for found in serial_ports() if "ACM" in found.path]

    def open(self) -> int:
        pseudo = Path(self.options.port).resolve().is_relative_to("/dev/pts")
        if self.options.simulated and not pseudo:
            raise ConfigError(f"device.simulated: {self.options.port} is no pseudo terminal; hardware is not simulated")
        self.link = SerialLink(self.options.port, 115_200)
        try:
            self._set_up(self.link)
        except BaseException:
            self.close()
            raise
        return self.link.descriptor

    def _set_up(self, link: SerialLink) -> None:
        o = self.options
        link.write(self.reset)
        link.drain(0.02)
        link.write(
            bytes((1, o.device, 3, *o.motor_turns_ccw, 3, *o.encoder_turns_ccw, 0, 0))
            + struct.pack("<4f", o.encoder_offset_deg[0], o.counts_per_turn, o.encoder_offset_deg[1], o.counts_per_turn)
        )
        link.drain(0.02)
        for _ in range(3):
            link.write(self.off)
            answer = link.read(ANSWER.size, ANSWER_TIME)
            if len(answer) == ANSWER.size and answer[0] == o.device:
                link.drain()
                self.warm_up()
                return
            link.drain(0.02)
        raise DeviceTimeout(f"{link.path}: no hAPI board answers as device {o.device}; check power, cable and firmware")

    def warm_up(self) -> None:
        """Compile what a tick calls, so that the first one is not seconds long."""
        self.state[:] = 0.0
        raw, row = np.zeros(INPUT_SIZE, np.uint8), np.zeros(WRENCH_SIZE)
        self.decode(raw, 0, np.zeros(SAMPLE_SIZE))
        self.encode(row, raw, row.copy())
        self.state[:] = 0.0

    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        return int(
            decode_tick(
                raw, count, self.options.device, self.setting, self.memory, self.counts, self.history, self.linkage,
                self.kept, self.words, self.word_bytes, sample,
            )
        )  # fmt: skip

    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        encode_tick(wrench, self.setting, self.linkage, self.command, self.words, rendered)
        raw[0], raw[1] = 2, self.options.device
        raw[2:10] = self.word_bytes
        return COMMAND.size

    def close(self) -> None:
        if self.link is not None:
            self.link.close()
            self.link = None

    def _capabilities(self) -> Capabilities:
        o = self.options
        reach = o.link_inner_m + o.link_outer_m
        # the worst direction at the origin: one motor alone holds about limit / (reach / 2)
        force = o.torque_limit_nm / (0.5 * reach)
        limit = float(np.float32(o.torque_limit_nm) * np.float32(1.0001))
        return Capabilities(
            title="hAPI pantograph, 2 axes", identity=o.port, dof=2,
            force_peak=force, force_continuous=0.6 * force, torque_peak=0.0, torque_continuous=0.0, thermal_time=20.0,
            workspace=Workspace((0.0, 0.0, 0.0), (0.6 * o.link_inner_m, 0.6 * o.link_inner_m, 0.0), 0.0),
            velocity_peak=3.0, spin_peak=1.0, delay=1.0 / o.rate_hz + 0.2e-3, damping=o.damping_ns_m,
            transport=Transport.STREAM, input_size=INPUT_SIZE, output_size=COMMAND.size,
            motors=(Motor(2, "f4", -limit, limit), Motor(6, "f4", -limit, limit)), simulated=o.simulated,
        )  # fmt: skip


def warm_up() -> None:
    """The kernels of the pantograph, for `hapticd warmup`."""
    Hapi({"port": "none"}).warm_up()
