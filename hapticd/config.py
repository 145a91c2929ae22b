"""The run config: which device, which scene, how fast, within which limits, to whom, recorded where.

Everything has a default but the device's driver. Units are SI unless the key says otherwise. Limits hold on the
device's side of the mount. The defaults of the loop and of safety are the guarantees that the tests try; a config may
tighten them freely and widen them within the bounds below. Read by `schema.py`, used by the daemon.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from hapticd.rule import Above, AtLeast, AtMost, OrFile, Rest, Within
from hapticd.schema import Section, UnitQuaternion, Vector, read_file

SILENT_TICKS = 5  # without a sample: fault. A simulated device is a program that may lose its core: it may have more


@dataclass(frozen=True, kw_only=True)
class Device:
    """[device], or a file of its own. The other keys are the driver's own and are checked by it."""

    driver: str  # the name of an entry point in the group hapticd.drivers
    arm_on_start: bool = False  # hardware is armed by hand; a simulated device may do it by itself
    options: Annotated[Section, Rest()]


@dataclass(frozen=True, kw_only=True)
class Mount:
    """[mount]: where the device stands in the world, and how its motion and force are scaled.

    A hand feels the stiffness K motion_scale force_scale.
    """

    position: Vector = (0.0, 0.0, 0.0)  # m, of the device's origin in the world
    q_xyzw: UnitQuaternion = (0.0, 0.0, 0.0, 1.0)  # from the device's frame to the world's
    motion_scale: Annotated[float, Within(1e-3, 1e3)] = 1.0  # s_p: metres in the world per metre of the hand
    force_scale: Annotated[float, Within(1e-6, 1e3)] = 1.0  # s_f: newtons at the hand per newton in the world
    clutch_button: Annotated[int, Within(0, 31)] | None = None  # while held, the hand moves and the pointer does not


@dataclass(frozen=True, kw_only=True)
class Loop:
    """[loop]: the servo's clock, and what late ticks lead to."""

    rate_hz: Annotated[int, Within(100, 4000)] = 1000
    cpu: Annotated[int, AtLeast(0)] | None = None  # the core of the servo; None: the last one
    priority: Annotated[int, Within(1, 98)] = 80  # SCHED_FIFO; the supervisor runs one above it
    overrun_limit: Annotated[int, Within(1, 1000)] = 20  # leaky count of late ticks that is a fault
    overrun_forgive_ticks: Annotated[int, Within(1, 100_000)] = 100  # good ticks that take one off the count
    gap_ramp_ms: Annotated[float, Within(1, 1000)] = 5.0  # a pause this long: force from zero again
    gap_fault_ms: Annotated[float, Within(1, 1000)] = 20.0  # a pause this long: fault
    silent_ticks: Annotated[int, Within(SILENT_TICKS, 1000)] = SILENT_TICKS  # more: for simulated devices only
    watchdog_ms: Annotated[float, Within(2, 1000)] = (
        10.0  # tick counter at a standstill: the supervisor kills the servo; the servo gives it half as long again
    )

    def complaints(self) -> Iterator[tuple[str, str]]:
        if self.gap_fault_ms < self.gap_ramp_ms:
            yield "gap_fault_ms", f"is {self.gap_fault_ms:g}; allowed is at least gap_ramp_ms = {self.gap_ramp_ms:g}"
        if self.gap_ramp_ms * self.rate_hz < 2000:
            yield "gap_ramp_ms", f"is {self.gap_ramp_ms:g}; allowed is at least two ticks, {2000 / self.rate_hz:g}"


@dataclass(frozen=True, kw_only=True)
class Safety:
    """[safety]: the guard's limits. The smaller of these and of what the driver declares holds."""

    force: Annotated[float, Above(0), AtMost(100)] = 5.0  # N, norm
    torque: Annotated[float, Above(0), AtMost(10)] = 0.2  # Nm, norm
    stiffness: Annotated[float, Above(0), AtMost(1e5)] = 3000.0  # N/m at the hand: K_max of the slew's default
    # N/s. A low slew limit makes walls active (0.5 N/ms at 2 kN/m: out/in speed 1.34), so the default lets through
    # what the stiffest wall gives at the highest speed, K_max v_max.
    slew: Annotated[float, Above(0)] | None = None
    torque_slew: Annotated[float, Above(0)] | None = None  # Nm/s; default: in proportion to the force's
    speed: Annotated[float, Above(0), AtMost(10)] = 1.0  # m/s; faster: only damping is rendered
    speed_fault: Annotated[float, Above(0), AtMost(20)] = 2.0  # m/s; faster: fault
    spin: Annotated[float, Above(0), AtMost(100)] = 15.0  # rad/s; the same for turning
    spin_fault: Annotated[float, Above(0), AtMost(200)] = 30.0  # rad/s
    force_continuous: Annotated[float, Above(0), AtMost(100)] | None = None  # N rms; None: what the driver declares
    thermal_time: Annotated[float, Within(0.1, 3600)] | None = None  # s; None: what the driver declares
    workspace_radius: Annotated[float, Above(0), AtMost(10)] | None = None  # m about the device's centre; None: its own
    workspace_margin: Annotated[float, AtLeast(0), AtMost(1)] = 0.01  # m over which the force fades out at the edge
    ramp_ms: Annotated[float, Within(200, 10_000)] = 500.0  # from zero to full force when armed
    stop_ramp_ms: Annotated[float, Within(0, 1000)] = 50.0  # to zero on Ctrl-C
    passivity: Literal["observe", "control"] = "observe"  # control: damp away the energy that the observer misses

    def complaints(self) -> Iterator[tuple[str, str]]:
        for key in ("speed", "spin"):
            limit, fault = getattr(self, key), getattr(self, f"{key}_fault")
            if fault < limit:
                yield f"{key}_fault", f"is {fault:g}; allowed is at least {key} = {limit:g}"
        if self.force_continuous is not None and self.force_continuous > self.force:
            yield "force_continuous", f"is {self.force_continuous:g}; allowed is at most force = {self.force:g}"

    @property
    def slew_rate(self) -> float:
        """N/s."""
        return self.stiffness * self.speed if self.slew is None else self.slew

    @property
    def torque_slew_rate(self) -> float:
        """Nm/s."""
        return self.slew_rate * self.torque / self.force if self.torque_slew is None else self.torque_slew


@dataclass(frozen=True, kw_only=True)
class Sockets:
    """[sockets]: state and commands by ipc in a private folder, state also on loopback; anything else needs keys."""

    folder: Path | None = None  # None: $XDG_RUNTIME_DIR/hapticd
    state: tuple[str, ...] = ("tcp://127.0.0.1:5570",)  # beside ipc
    control: tuple[str, ...] = ()  # beside ipc
    keys: Path | None = None  # folder with the server's CURVE keys and the public keys of the clients that may come in
    publish_hz: Annotated[float, Within(1, 1000)] = 60.0

    def complaints(self) -> Iterator[tuple[str, str]]:
        for key, endpoints in (("state", self.state), ("control", self.control)):
            for endpoint in endpoints:
                if not endpoint.startswith("tcp://") or not endpoint.rpartition(":")[2].isdigit():
                    yield key, f"has {endpoint!r}; allowed is tcp://ADDRESS:PORT"
                elif self.keys is None and (key == "control" or not endpoint.startswith("tcp://127.0.0.1:")):
                    yield key, f"has {endpoint!r}; without `keys` only state on tcp://127.0.0.1:PORT is allowed"


@dataclass(frozen=True, kw_only=True)
class Record:
    """[record]: the log of every tick."""

    folder: Path | None = None  # None: nothing is recorded
    flush_ms: Annotated[float, Within(10, 250)] = 250.0  # the most that a power cut may cost
    snapshot: Annotated[float, Within(0.1, 60)] = 5.0  # s between full states, where a replay can start
    hash_ticks: Annotated[int, Within(1, 100_000)] = 1000  # ticks between state hashes
    body_ticks: Annotated[int, Within(1, 10_000)] = 10  # ticks between records of bodies and contacts


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """[capacity]: the most that a scene may hold; memory is taken once, so that a running scene can change."""

    bodies: Annotated[int, Within(1, 4096)] = 128
    parts: Annotated[int, Within(1, 16_384)] = 512
    vertices: Annotated[int, Within(4, 1_000_000)] = 16_384
    pairs: Annotated[int, Within(1, 65_536)] = 1024


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """A whole run config; the scene is read by hapticd.scene."""

    device: Annotated[Device, OrFile()]
    scene: Annotated[Section, OrFile()] | None = None  # None: an empty world
    mount: Mount = field(default_factory=Mount)
    loop: Loop = field(default_factory=Loop)
    safety: Safety = field(default_factory=Safety)
    sockets: Sockets = field(default_factory=Sockets)
    record: Record = field(default_factory=Record)
    capacity: Capacity = field(default_factory=Capacity)


def load_config(path: Path | str) -> RunConfig:
    """The run config in a file; a ConfigError lists all its problems."""
    return read_file(RunConfig, path)
