"""Two-axis force-feedback joysticks of the USB HID PID class.

Config: [device] driver = "hid_pid", path and the keys of `Options`. Ids, offsets, ranges, index or bit mask: all come
from the device's report descriptor. Two constant-force effects are made, one per axis with a fixed direction; a tick
only changes their magnitudes (a full-speed endpoint carries one report per millisecond, so the axes take turns: 500 Hz
each).

A HID write can take milliseconds: the transport is BLOCKING, `exchange` runs in the I/O process. Joysticks may send a
report only when something changes, so the last one counts until the next: silence is no fault here, an unplugged device
is (the write fails). A safety switch in the PID state report is the dead-man switch.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hapticd.device import Bytes, Capabilities, Device, Found, Motor, Row, Transport, Workspace
from hapticd.errors import DeviceError, DeviceTimeout
from hapticd.kernel.layout import SAMPLE_BUTTONS, SAMPLE_HELD, SAMPLE_Q, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_NONE, SAMPLE_OK
from hapticd.rule import Above, Within
from hapticd.schema import read_table

from . import pid_reports as pid
from .count_velocity import WINDOW, count_rate, push_counts
from .hid_descriptor import Descriptor, Field, parse
from .hid_link import HidLink, HidSetup, hid_devices
from .pid_reports import PidReports
from .refusal import GAP, REFUSED_RUN, STARTED, refuse

LOAD_TRIES, LOAD_PAUSE = 60, 0.005  # the kernel's own driver asks 60 times
REFUSED, HELD = 3, 4  # cells of the memory row, behind those of `refusal`
MEMORY_SIZE = 5


@dataclass(frozen=True, kw_only=True)
class Options:
    """The [device] table. Forces and lengths are the stick's own: a descriptor does not tell them."""

    path: str  # /dev/hidrawN
    force_n: Annotated[float, Above(0)] = 5.0  # at full magnitude
    force_continuous_n: Annotated[float, Above(0)] = 2.0
    half_travel_m: Annotated[float, Within(0.001, 1)] = 0.05  # of the stick's top, centre to stop
    direction_deg: tuple[float, float] = (90.0, 180.0)  # of the effects that push along +x and +y
    damping_ns_m: Annotated[float, Above(0)] = 1.0
    speed_limit_m_s: Annotated[float, Within(0.1, 50)] = 10.0  # faster is a jump
    delay_s: Annotated[float, Within(0, 0.1)] = 0.004  # report interval, mailbox and turn of the axis
    rate_hz: Annotated[float, Within(100, 4000)] = 1000.0  # of the loop


class HidPid(Device):
    """One joystick."""

    name = "hid_pid"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = read_table(Options, options)
        self.link: HidLink | None = None
        self.blocks: list[int] = []
        self.described = b""  # the report descriptor
        self.turn = 0  # whose magnitude goes out next
        self.state = np.zeros(MEMORY_SIZE + 2 + 2 * WINDOW)
        self.memory, self.counts = self.state[:MEMORY_SIZE], self.state[MEMORY_SIZE : MEMORY_SIZE + 2]
        self.history = self.state[MEMORY_SIZE + 2 :].reshape(2, WINDOW)

    @classmethod
    def scan(cls) -> list[Found]:
        """HID devices whose descriptor has constant forces and two axes."""
        return [found for found, descriptor in hid_devices() if descriptor and _is_force_feedback(descriptor)]

    def open(self) -> int:
        setup = HidSetup(self.options.path)
        try:
            self.described = setup.descriptor()
            self.use_descriptor(parse(self.described))
            blocks = self._make_effects(setup)
            first = setup.get_input(self.axes_id, self.axes_length)
        finally:
            setup.close()
        self.use_blocks(blocks)
        self.link = HidLink(self.options.path)
        self.newest = {self.axes_id: first} if len(first) == self.axes_length else {self.axes_id: b""}
        if self.state_fields:
            self.newest[self.state_fields[0].report_id] = b""
        return self.link.descriptor

    def learnt(self) -> dict[str, Any]:
        return {"descriptor": self.described.hex(), "blocks": self.blocks}

    def recall(self, learnt: Mapping[str, Any]) -> None:
        self.use_descriptor(parse(bytes.fromhex(learnt["descriptor"])))
        self.use_blocks(learnt["blocks"])

    def use_descriptor(self, descriptor: Descriptor) -> None:
        """Where everything lies."""
        self.reports = PidReports(descriptor)
        self.x = _axis(descriptor, pid.AXIS_X)
        self.y = _axis(descriptor, pid.AXIS_Y)
        if self.x.report_id != self.y.report_id:
            raise DeviceError(f"{self.options.path}: X and Y are in different reports")
        self.axes_id = self.x.report_id
        self.axes_length = descriptor.length("input", self.axes_id)
        inputs = [f for f in descriptor.fields if f.kind == "input" and not f.is_constant]
        self.buttons = [f for f in inputs if f.usage >> 16 == 9 and f.report_id == self.axes_id and not f.is_array][:32]
        self.state_fields = [f for f in inputs if f.usage in (pid.SAFETY_SWITCH, pid.ACTUATOR_POWER)]
        self.state_length = descriptor.length("input", self.state_fields[0].report_id) if self.state_fields else 0

    def _make_effects(self, setup: HidSetup) -> list[int]:
        """Reset, enable, full gain, one constant force per axis: made, set to zero, started."""
        r = self.reports
        for usage in (pid.RESET, pid.ENABLE):
            setup.write(r.control(usage))
        setup.write(r.gain())
        blocks = []
        for direction in self.options.direction_deg:
            setup.set_feature(r.create())
            block = self._loaded(setup)
            setup.write(r.effect(block, direction))
            setup.write(r.constant(block).data)
            setup.write(r.operation(block, pid.START))
            blocks.append(block)
        return blocks

    def _loaded(self, setup: HidSetup) -> int:
        for _ in range(LOAD_TRIES):
            block = self.reports.loaded_block(
                setup.get_feature(self.reports.block_load_id, self.reports.block_load_length)
            )
            if block is not None:
                return block
            time.sleep(LOAD_PAUSE)
        raise DeviceTimeout(f"{self.options.path}: the device does not say that it has loaded an effect")

    def use_blocks(self, blocks: list[int]) -> None:
        """The constant frames: magnitudes of both axes one after the other; `exchange` takes them apart."""
        r, self.blocks = self.reports, blocks
        parts = [r.constant(block).data for block in blocks]
        self.part = len(parts[0])
        self.at = 1 + r.magnitude.offset // 8
        self.off = self.rest = parts[0] + parts[1]
        self.template = np.frombuffer(self.off, np.uint8)
        self.panic = (*parts, *(r.operation(block, pid.STOP) for block in blocks), r.control(pid.DISABLE))
        self.closing = (*self.panic[:-1], *(r.free(block) for block in blocks), r.control(pid.DISABLE))
        push_counts(self.counts, 0, self.history)  # compiled here, so that the first tick is not seconds long
        count_rate(self.history, 0)
        refuse(self.memory, REFUSED)
        self.state[:] = 0.0
        self.memory[HELD] = 1.0
        self.capabilities = self._capabilities()

    def exchange(self, out: Bytes, count: int, raw: Bytes) -> int:
        """One magnitude out, in turn (both when both are zero: silence waits for nobody); the newest reports in."""
        if self.link is None:
            raise DeviceError(f"{self.options.path}: is not open")
        if count:
            frame = bytes(out[:count])
            for axis in (0, 1) if frame == self.off else (self.turn,):
                self.link.write(frame[axis * self.part : (axis + 1) * self.part])
            self.turn = 1 - self.turn
        self.link.newest(self.newest)
        data = b"".join(self.newest.values())
        raw[: len(data)] = np.frombuffer(data, np.uint8)
        return len(data)

    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        data = bytes(raw[:count])
        axes, rest = data[: self.axes_length], data[self.axes_length :]
        if len(axes) < self.axes_length or axes[0] != self.axes_id:
            self.memory[GAP] += 1.0
            return int(SAMPLE_NONE)
        if self.state_fields and len(rest) >= self.state_length and rest[0] == self.state_fields[0].report_id:
            self.memory[HELD] = float(all(field.get(rest) for field in self.state_fields))
        return self._sample(axes, sample)

    def _sample(self, axes: bytes, sample: Row) -> int:
        now = [field.get(axes) for field in (self.x, self.y)]
        scale = [2 * self.options.half_travel_m / (field.high - field.low) for field in (self.x, self.y)]
        span = self.memory[GAP] - self.memory[REFUSED_RUN] + 1.0
        limit = self.options.speed_limit_m_s / self.options.rate_hz * span
        inside = all(field.low <= value <= field.high for field, value in zip((self.x, self.y), now, strict=True))
        fast = any(abs(now[k] - self.counts[k]) * scale[k] > limit for k in (0, 1))
        if not inside or (self.memory[STARTED] and fast):
            return int(refuse(self.memory, REFUSED))
        self.counts[:] = now
        if self.memory[STARTED]:
            push_counts(self.counts, int(self.memory[GAP]), self.history)
        else:
            self.history[:] = self.counts[:, None]
        self.memory[STARTED], self.memory[GAP], self.memory[REFUSED_RUN] = 1.0, 0.0, 0.0
        sample[:] = 0.0
        sample[SAMPLE_Q + 3] = 1.0
        for k, field in enumerate((self.x, self.y)):
            sample[k] = (now[k] - 0.5 * (field.low + field.high)) * scale[k]
            sample[SAMPLE_VELOCITY + k] = count_rate(self.history, k) * scale[k] * self.options.rate_hz
        sample[SAMPLE_BUTTONS] = sum(field.get(axes) << k for k, field in enumerate(self.buttons))
        sample[SAMPLE_HELD] = self.memory[HELD]
        return int(SAMPLE_OK)

    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        """Magnitudes in whole steps; beyond the stick's strength the force keeps its direction."""
        full, strongest = self.options.force_n, self.reports.magnitude.high
        fx, fy = float(wrench[0]), float(wrench[1])
        if not (abs(fx) < 1e9 and abs(fy) < 1e9):  # NaN, too
            fx = fy = 0.0
        largest = max(abs(fx), abs(fy))
        share = full / largest if largest > full else 1.0
        raw[: len(self.template)] = self.template
        rendered[:] = 0.0
        for k, force in enumerate((fx, fy)):
            steps = round(force * share / full * strongest)
            rendered[k] = steps / strongest * full
            at = k * self.part + self.at
            raw[at], raw[at + 1] = steps & 0xFF, steps >> 8 & 0xFF
        return len(self.template)

    def close(self) -> None:
        """Effects are stopped and freed; the caller has silenced the device before."""
        if self.link is None:
            return
        try:
            for report in self.closing:
                self.link.write(report)
        except DeviceError:
            pass  # unplugged: nothing is left to free
        finally:
            self.link.close()
            self.link = None

    def _capabilities(self) -> Capabilities:
        o, strongest = self.options, float(self.reports.magnitude.high)
        places = (self.at, self.part + self.at)
        return Capabilities(
            title=f"force-feedback joystick, magnitude ±{strongest:g}", identity=o.path, dof=2,
            force_peak=o.force_n, force_continuous=min(o.force_continuous_n, o.force_n),
            torque_peak=0.0, torque_continuous=0.0, thermal_time=20.0,
            workspace=Workspace((0.0, 0.0, 0.0), (o.half_travel_m, o.half_travel_m, 0.0), 0.0),
            velocity_peak=0.5 * o.speed_limit_m_s, spin_peak=1.0, delay=o.delay_s, damping=o.damping_ns_m,
            transport=Transport.BLOCKING, input_size=self.axes_length + self.state_length, output_size=len(self.off),
            motors=tuple(Motor(at, "i2", -strongest, strongest) for at in places),
            rate_limit=1000.0, buttons=len(self.buttons), deadman=bool(self.state_fields),
        )  # fmt: skip


def _axis(descriptor: Descriptor, usage: int) -> Field:
    field = descriptor.field("input", None, usage)
    if field.high <= field.low:
        raise DeviceError(f"axis {usage:#x} has the range {field.low} to {field.high}")
    return field


def _is_force_feedback(data: bytes) -> bool:
    try:
        descriptor = parse(data)
        PidReports(descriptor)
        return bool(_axis(descriptor, pid.AXIS_X) and _axis(descriptor, pid.AXIS_Y))
    except DeviceError:
        return False
