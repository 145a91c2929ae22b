"""The Device contract: what a driver is, what it promises, and how it is found.

    supervisor                              servo, every tick
    open() ── descriptor ──────────────────► link reads bytes ─► decode ─► step ─► encode ─► clamp ─► link writes bytes
    panic bytes, when the servo is gone                          driver           driver    ours

A driver is one file with one subclass of `Device` and one entry-point line in its package:

    [project.entry-points."hapticd.drivers"]
    mydevice = "mypackage.mydevice:MyDevice"

What the driver promises (tests/drivers/contract.py tries each):
 1. `open` runs in the supervisor, before the servo is forked: it may block, allocate and raise `DeviceOpenError`. All
    else about the device (`capabilities`, `rest`, `off`, `panic`) is constant from then on.
 2. `decode` and `encode` run in the tick: they work on the arrays given, allocate nothing that grows, never block or
    raise for any bytes or numbers, and remember things only in `self.state`. Same bytes, same state: same bits. That
    is what makes a recorded run replay exactly.
 3. `rest` is the least tension and no wrench, `off` no current, both whole output frames. `panic` silences the device
    from any point of a half-sent frame; each element is one write(2).

The bytes travel in one of three ways (`Transport`):
    STREAM     a non-blocking descriptor (serial line, socket) that the servo reads and writes itself
    BLOCKING   calls that may take milliseconds (HID): an I/O process calls `exchange`, a mailbox holds the newest
    INTERNAL   no transport: the servo calls `exchange` (simulated devices)

After `encode`, the servo clamps every motor of the output frame to its bounds, where `capabilities.motors` says it
lies: no driver can skip that. Sample and wrench rows: kernel/layout.py, SAMPLE_* and WRENCH_*; codes: kernel/status.py.
"""

from __future__ import annotations

import abc
import enum
import importlib.metadata
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hapticd.errors import ConfigError

ENTRY_POINT_GROUP = "hapticd.drivers"

# How a motor's command is written in the output frame, and its bytes; little-endian but for "be".
MOTOR_KINDS = {"i1": 1, "u1": 1, "i2": 2, "u2": 2, "i2be": 2, "u2be": 2, "i4": 4, "f4": 4, "f8": 8}

Bytes = NDArray[np.uint8]
Row = NDArray[np.float64]


class Transport(enum.Enum):
    """How the bytes get to the device; see the module's head."""

    STREAM = "stream"
    BLOCKING = "blocking"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Motor:
    """Where one motor's command lies in the output frame, and its bounds in the frame's own units."""

    offset: int  # byte
    kind: str  # a key of MOTOR_KINDS
    low: float
    high: float
    off: float = 0.0  # what a NaN becomes


@dataclass(frozen=True)
class Workspace:
    """Where the device can render: a box about `centre` and a turn away from the identity. Device frame."""

    centre: tuple[float, float, float]  # m
    half: tuple[float, float, float]  # m; 0 for an axis that the device does not have
    angle: float  # rad; 0 without rotation


@dataclass(frozen=True)
class Capabilities:
    """What a device has and bears. Forces in N, torques in Nm, SI throughout."""

    title: str  # for people: "SPIDAR-G6 X3R, two B3M boards"
    identity: str  # what the lock and the log go by: a path or serial number
    dof: int  # of the force: 2, 3, 6
    force_peak: float
    force_continuous: float  # what the motors bear for ever
    torque_peak: float
    torque_continuous: float
    thermal_time: float  # s, of the I2t model
    workspace: Workspace
    velocity_peak: float  # m/s that a hand can reach; faster means broken
    spin_peak: float  # rad/s, the same for the turn
    delay: float  # s, t_d: from the sensor's instant to the tick and back to the motor, beyond the hold of T/2
    damping: float  # Ns/m, b: the least physical damping of the grip
    transport: Transport
    input_size: int  # most bytes read in one tick: bounds the work of decode
    output_size: int  # bytes of one output frame, the largest
    motors: tuple[Motor, ...]
    watchdog: float | None = None  # s after which the device itself goes silent; None: it holds the last force for ever
    rate_limit: float = 4000.0  # Hz, the fastest that the device can be served
    grip: bool = False
    buttons: int = 0
    deadman: bool = False  # has a switch that says whether the hand holds it
    simulated: bool = False  # no motor can move a hand: may arm on start and without real-time priority


@dataclass(frozen=True)
class Found:
    """One device that `scan` saw, for `hapticd devices`."""

    path: str
    title: str
    problems: tuple[str, ...] = ()  # each one line: what is missing and what to do


class Device(abc.ABC):
    """One haptic device. The constructor takes the config's [device] table without `driver` and raises ConfigError."""

    name: ClassVar[str]
    period: float = 1e-3  # s between two ticks; the daemon sets it before `open`
    capabilities: Capabilities
    rest: bytes
    off: bytes
    panic: tuple[bytes, ...]
    state: NDArray[Any]  # one flat array with everything that decode and encode remember; a snapshot copies it

    @abc.abstractmethod
    def __init__(self, options: Mapping[str, Any]) -> None: ...

    @classmethod
    def scan(cls) -> list[Found]:
        """What is plugged in that this driver would take. Never opens a device for writing."""
        return []

    @abc.abstractmethod
    def open(self) -> int:
        """Find the device, shake hands; its descriptor (STREAM: set non-blocking), or -1 where there is none."""

    def learnt(self) -> dict[str, Any]:
        """What `open` found out that decode and encode go by, as JSON: a log keeps it for replay."""
        return {}

    def recall(self, learnt: Mapping[str, Any]) -> None:
        """Be as after an `open` that found this out; nothing is opened."""
        if learnt:
            raise ConfigError(f"driver {self.name}: the log says what open() found out, but the driver has no recall()")

    @abc.abstractmethod
    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        """The newest whole frame in raw[:count] and what was left of the last tick, as a sample row; a sample code."""

    @abc.abstractmethod
    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        """The frame for `wrench` (device frame) into raw; its length. `rendered`: the wrench that it truly gives."""

    def exchange(self, out: Bytes, count: int, raw: Bytes) -> int:
        """BLOCKING, INTERNAL: send out[:count] (0: nothing new), fetch the newest input; its length, 0 for none."""
        raise NotImplementedError(f"driver {self.name} has no transport of its own")

    @abc.abstractmethod
    def close(self) -> None:
        """Give the device back. Silencing it is not done here: the caller has written `off`."""


def driver_names() -> list[str]:
    """Every installed driver, ours and third parties'."""
    return sorted({entry.name for entry in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)})


def find_driver(name: str) -> type[Device]:
    """The driver class of that name; only this one module is imported."""
    entries = list(importlib.metadata.entry_points(group=ENTRY_POINT_GROUP, name=name))
    if not entries:
        known = ", ".join(driver_names()) or "none"
        raise ConfigError(f"device.driver: no driver is called {name!r}; installed: {known}")
    if len({entry.value for entry in entries}) > 1:
        places = " and ".join(sorted(entry.value for entry in entries))
        raise ConfigError(f"device.driver: {name!r} is claimed by {places}; uninstall one of them")
    try:
        driver = entries[0].load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"device.driver: {name!r} ({entries[0].value}) cannot be imported: {error}") from error
    if not (isinstance(driver, type) and issubclass(driver, Device)):
        raise ConfigError(f"device.driver: {name!r} ({entries[0].value}) is not a subclass of hapticd.device.Device")
    return driver


def open_device(name: str, options: Mapping[str, Any], period: float = 1e-3) -> tuple[Device, int]:
    """The opened device and its descriptor; called by the supervisor."""
    device = find_driver(name)(options)
    device.period = period
    descriptor = device.open()
    try:
        check_frames(device)
    except ConfigError:
        device.close()
        raise
    return device, descriptor


def check_frames(device: Device) -> None:
    """Refuse a driver whose constant frames do not fit what it declares: a fault would have nothing to send."""
    size = device.capabilities.output_size
    for label, frame in (("rest", device.rest), ("off", device.off)):
        if not 0 < len(frame) <= size:
            raise ConfigError(f"driver {device.name}: {label} has {len(frame)} bytes, allowed 1..{size} (output_size)")
    if not device.panic and device.capabilities.transport is not Transport.INTERNAL:
        raise ConfigError(f"driver {device.name}: no panic bytes; without them a dead servo leaves the force on")
    for motor in device.capabilities.motors:
        if motor.kind not in MOTOR_KINDS or not 0 <= motor.offset <= size - MOTOR_KINDS[motor.kind]:
            raise ConfigError(f"driver {device.name}: {motor} is of no known kind or outside the output frame")
        if not motor.low <= motor.off <= motor.high:
            raise ConfigError(f"driver {device.name}: the bounds of {motor} exclude its `off`")
        if not all(_fits(motor.kind, value) for value in (motor.low, motor.high, motor.off)):
            raise ConfigError(f"driver {device.name}: the bounds of {motor} cannot be written as {motor.kind}")


def _fits(kind: str, value: float) -> bool:
    if kind.startswith("f"):
        return math.isfinite(value)
    info: Any = np.iinfo(np.dtype(kind.removesuffix("be")))
    return value == int(value) and info.min <= value <= info.max
