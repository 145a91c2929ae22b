"""The servo's clock: absolute deadlines on the monotonic clock, and the process made fit for real time.

    due      |-----------|-----------|-----------|-----------|
    tick     [####]      [###############]       [####]             the second took too long:
    gap       0                                   1                 its successor is skipped and counted, never made up

`Clock.wait` sleeps until the next deadline with clock_nanosleep(TIMER_ABSTIME) and says how many it had to leave out,
for a tick that took too long as well as for a machine that woke us too late. `enter` asks for SCHED_FIFO, a core,
locked memory and no garbage collection; what it does not get is in its report, and no force on hardware follows.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import time
from dataclasses import dataclass, field

CLOCK_MONOTONIC = 1
TIMER_ABSTIME = 1
MCL_CURRENT, MCL_FUTURE = 1, 2
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # mallopt
RUNAWAY_US = 400_000  # CPU time without a sleep after which the kernel kills the process (RLIMIT_RTTIME)
DEEPEST_SLEEP = "/dev/cpu_dma_latency"  # takes the longest wake-up that cores may need, us
SERVICE_NICE = 10
STACK_TOUCHED = 256 * 1024  # bytes of stack made present beforehand

_libc = ctypes.CDLL(None, use_errno=True)


class _Timespec(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long))


class Clock:
    """Deadlines of one period. `due` is the deadline of the tick at hand, `woke` when it really began; both in ns."""

    def __init__(self, period_ns: int) -> None:
        self.period_ns = period_ns
        self.due = 0
        self.woke = 0
        self._time = _Timespec()
        self._pointer = ctypes.byref(self._time)
        self._sleep = _libc.clock_nanosleep
        self._now = time.monotonic_ns

    def start(self) -> None:
        """Deadlines are whole multiples of the period: so a witness knows where the middle between two is."""
        now = self._now()
        self.due = now - now % self.period_ns

    def wait(self) -> int:
        """Sleep until the next deadline; how many were skipped because they had passed."""
        period = self.period_ns
        due = self.due + period
        late = self._now() - due
        gap = late // period + 1 if late >= 0 else 0
        due += gap * period
        target = self._time
        target.tv_sec, target.tv_nsec = divmod(due, 1_000_000_000)
        # An interrupted sleep (a stopped and continued process) goes on to the same deadline.
        while self._sleep(CLOCK_MONOTONIC, TIMER_ABSTIME, self._pointer, None):
            pass
        self.woke = woke = self._now()
        if woke - due >= period:
            slept = (woke - due) // period
            due += slept * period
            gap += slept
        self.due = due
        return gap


@dataclass
class Fitness:
    """What a process got of what real time needs; each shortfall is one line with its remedy."""

    fifo: bool = False
    locked: bool = False
    shortfalls: list[str] = field(default_factory=list)

    @property
    def realtime(self) -> bool:
        return self.fifo and self.locked


def enter(priority: int, cpu: int | None, lock: bool = True) -> Fitness:
    """Make this process a real-time one, as far as it may.

    Memory first: locking takes up to half a second in the kernel, and with the priority of a servo it would hold up
    another one on the same core for as long.
    """
    fitness = Fitness()
    if lock:
        _lock_memory(fitness)
    gc.collect()
    gc.freeze()
    gc.disable()
    if cpu is not None:
        try:
            os.sched_setaffinity(0, {cpu})
        except OSError as error:
            fitness.shortfalls.append(f"core {cpu}: {error.strerror}; set loop.cpu to one of {_cores()}")
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        fitness.fifo = True
    except PermissionError:
        fitness.shortfalls.append(
            f"SCHED_FIFO {priority} is not permitted; give CAP_SYS_NICE, or LimitRTPRIO in the unit, or `rtprio` in "
            "limits.conf"
        )
    if fitness.fifo:
        _keep_awake(fitness)
    return fitness


def _cores() -> str:
    return ", ".join(str(core) for core in sorted(os.sched_getaffinity(0)))


def _lock_memory(fitness: Fitness) -> None:
    """Lock what is there and what will come; freed memory stays ours, and nothing is mapped anew for a large array."""
    _libc.mallopt(M_TRIM_THRESHOLD, -1)
    _libc.mallopt(M_MMAP_MAX, 0)
    if _libc.mlockall(MCL_CURRENT | MCL_FUTURE) == 0:
        fitness.locked = True
    else:
        why = os.strerror(ctypes.get_errno())
        fitness.shortfalls.append(
            f"mlockall: {why}; give CAP_IPC_LOCK, or LimitMEMLOCK=infinity in the unit, or `memlock` in limits.conf"
        )
    ctypes.memset(ctypes.create_string_buffer(STACK_TOUCHED), 1, STACK_TOUCHED)


def _keep_awake(fitness: Fitness) -> None:
    """No core sleeps deeply while this process lives: the descriptor is the request, and stays open on purpose.

    Measured on a virtual machine, where a halted core goes back to the host: wake-ups of 31/121 us (p50/p99) became
    14/46 us, as those of cyclictest, which does the same (2026-11-18).
    """
    try:
        os.write(os.open(DEEPEST_SLEEP, os.O_WRONLY), b"\0\0\0\0")
    except OSError as error:
        fitness.shortfalls.append(f"{DEEPEST_SLEEP}: {error.strerror}; wake-ups are later; install the udev rules")


def limit_runaway() -> None:
    """A real-time loop that never sleeps is killed by the kernel instead of holding its core for ever."""
    resource.setrlimit(resource.RLIMIT_RTTIME, (RUNAWAY_US, RUNAWAY_US))


def leave() -> None:
    """Back to an ordinary process: for children of a real-time one. They stay on its cores, off the servo's.

    A nice one: the bytes of a serial line pass through a worker of the kernel that is an ordinary process, too, and
    comes first.
    """
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.nice(SERVICE_NICE)


def page_faults() -> tuple[int, int]:
    """Minor and major page faults of this process so far."""
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_minflt, use.ru_majflt
