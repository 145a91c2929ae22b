"""Wiring only: which process starts what, in which order it stops.

    hapticd run ─► lock ─► open device, silence it ─► shared memory, scene ─► kernels ─► fork:
        publisher, commands, recorder       ordinary processes
        servo                               SCHED_FIFO, forked last, gets the open device
        supervisor                          this process, one priority above the servo

It stops in the reverse order: force to zero, servo, services, then this process.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hapticd import __version__, clock
from hapticd.areas import Arena, Live, area_templates
from hapticd.builder import EMPTY, SceneBuilder
from hapticd.config import SILENT_TICKS, RunConfig, Sockets, load_config
from hapticd.device import Device, Transport, open_device
from hapticd.errors import ConfigError, DeviceError
from hapticd.inject import Injection
from hapticd.inspection import config_folder
from hapticd.kernel.guard.layout import LIMIT_MAY_ARM, WORD_CAUSE, WORD_GENERATION, WORD_MODE, WORD_REALTIME
from hapticd.kernel.guard.states import CAUSE_LINK_LOST, CAUSE_NUMERIC, CAUSE_START, CAUSE_UNCLEAN
from hapticd.link import mail_templates, make_link
from hapticd.presence import Lock, StatusFile, device_lock, notify
from hapticd.ring import Ring, SlotSize
from hapticd.safety import set_up
from hapticd.scene.arrays import allocate
from hapticd.schema import Section
from hapticd.sockets import private_folder, require_free, runtime_folder
from hapticd.supervisor import Service, Supervisor, silence, spawn
from hapticd.words import CAUSES, MODES

STILL = 1.5  # times the watchdog's limit without a sign of the supervisor: the servo faults
LENIENT_MS = 500.0  # both ways, where there is no device that could move a hand: a busy machine is no reason to end
RING_FILE = "ring"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    """What the command line adds to the config."""

    allow_non_rt: bool = False
    folder: Path | None = None
    scene_folder: Path | None = None  # where scenes are loaded from by name
    services: Callable[[Daemon], Sequence[Service]] = lambda daemon: ()
    inject: str = ""  # tests only: inject.py


class Daemon:
    """One run: made of a config, it owns the device, the shared memory and the locks."""

    def __init__(self, config: RunConfig, options: Options) -> None:
        self.config, self.options = config, options
        self.folder = private_folder(runtime_folder(options.folder or config.sockets.folder))
        self.locks = [Lock(self.folder / "hapticd.lock", f"the folder {self.folder}")]
        if place := _place(config.device.options):  # before it is opened: a handshake would disturb the other daemon
            self.locks.append(device_lock(place))
        require_free((*config.sockets.state, *config.sockets.control))
        self.status_file = StatusFile(self.folder)
        last = self.status_file.read()
        self.cause = CAUSE_UNCLEAN if last and last.get("ended") != "left" else CAUSE_START
        self.reason = str(last.get("ended") or "it was killed") if self.cause == CAUSE_UNCLEAN else ""
        self.device, self.descriptor = self.open()
        self.injection = Injection.parse(options.inject) if options.inject else None
        if self.injection and not self.have.simulated:
            raise ConfigError("--inject is for simulated devices only")
        if config.loop.silent_ticks > SILENT_TICKS and not self.have.simulated:
            raise ConfigError(
                f"loop.silent_ticks: {config.loop.silent_ticks} is for simulated devices; a real one may be silent for "
                f"{SILENT_TICKS}"
            )
        self.realtime = can_be_realtime(config.loop.priority)
        self.lenient = self.have.transport is Transport.INTERNAL
        self.builder = SceneBuilder(config, self.have, options.scene_folder)
        self.world = allocate(self.builder.capacity)
        self.ring = self.make_ring()
        self.live = Live(self.ring.memory)
        self.fill_scene()
        self.started = time.time()
        self.cores = os.sched_getaffinity(0)
        self.saved = -1  # generation of the scene whose numeric fault was saved

    @property
    def have(self) -> Any:
        return self.device.capabilities

    @property
    def core(self) -> int | None:
        """The servo's own; the last one, since interrupts and first programs are on the first. None: there is one."""
        cores = self.cores
        return self.config.loop.cpu if self.config.loop.cpu is not None or len(cores) < 2 else max(cores)

    def open(self) -> tuple[Device, int]:
        """The device, silenced: whatever the last run left it doing."""
        table = self.config.device
        device, descriptor = open_device(table.driver, table.options, 1.0 / self.config.loop.rate_hz)
        if device.capabilities.transport is not Transport.INTERNAL:
            silence(device, descriptor)
        if device.capabilities.rate_limit < self.config.loop.rate_hz:
            raise ConfigError(
                f"loop.rate_hz: {self.config.loop.rate_hz} is more than the device can do, "
                f"{device.capabilities.rate_limit:g} Hz"
            )
        return device, descriptor

    def make_ring(self) -> Ring:
        have, loop = self.have, self.config.loop
        size = SlotSize(self.builder.capacity.bodies, have.input_size, have.output_size, loop.rate_hz)
        areas = area_templates(self.world.model, self.world.state, self.device.state)
        if have.transport is Transport.BLOCKING:
            areas |= mail_templates(self.device)
        note = {
            "hapticd": __version__,
            "pid": os.getpid(),
            "device": {
                **dataclasses.asdict(have), "driver": self.config.device.driver, "transport": have.transport.value,
                "options": dict(self.config.device.options), "learnt": self.device.learnt(),
            },
            "capacity": dataclasses.asdict(self.builder.capacity),
            "realtime": self.realtime,
            "folder": str(self.folder),
        }  # fmt: skip
        return Ring.create(self.folder / RING_FILE, size, areas, note)

    def fill_scene(self) -> None:
        """The first scene into arena 0, and the live state as it is at its start."""
        scene = self.config.scene
        arena = Arena.of(self.ring.memory, 0)
        self.builder.fill(arena, _source(scene), 1)
        live = self.live
        for mine, start in zip(live.state, arena.start, strict=True):
            mine[...] = start
        live.state.device[6] = 1.0  # a unit quaternion until the first sample
        set_up(live.safety, self.config, self.have, may_arm=False, cause=self.cause)
        live.safety.word[WORD_GENERATION] = arena.generation

    def warm_up(self) -> None:
        """Compile what the servo calls, before it is forked."""
        self.servo().warm_up()

    def run(self) -> int:
        """Start everything and watch it; the exit code."""
        self.warn()
        services = [*self._device_io(), *self.options.services(self)]
        supervisor = Supervisor(self.ring, self.device, self.descriptor, services, self._watchdog_ns())
        supervisor.report = lambda: self.each_second(supervisor)
        supervisor.reopen = lambda: self.reopen(supervisor)
        self.write_status(supervisor)
        # Before the servo is there: locking memory may take longer than this process may be silent. Children leave it.
        self._keep_off(self.core)
        clock.enter(self.config.loop.priority + 1, None, lock=self.realtime)
        supervisor.start(self.servo_process)
        notify("READY=1")
        code = supervisor.run()
        self.write_status(supervisor)
        self.device.close()
        for lock in reversed(self.locks):
            lock.release()
        return code

    def servo(self) -> Any:
        from hapticd.servo import Rules, Servo

        period = 1_000_000_000 // self.config.loop.rate_hz
        still = STILL * self._watchdog_ns() / period
        rules = Rules(period, int(still), self.config.record.hash_ticks, self._arms_on_start())
        device = self.injection.wrap(self.device, self.ring) if self.injection else self.device
        link = make_link(self.device, self.descriptor, self.ring.memory.tree)
        self.world.work.order[:] = range(len(self.world.work.order))
        return Servo(self.ring, device, link, rules, (self.world.work, self.world.solid))

    def servo_process(self) -> int:
        """The life of the servo's process, after the fork."""
        loop = self.config.loop
        faulthandler.enable((self.folder / "crash.txt").open("a"), all_threads=True)
        servo = self.servo()
        fitness = clock.enter(loop.priority, self.core)
        if fitness.fifo:
            clock.limit_runaway()
        may_arm = self.have.simulated or fitness.realtime or self.options.allow_non_rt
        servo.safety.limit[LIMIT_MAY_ARM] = float(may_arm)
        servo.safety.word[WORD_REALTIME] = int(fitness.realtime)
        return int(servo.run())

    def reopen(self, supervisor: Supervisor) -> bool:
        """After a lost link: try once; a new servo starts in FAULT and is armed by hand."""
        self.device.close()
        try:
            self.device, self.descriptor = self.open()
        except DeviceError:
            return False
        supervisor.device, supervisor.descriptor = self.device, self.descriptor
        self.cause = CAUSE_LINK_LOST  # a device that arms on start has been started before
        set_up(self.live.safety, self.config, self.have, may_arm=False, cause=CAUSE_LINK_LOST)
        supervisor.launch_servo(self.servo_process)
        return True

    def _keep_off(self, core: int | None) -> None:
        """Leave the servo's core, with all services: what they do in the kernel cannot be interrupted by the servo."""
        others = self.cores - {core}
        if others:
            os.sched_setaffinity(0, others)

    def _device_io(self) -> list[Service]:
        """The process that talks to a device whose calls block."""
        if self.have.transport is not Transport.BLOCKING:
            return []

        def run() -> None:
            from hapticd.device_io import DeviceIO
            from hapticd.services import until_terminated

            stopped = until_terminated()
            clock.enter(self.config.loop.priority - 1, None)
            DeviceIO(self.ring, self.device).run(stopped)

        return [Service("device I/O", run)]

    def save_ring(self) -> None:
        """After a numeric fault: the last seconds and the whole state, aside, for whoever looks for the reason."""
        word = self.live.safety.word
        if int(word[WORD_CAUSE]) != CAUSE_NUMERIC or self.saved == int(word[WORD_GENERATION]):
            return
        self.saved = int(word[WORD_GENERATION])
        source, target = self.ring.memory.path, self.folder / f"numeric-{self.ring.newest()}.ring"
        spawn(lambda: shutil.copyfile(source, target))
        log.error("the simulation lost its numbers: ring and state are saved in %s", target)

    def _arms_on_start(self) -> bool:
        """Never after a run that did not end by itself."""
        return self.config.device.arm_on_start and self.cause == CAUSE_START

    def _watchdog_ns(self) -> int:
        return int((LENIENT_MS if self.lenient else self.config.loop.watchdog_ms) * 1e6)

    def warn(self) -> None:
        """What a person should know before the first force."""
        if self.cause == CAUSE_UNCLEAN:
            log.warning("the last run did not end by itself (%s): the servo starts in FAULT, arm by hand", self.reason)
        if not self.have.simulated and self.have.watchdog is None:
            log.warning("this device has no watchdog: if the computer loses power, only its power switch helps")
        if self.realtime:
            return
        if self.have.simulated:
            log.warning("no real-time priority: timing will be poor; `hapticd doctor` says what is missing")
        elif self.options.allow_non_rt:
            log.warning("no real-time priority, and force allowed by --allow-non-rt: expect jerks")
        else:
            log.error("no real-time priority: the device will not be armed; `hapticd doctor` says what is missing")

    def each_second(self, supervisor: Supervisor) -> None:
        self.write_status(supervisor)
        self.save_ring()

    def write_status(self, supervisor: Supervisor) -> None:
        word = self.live.safety.word
        self.status_file.write({
            "pid": os.getpid(), "servo": supervisor.servo, "started": self.started,
            "services": {service.name: service.pid for service in supervisor.services},
            "device": self.have.title, "watchdog": self.have.watchdog, "realtime": self.realtime,
            "mode": MODES[int(word[WORD_MODE])], "cause": CAUSES[int(word[WORD_CAUSE])],
            "tick": self.ring.newest(), "ended": supervisor.ended or None, "last_run": self.reason or None,
        })  # fmt: skip


def _place(options: Mapping[str, Any]) -> str | None:
    """What names the device among others."""
    names = (options.get(key) for key in ("path", "port", "serial"))
    return next((name for name in names if isinstance(name, str)), None)  # a simulated hand has a path, too


def _source(scene: Section | None) -> dict[str, Any]:
    """The scene of a run config as builder.py keeps it: the table, and the folder of the files that it names."""
    if scene is None:
        return EMPTY
    folder = scene.document.folder
    return {"table": dict(scene), "name": scene.document.name, "folder": None if folder is None else str(folder)}


def warm_up() -> None:
    """Compile what any servo calls: a daemon with the simulated device that never runs, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="hapticd-") as folder:
        config = dataclasses.replace(load_config(config_folder() / "demo.toml"), sockets=Sockets(state=()))
        daemon = Daemon(config, Options(folder=Path(folder)))
        daemon.warm_up()
        daemon.device.close()
        for lock in daemon.locks:
            lock.release()


def can_be_realtime(priority: int) -> bool:
    """Whether this process may have SCHED_FIFO; tried in a child, so that nothing changes here."""
    pid = os.fork()
    if pid == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0
