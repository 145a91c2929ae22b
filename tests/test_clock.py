"""The clock: absolute deadlines, late ones skipped and counted; a runaway loop is ended by the kernel."""

import os
import resource
import signal
import time

import pytest

from hapticd import clock
from hapticd.clock import Clock


@pytest.fixture
def manual(monkeypatch):
    """A clock whose time is moved by hand: sleeping jumps to the deadline, `late` after it."""

    class Manual(Clock):
        late = 0
        time = 10_000

        def __init__(self, period):
            super().__init__(period)
            self._now = lambda: self.time
            self._sleep = self.sleep
            self.start()

        def sleep(self, *_):
            target = self._time.tv_sec * 1_000_000_000 + self._time.tv_nsec
            self.time = max(self.time, target) + self.late
            return 0

    return Manual(1000)


def test_deadlines_are_absolute_and_do_not_drift(manual):
    for k in range(1, 6):
        manual.time += 300  # the tick's work
        manual.late = 40
        assert manual.wait() == 0
        assert manual.due == 10_000 + 1000 * k and manual.woke == manual.due + 40


@pytest.mark.parametrize("work, gap", [(999, 0), (1000, 1), (1001, 1), (1500, 1), (2000, 2), (6300, 6)])
def test_long_tick_skips_what_it_missed(manual, work, gap):
    manual.wait()
    manual.time = manual.due + work
    assert manual.wait() == gap
    assert manual.due == 11_000 + 1000 * (gap + 1) and manual.woke >= manual.due
    assert manual.wait() == 0  # and nothing is made up


@pytest.mark.parametrize("late, gap", [(999, 0), (1000, 1), (4700, 4)])
def test_late_wake_up_skips_too(manual, late, gap):
    manual.late = late
    assert manual.wait() == gap
    assert manual.due == 11_000 + 1000 * gap and manual.woke - manual.due < 1000
    manual.late = 0
    assert manual.wait() == 0


def test_real_clock_wakes_after_its_deadline():
    pace = Clock(2_000_000)
    pace.start()
    start = pace.due
    gaps = 0
    for k in range(1, 26):
        gaps += pace.wait()
        assert pace.due == start + 2_000_000 * (k + gaps) and pace.woke >= pace.due


def test_interrupted_sleep_goes_on_to_its_deadline():
    hits = []
    old = signal.signal(signal.SIGALRM, lambda *_: hits.append(time.monotonic_ns()))
    pace = Clock(60_000_000)
    pace.start()
    pace.wait()  # the first deadline may be near: now a whole period lies ahead
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    pace.wait()
    signal.setitimer(signal.ITIMER_REAL, 0.0)  # an alarm without a handler would end the process
    signal.signal(signal.SIGALRM, old)
    assert hits and pace.woke >= pace.due


def child(work):
    """Wait status of a child that does `work`."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(7)
    return os.waitpid(pid, 0)[1]


def test_runaway_real_time_loop_is_killed():
    """Fault row 23, the last net: without a sleep for 0.4 s of CPU time the kernel ends it."""

    def work():
        if clock.enter(10, None, lock=False).fifo:
            clock.limit_runaway()
            while True:
                pass

    status = child(work)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 7  # no permission for SCHED_FIFO here: nothing to be run away
    else:
        assert os.WTERMSIG(status) == signal.SIGKILL


def test_without_permission_the_remedy_is_named():
    reports = []

    def work():
        resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
        if os.geteuid() == 0:
            os.setresuid(65534, 65534, 65534)
        reports.append(clock.enter(80, 10_000))
        text = " ".join(reports[0].shortfalls)
        ok = not reports[0].realtime and "CAP_SYS_NICE" in text and "CAP_IPC_LOCK" in text and "core 10000" in text
        os._exit(0 if ok else 1)

    assert os.waitstatus_to_exitcode(child(work)) == 0
