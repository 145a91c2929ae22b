"""SPIDAR over the serial motor boards: grips on strings with six or three degrees of freedom.

Config: [device] driver = "spidar", port, geometry and the other keys of `Options`. Geometry is data (configs/device);
the boards are found by themselves, one or more on a line, motors in the order of board id and channel.

Where home is: encoders count from power-up, so the driver must be told the counters of the grip at the centre,
unturned. `hapticd calibrate` writes them to a file (valid until the boards lose power); without one, the grip must be
there when the device is opened.

The boards have no watchdog: the last current is held when the host dies, so the supervisor's panic bytes and, in the
end, the power switch are the only ways to silence them. A reply shows the sensors before the command that it answers:
the sample is one tick old, which is declared as delay.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from hapticd.device import Bytes, Capabilities, Device, Found, Motor, Row, Transport, Workspace
from hapticd.errors import ConfigError, DeviceOpenError
from hapticd.kernel.layout import SAMPLE_SIZE, WRENCH_SIZE
from hapticd.kernel.status import SAMPLE_NONE
from hapticd.rule import Within
from hapticd.schema import read_file, read_table

from . import spidar_protocol as protocol
from . import string_device as sd
from . import string_tension as st
from .count_velocity import WINDOW
from .serial_link import SerialLink, serial_ports
from .spidar_frame import append_bytes, keep_from, newest_cycle, write_currents
from .spidar_protocol import Board
from .string_geometry import Geometry
from .string_kinematics import POSE_ROW, TENSION_MAX, TENSION_MIN
from .string_workspace import reach

INPUT_SIZE = 512  # bytes a tick: nine cycles of two boards; bounds the work that garbage can make
KEPT = 1024  # bytes of unfinished cycles and the new ones

# State: memory cells, then counters of frames, then arrays; all float64 but the kept bytes at the end.
FRAMES, STALE, SKIPPED, FILL = range(sd.MEMORY_SIZE, sd.MEMORY_SIZE + 4)
CELLS = FILL + 1


@dataclass(frozen=True, kw_only=True)
class Options:
    """The [device] table."""

    port: str
    geometry: Geometry
    calibration: Path | None = None  # written by `hapticd calibrate`; None: the grip is at home when opened
    reply: Literal["auto", "old", "new"] = "auto"  # firmware generation
    baud: Annotated[int, Within(9600, 12_000_000)] = 2_000_000
    rate_hz: Annotated[float, Within(100, 4000)] = 1000.0  # of the loop
    simulated: bool = False  # only for a pseudo terminal: an emulator may be armed without real-time priority
    speed_limit_m_s: Annotated[float, Within(0.1, 50)] = 5.0  # of a string; faster is a jump
    residual_limit_mm: Annotated[float, Within(0.01, 100)] = 1.5  # by which the strings may disagree
    residual_time_ms: Annotated[float, Within(0, 1000)] = 20.0  # and for how long
    residual_step_mm: Annotated[float, Within(0.01, 100)] = 0.25  # growth in one tick
    still_travel_mm: Annotated[float, Within(0.1, 100)] = 4.0  # of another string, while one stands still
    still_residual_mm: Annotated[float, Within(0.01, 100)] = 0.1


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What `hapticd calibrate` writes: the counters with the grip at the centre, unturned."""

    geometry: str
    boards: tuple[tuple[int, int], ...]  # id and model, in the order of the line
    home_counts: tuple[int, ...]
    spread_counts: float = 0.0  # how still the hand was
    written: str = ""


class Spidar(Device):
    """One line with one or more boards, one grip."""

    name = "spidar"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = read_table(Options, options)
        self.geometry = self.options.geometry
        self.strings = self.geometry.rows()
        self.n = n = self.geometry.n_string
        self.link: SerialLink | None = None
        self.boards: list[Board] = []
        self.home_counts = np.zeros(n)
        self.home = self.geometry.home_lengths()
        self.setting = _setting(self.options, self.geometry)
        sizes = (CELLS, n, n * WINDOW, n * n, POSE_ROW, n, n, KEPT // 8)
        self.state = np.zeros(sum(sizes))
        parts = np.split(self.state, np.cumsum(sizes)[:-1])
        self.memory, self.counts, history, still, self.pose, self.tension, self.tension_rest, kept = parts
        self.history, self.still, self.kept = history.reshape(n, WINDOW), still.reshape(n, n), kept.view(np.uint8)
        self.raw, self.units = np.zeros(n, np.int64), np.zeros(n)
        A, vectors, L = np.zeros((n, 6)), np.zeros((5, max(n, POSE_ROW))), np.zeros((n, n))
        self.pose_scratch = (A, np.zeros((6, 6)), vectors)
        self.tension_scratch = (
            np.zeros((n, 6)),
            np.zeros((n, n)),
            L,
            np.zeros((st.WORK_ROWS, n)),
            np.zeros((5, 6 + n)),
        )

    @classmethod
    def scan(cls) -> list[Found]:
        """Lines that could have motor boards behind them; whether they do shows only when they are asked."""
        return [found for found in serial_ports() if "FT" in found.title.upper() or "UART" in found.title.upper()]

    def open(self) -> int:
        self.link = SerialLink(self.options.port, self.options.baud)
        try:
            self._shake_hands(self.link)
        except BaseException:
            self.close()
            raise
        return self.link.descriptor

    def _shake_hands(self, link: SerialLink) -> None:
        boards = protocol.find_boards(link, self.n)
        n_motor = sum(board.n_motor for board in boards)
        if n_motor < self.n:
            names = ", ".join(f"{board.id}: {board.name}" for board in boards)
            raise DeviceOpenError(
                f"{link.path}: {n_motor} motors on the boards {names}; {self.geometry.name} has {self.n} strings"
            )
        boards = [protocol.probe_reply(link, board, self.options.reply) for board in boards]
        self.use_boards(boards, _is_pseudo_terminal(link.path))
        # a run that was killed may have left currents on: silence them before anything else
        for _ in range(2):
            link.write(self.off)
            link.drain(0.005)  # the answers; back to back, the second frame's would fall into the first one's
        self.use_home(self._home(protocol.read_counts(link, boards)))
        self.warm_up()

    def use_boards(self, boards: list[Board], pseudo: bool = False) -> None:
        """Everything that follows from the boards: frames, currents per newton, capabilities."""
        if self.options.simulated and not pseudo:
            raise ConfigError(f"device.simulated: {self.options.port} is no pseudo terminal; hardware is not simulated")
        self.boards = boards
        n_motor = sum(board.n_motor for board in boards)
        scale = np.repeat([board.full_scale for board in boards], [board.n_motor for board in boards])[: self.n]
        self.per_newton = self.geometry.units_per_newton()
        self.strings[:, TENSION_MAX] = np.minimum(self.geometry.tension_max_n, scale / np.abs(self.per_newton))
        if not (self.strings[:, TENSION_MAX] > self.strings[:, TENSION_MIN]).all():
            raise ConfigError("device.geometry: volts_per_newton is so high that full scale is below tension_min_n")
        lowest = float((self.strings[:, TENSION_MIN] / self.strings[:, TENSION_MAX]).max())
        self.setting[sd.MARGIN_EDGE], self.setting[sd.MARGIN_FULL] = 2 * lowest, 4 * lowest
        self.replies = np.array(
            [[protocol.CURRENT << 3 | board.id, board.reply_length, board.n_motor] for board in boards], np.int64
        )
        self.info = np.frombuffer(boards[0].info, np.uint8)
        self.offsets = np.array(protocol.motor_offsets(boards)[: self.n], np.int64)
        least = np.rint(self.strings[:, TENSION_MIN] * self.per_newton).astype(int).tolist()
        self.off = protocol.cycle_frame(boards, [0] * n_motor)
        self.rest = protocol.cycle_frame(boards, least + [0] * (n_motor - self.n))
        self.template = np.frombuffer(self.off, np.uint8)
        self.panic = (bytes(protocol.LONGEST_FRAME - 1), self.off, self.off)
        self.capabilities = self._capabilities()

    def use_home(self, home_counts: list[int]) -> None:
        """The counters of the grip at home; the state starts there."""
        self.home_counts = np.array(home_counts[: self.n], np.int64)
        self.state[:] = 0.0
        self.pose[POSE_ROW - 1] = 1.0
        self.tension[:] = self.strings[:, TENSION_MIN]

    def warm_up(self) -> None:
        """Compile what a tick calls, so that the first one is not seconds long."""
        home = [int(count) for count in self.home_counts]
        sample, rendered = np.zeros(SAMPLE_SIZE), np.zeros(WRENCH_SIZE)
        raw = np.zeros(max(INPUT_SIZE, len(self.off)), np.uint8)
        self.decode(raw, 0, sample)
        self._sample(sample)
        self.encode(rendered, raw, rendered.copy())
        self.use_home(home)

    def learnt(self) -> dict[str, Any]:
        boards = [dataclasses.asdict(board) for board in self.boards]
        return {"boards": boards, "home_counts": self.home_counts.tolist()}

    def recall(self, learnt: Mapping[str, Any]) -> None:
        self.use_boards([Board(**board) for board in learnt["boards"]], pseudo=True)
        self.use_home(learnt["home_counts"])

    def _home(self, now: list[int]) -> list[int]:
        if self.options.calibration is None:
            return now
        path = self.options.calibration
        kept = read_file(Calibration, path)
        boards = tuple((board.id, board.model) for board in self.boards)
        if kept.geometry != self.geometry.name or kept.boards != boards or len(kept.home_counts) < self.n:
            raise ConfigError(
                f"device.calibration: {path} is for {kept.geometry} on boards {kept.boards}; this is "
                f"{self.geometry.name} on {boards}; run `hapticd calibrate`"
            )
        return list(kept.home_counts)

    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        have = append_bytes(raw, count, self.kept, int(self.memory[FILL]))
        found, keep, skipped = newest_cycle(self.kept, have, self.replies, self.info, self.raw)
        self.memory[FILL] = keep_from(self.kept, keep, have)
        self.memory[SKIPPED] += skipped
        if found == 0:
            self.memory[sd.GAP] += 1.0
            return int(SAMPLE_NONE)
        self.memory[FRAMES] += 1.0
        self.memory[STALE] += found - 1
        return self._sample(sample)

    def _sample(self, sample: Row) -> int:
        return int(
            sd.counts_to_sample(
                self.raw - self.home_counts, self.home, self.strings, self.geometry.n_dof, self.setting, self.memory,
                self.counts, self.history, self.still, self.pose, self.pose_scratch, sample,
            )
        )  # fmt: skip

    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        sd.wrench_to_units(
            wrench, self.strings, self.geometry.n_dof, self.setting, self.memory, self.pose, self.tension,
            self.tension_rest, self.per_newton, self.tension_scratch, self.units, rendered,
        )  # fmt: skip
        return int(write_currents(self.template, self.offsets, self.units, raw))

    def close(self) -> None:
        if self.link is not None:
            self.link.close()
            self.link = None

    def _capabilities(self) -> Capabilities:
        g, names = self.geometry, " + ".join(board.name for board in self.boards)
        full = self.strings[:, TENSION_MAX] * self.per_newton
        force, torque, half, angle = reach(self.strings, g.n_dof, self.setting)
        return Capabilities(
            title=f"{g.name}, {names}", identity=self.options.port, dof=g.n_dof,
            force_peak=force, force_continuous=0.5 * force, torque_peak=torque, torque_continuous=0.5 * torque,
            thermal_time=20.0, workspace=Workspace((0.0, 0.0, 0.0), half, angle),
            velocity_peak=0.6 * self.options.speed_limit_m_s, spin_peak=60.0,
            delay=1.0 / self.options.rate_hz + len(self.off) * protocol.BYTE_TIME, damping=g.damping_ns_m,
            transport=Transport.STREAM, input_size=INPUT_SIZE, output_size=len(self.off),
            motors=tuple(
                Motor(int(at), "i2", float(np.floor(min(0.0, top))), float(np.ceil(max(0.0, top))))
                for at, top in zip(self.offsets, full, strict=True)
            ),
            rate_limit=1.0 / (len(self.off) * protocol.BYTE_TIME), simulated=self.options.simulated,
        )  # fmt: skip


def _setting(o: Options, geometry: Geometry) -> Row:
    setting = np.zeros(sd.SETTING_SIZE)
    setting[sd.PERIOD] = 1.0 / o.rate_hz
    setting[sd.SPEED_LIMIT] = o.speed_limit_m_s
    setting[sd.RESIDUAL_LIMIT] = o.residual_limit_mm * 1e-3
    setting[sd.RESIDUAL_TICKS] = round(o.residual_time_ms * 1e-3 * o.rate_hz)
    setting[sd.RESIDUAL_STEP] = o.residual_step_mm * 1e-3
    setting[sd.STILL_TRAVEL] = o.still_travel_mm * 1e-3
    setting[sd.STILL_RESIDUAL] = o.still_residual_mm * 1e-3
    setting[sd.TORQUE_WEIGHT] = 1.0 / geometry.knot_radius() ** 2
    return setting


def _is_pseudo_terminal(path: str) -> bool:
    return Path(path).resolve().is_relative_to("/dev/pts")


def warm_up() -> None:
    """The kernels of string devices, for `hapticd warmup`."""
    corners = [[-0.06, -0.07, -0.06], [0.06, -0.07, 0.06], [-0.06, 0.07, 0.06], [0.06, 0.07, -0.06]]
    geometry = {
        "name": "four strings", "n_dof": 3, "exits_m": corners, "knots_m": [[0.0, 0.0, 0.01]] * 4,
        "metres_per_pulse": [1.7e-5] * 4, "volts_per_newton": [0.3] * 4, "tension_min_n": 0.3, "tension_max_n": 20.0,
    }  # fmt: skip
    device = Spidar({"port": "none", "geometry": geometry})
    device.use_boards([Board(0, 1, 12, 4, 0, 0, 0)])
    device.use_home([0] * 4)
    device.warm_up()
