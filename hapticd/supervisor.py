"""The supervisor: a small real-time loop above the servo that watches it, and silences the device when it must.

    every 2 ms   count; look at the servo's counter; collect children that ended; look at signals
    every 1 s    status file, systemd's watchdog

When the counter stands still for `watchdog`, or the servo is gone, it is killed and the driver's panic bytes go
to the descriptor, which this process keeps open. The servo in turn faults when this loop's counter stands still.
Publisher, recorder and command service are processes of their own, started again once; a second end is DEGRADED. The
servo is never started again with force on: after a lost link it starts in FAULT, after a crash the whole daemon ends,
and its next start is in FAULT with the reason.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hapticd import clock
from hapticd.control import DEGRADE, LEAVE, SERVO_BEAT, SUPERVISOR_BEAT, Journal
from hapticd.device import Device
from hapticd.kernel.guard.states import CAUSE_SERVICE, EVENT_LEAVE, EVENT_SERVICE, EVENT_SERVO
from hapticd.presence import notify
from hapticd.ring import Ring

PERIOD_NS = 2_000_000
START_SECONDS = 10.0  # for the servo to begin: its memory is locked first
LEAVE_SECONDS = 1.0  # for the servo to ramp down and go
SERVICE_SECONDS = 3.0  # for the others to flush and go
PANIC_POLL_MS = 5  # to wait for room in the line
GONE, AGAIN, FOR_GOOD = 0, 1, 2  # codes of EVENT_SERVICE

log = logging.getLogger(__name__)


@dataclass
class Service:
    """A helper process of the daemon, as a function that returns when told to stop by SIGTERM."""

    name: str
    run: Callable[[], None]
    pid: int = 0
    starts: int = 0


@dataclass
class Watch:
    """What the watchdog remembers."""

    beat: int = 0
    moved: bool = False  # the servo's counter has moved since it was started
    since: int = 0  # ns, when it last moved
    asked: int = 0  # ns, when it was asked to leave
    signals: list[int] = field(default_factory=list)


class Supervisor:
    """Watches one servo and its services; `run` returns the daemon's exit code."""

    def __init__(
        self, ring: Ring, device: Device, descriptor: int, services: Sequence[Service], watchdog_ns: int
    ) -> None:
        self.ring, self.device, self.descriptor, self.services = ring, device, descriptor, list(services)
        self.watchdog_ns = watchdog_ns
        self.watch = Watch()
        self.servo = 0
        self.ended = ""  # why
        self.events = int(ring.supervisor_journal.sequence.max())
        self.report: Callable[[], None] = lambda: None  # once a second
        self.reopen: Callable[[], bool] | None = None  # after a lost link: True when a new servo runs

    def start(self, servo: Callable[[], int]) -> None:
        """Services first, the servo last: from then on this process has to keep counting."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: self.watch.signals.append(number))
        for service in self.services:
            self.launch(service)
        self.launch_servo(servo)

    def launch(self, service: Service) -> None:
        service.starts += 1
        service.pid = spawn(service.run)

    def launch_servo(self, servo: Callable[[], int]) -> None:
        self.watch.beat, self.watch.moved = int(self.ring.control[SERVO_BEAT, 0]), False
        self.watch.since = time.monotonic_ns()
        self.servo = spawn_servo(servo)

    def run(self) -> int:
        """Until the servo has ended, by itself or by force."""
        pace, control, last_report = clock.Clock(PERIOD_NS), self.ring.control, 0
        pace.start()
        while self.servo or not self.ended:
            pace.wait()
            control[SUPERVISOR_BEAT, 0] += 1
            self.collect()
            self.look_at_signals(pace.woke)
            if self.servo:
                self.look_at_servo(pace.woke)
            if pace.woke - last_report >= 1_000_000_000:
                last_report = pace.woke
                self.each_second()
        self.stop_services()
        return 0 if self.ended == "left" else 1

    def each_second(self) -> None:
        if not self.servo and not self.ended and self.reopen is not None and self.reopen():
            self.watch.since = time.monotonic_ns()
        notify("WATCHDOG=1")
        self.report()

    def look_at_servo(self, now: int) -> None:
        """The watchdog: the counter must move."""
        watch, beat = self.watch, int(self.ring.control[SERVO_BEAT, 0])
        if beat != watch.beat:
            watch.beat, watch.since, watch.moved = beat, now, True
            return
        limit = self.watchdog_ns if watch.moved else int(START_SECONDS * 1e9)
        if now - watch.since > limit:
            self.kill(f"the servo stood still for {(now - watch.since) / 1e6:.1f} ms")

    def look_at_signals(self, now: int) -> None:
        watch = self.watch
        if watch.signals and not watch.asked:
            watch.asked = now
            self.ring.control[LEAVE, 0] = 1
            self.tell(EVENT_LEAVE, watch.signals[0], f"stopping on {signal.Signals(watch.signals[0]).name}")
            if not self.servo:
                self.ended = "left"
        if watch.asked and self.servo and now - watch.asked > LEAVE_SECONDS * 1e9:
            self.kill("the servo did not leave when asked to")

    def kill(self, why: str) -> None:
        """The servo first: two writers on one line would spoil the panic bytes."""
        pid, self.servo = self.servo, 0
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.silence()
        self.ended = why
        self.tell(EVENT_SERVO, -signal.SIGKILL, why)
        log.error("%s; it was killed and the device silenced", why)

    def silence(self) -> None:
        """The panic bytes, at once. Every start does so, too, before anything else is sent."""
        silence(self.device, self.descriptor)

    def collect(self) -> None:
        """Children that have ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.servo:
                self.servo_ended(os.waitstatus_to_exitcode(status))
            for service in self.services:
                if service.pid == pid:
                    self.service_ended(service, os.waitstatus_to_exitcode(status))

    def servo_ended(self, code: int) -> None:
        self.servo = 0
        if code == 0:
            self.ended = "left"
            return
        self.silence()
        if code == LINK_LOST and self.reopen is not None and not self.watch.asked:
            self.tell(EVENT_SERVO, code, "the link to the device is lost; looking for it once a second")
            log.error("the link to the device is lost; looking for it once a second")
            return
        why = f"the servo was ended by {signal.Signals(-code).name}" if code < 0 else f"the servo ended with {code}"
        self.ended = why
        self.tell(EVENT_SERVO, code, why)
        log.error("%s; the device was silenced", why)

    def service_ended(self, service: Service, code: int) -> None:
        service.pid = 0
        if self.watch.asked or self.ended:
            return
        if service.starts < 2:
            self.tell(EVENT_SERVICE, GONE, f"{service.name} ended with {code}")
            self.launch(service)
            self.tell(EVENT_SERVICE, AGAIN, f"{service.name} was started again")
            return
        self.ring.control[DEGRADE, 0] = CAUSE_SERVICE
        self.tell(EVENT_SERVICE, FOR_GOOD, f"{service.name} ended with {code} for the second time")
        log.error("%s ended with %d for the second time; the daemon goes on without it", service.name, code)

    def tell(self, kind: int, code: int, text: str) -> None:
        journal: Journal = self.ring.supervisor_journal
        event = (time.monotonic_ns(), self.ring.newest(), kind, code, (0.0, 0.0, 0.0, 0.0), text.encode()[:95])
        journal.write(self.events, event)
        self.events += 1

    def stop_services(self) -> None:
        """SIGTERM, time to flush, SIGKILL."""
        for service in self.services:
            if service.pid:
                os.kill(service.pid, signal.SIGTERM)
        end = time.monotonic() + SERVICE_SECONDS
        while any(service.pid for service in self.services) and time.monotonic() < end:
            self.collect()
            time.sleep(0.01)
        for service in self.services:
            if service.pid:
                log.warning("%s did not end within %.0f s and was killed", service.name, SERVICE_SECONDS)
                os.kill(service.pid, signal.SIGKILL)
                os.waitpid(service.pid, 0)


LINK_LOST = 3  # hapticd.servo.LINK_LOST; not imported: the servo's module compiles kernels


def silence(device: Device, descriptor: int) -> None:
    """Write the driver's panic bytes; each element in one write, waiting a moment for room."""
    for data in device.panic:
        try:
            if select.select([], [descriptor], [], PANIC_POLL_MS * 1e-3)[1]:
                os.write(descriptor, data)
        except OSError:
            return  # the device is gone: nothing is left to silence


def spawn(run: Callable[[], object]) -> int:
    """A child that is an ordinary process again, whatever this one has become."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        clock.leave()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the supervisor decides
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        run()
        code = 0
    except Exception:
        log.exception("a service failed")
    finally:
        os._exit(code)


def spawn_servo(run: Callable[[], int]) -> int:
    """The servo's process: deaf to the signals that the supervisor answers."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        code = run()
    except Exception:
        log.exception("the servo failed")
    finally:
        os._exit(code)
