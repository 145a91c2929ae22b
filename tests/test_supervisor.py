"""The supervisor on its own: servos and services made of a few lines, a device at the end of a socket pair."""

import os
import signal
import socket
import threading
import time

import pytest

from hapticd.control import DEGRADE, LEAVE, SERVO_BEAT, SUPERVISOR_BEAT
from hapticd.kernel.guard.states import CAUSE_SERVICE, EVENT_SERVICE
from hapticd.ring import Ring, SlotSize
from hapticd.supervisor import LINK_LOST, Service, Supervisor


class Loud:
    """A device with panic bytes."""

    panic = (b"PANIC", b"OFF")


@pytest.fixture
def rig(tmp_path):
    """A supervisor, and what the device hears."""
    ring = Ring.create(tmp_path / "ring", SlotSize(1, 8, 8, 100), {}, {})
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    old = [(number, signal.getsignal(number)) for number in (signal.SIGTERM, signal.SIGINT)]
    supervisor = Supervisor(ring, Loud(), ours.fileno(), [], 200_000_000)
    yield supervisor, ring, lambda: heard(theirs)
    for number, handler in old:
        signal.signal(number, handler)
    ours.close()
    theirs.close()


def heard(link):
    try:
        return link.recv(1000)
    except BlockingIOError:
        return b""


def ticking(ring, ticks=10**9, end=lambda ring: 0):
    """A servo that counts, and leaves when asked to."""

    def run():
        for _ in range(ticks):
            ring.control[SERVO_BEAT, 0] += 1
            if ring.control[LEAVE, 0]:
                return 0
            time.sleep(0.002)
        return end(ring)

    return run


def test_leaves_when_asked(rig):
    supervisor, ring, device = rig
    supervisor.start(ticking(ring))
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
    assert supervisor.run() == 0 and supervisor.ended == "left"
    assert device() == b"" and ring.control[SUPERVISOR_BEAT, 0] > 20


@pytest.mark.parametrize("end", ["sleep", "spin"])
def test_servo_that_stands_still_is_killed_and_the_device_silenced(rig, end):
    supervisor, ring, device = rig

    def hang(ring):
        while True:
            time.sleep(10 if end == "sleep" else 0)

    supervisor.start(ticking(ring, 50, hang))
    servo = supervisor.servo
    assert supervisor.run() == 1 and "stood still" in supervisor.ended and device() == b"PANICOFF"
    with pytest.raises(ProcessLookupError):
        os.kill(servo, 0)
    texts = [bytes(row["text"]) for row in ring.supervisor_journal.since(0)[0]]
    assert any(b"stood still" in text for text in texts)


def test_servo_that_dies_leaves_a_silent_device(rig):
    supervisor, ring, device = rig
    supervisor.start(ticking(ring, 20, lambda ring: os.kill(os.getpid(), signal.SIGKILL)))
    assert supervisor.run() == 1 and "SIGKILL" in supervisor.ended and device() == b"PANICOFF"


def test_servo_that_does_not_leave_is_killed(rig):
    supervisor, ring, device = rig

    def deaf():
        while True:
            ring.control[SERVO_BEAT, 0] += 1
            time.sleep(0.002)

    supervisor.start(deaf)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    assert supervisor.run() == 1 and "did not leave" in supervisor.ended and device() == b"PANICOFF"


def test_lost_link_is_looked_for_and_the_servo_started_again(rig):
    supervisor, ring, _ = rig
    tries = []

    def reopen():
        tries.append(time.monotonic())
        if len(tries) == 2:
            supervisor.launch_servo(ticking(ring, 100, lambda ring: 0))
            return True
        return False

    supervisor.reopen = reopen
    supervisor.start(ticking(ring, 20, lambda ring: LINK_LOST))
    assert supervisor.run() == 0 and len(tries) == 2 and tries[1] - tries[0] > 0.9


def test_service_is_started_again_once(rig):
    supervisor, ring, _ = rig
    service = Service("publisher", lambda: time.sleep(0.05))
    supervisor.services = [service]
    supervisor.start(ticking(ring, 300))
    assert supervisor.run() == 0
    codes = [int(row["code"]) for row in ring.supervisor_journal.since(0)[0] if row["kind"] == EVENT_SERVICE]
    assert codes == [0, 1, 2] and service.starts == 2 and ring.control[DEGRADE, 0] == CAUSE_SERVICE


def test_services_are_told_to_stop_and_the_deaf_are_killed(rig, monkeypatch):
    import hapticd.supervisor

    monkeypatch.setattr(hapticd.supervisor, "SERVICE_SECONDS", 0.3)
    supervisor, ring, _ = rig

    def deaf():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)

    supervisor.services = [Service("polite", lambda: time.sleep(60)), Service("deaf", deaf)]
    supervisor.start(ticking(ring, 50))
    pids = [service.pid for service in supervisor.services]
    assert supervisor.run() == 0
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
