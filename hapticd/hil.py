"""Hardware in the loop: the recorded motion again, through the real driver, in real time, judged against the recording.

    log ─► motion file ─► player (an emulator, or a rig that holds the handle) ─► device ─► driver ─► servo ─► guard
           commands ────────────────────────────────────────────────────────────────────────► at their ticks │
                                                            new log ◄── recorder ◄───────────────────────────┘

The player is any program that moves the handle along the motion file (.npy, one row of 13 numbers per tick: position,
q_xyzw, velocity, angular velocity in the device's frame). One that is also the device prints `ready PATH`, and the
daemon opens that port. Everything else is the daemon as it always runs; what it recorded is laid over the old log by
the motion, and force, motion, lost samples and punctuality are held against limits. Used by `hapticd hil`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import COMMAND, INPUTS, TICK
from hapticd.config import RunConfig
from hapticd.daemon import RING_FILE, Daemon, Options
from hapticd.errors import DeviceError, LogError
from hapticd.kernel.guard.layout import COMMAND_CODE, COMMAND_ID, COMMAND_TARGET, COMMAND_TICKS, COMMAND_VALUE
from hapticd.kernel.guard.states import ACTIVE
from hapticd.logfile import LogReader
from hapticd.logtool.columns import Table, load
from hapticd.logtool.progress import Shown
from hapticd.recording import RUN_NAME, service
from hapticd.ring import Ring
from hapticd.schema import read_table
from hapticd.supervisor import Service

READY_SECONDS = 30.0  # for a player to say that it is ready
START_SECONDS = 120.0  # for the daemon to begin: kernels may have to be compiled
STOP_SECONDS = 10.0
SOON_TICKS = 100  # before a recorded command: look at every tick
LAG_TICKS = 500  # by which the new run may be shifted against the old one: a slow start of the player


@dataclass(frozen=True)
class Limits:
    """What passes. The force's are shares of the recorded peak, over ticks in which both runs were ACTIVE."""

    inactive: float = 0.1  # share of the recording's ACTIVE ticks in which the new run was not: ramps after a gap
    force_rms: float = 0.05
    force_peak: float = 0.30  # in all but one tick of a thousand: a block that topples a tick earlier is no failure
    position_rms: float = 5e-4  # m
    missed: float = 0.01  # share of ticks without a sample
    wake_p99: float = 1e-3  # s


@dataclass(frozen=True)
class Result:
    """One judged run."""

    ticks: int  # compared
    lag: int  # ticks by which the new run is later
    values: dict[str, float]
    limits: dict[str, float]
    log: str
    failed: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.failed


def motion_of(inputs: NDArray[Any]) -> NDArray[np.float64]:
    """The handle as the driver saw it, one row per tick."""
    return np.ascontiguousarray(inputs["sample"][:, :13])


def run_config(reader: LogReader, changes: Mapping[str, Any]) -> RunConfig:
    """The config of the recorded run with other values in its [device] table."""
    if RUN_NAME not in reader.files:
        raise LogError(f"{reader.path}: holds no run config ({RUN_NAME}); name one with --config")
    table = json.loads(reader.files[RUN_NAME])
    return read_table(RunConfig, {**table, "device": {**table["device"], **changes}})


@contextlib.contextmanager
def player(command: str, motion: Path) -> Iterator[str]:
    """The program that moves the handle; the port that it offers, if it is the device as well."""
    words = [word.replace("{motion}", str(motion)) for word in shlex.split(command)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        ready = select.select([process.stdout], [], [], READY_SECONDS)[0]
        line = process.stdout.readline() if ready else ""
        if not line.startswith("ready"):
            raise DeviceError(f"the player {words[0]!r} did not say `ready` within {READY_SECONDS:.0f} s, but {line!r}")
        yield line.removeprefix("ready").strip()
    finally:
        process.stdin.close()  # the end of its input is the end of its work
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def play(config: RunConfig, ticks: int, commands: Table, folder: Path, allow_non_rt: bool = True) -> Path:
    """Run the daemon for so many ticks with the recorded commands; its log."""
    logs = folder / "logs"
    files = {"config.toml": "# hapticd hil"}

    def services(daemon: Daemon) -> list[Service]:
        return [Service("recorder", service(daemon.ring.memory.path, logs, daemon.config.record, files))]

    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            daemon = Daemon(config, Options(allow_non_rt, folder / "run", None, services))
            daemon.warm_up()
            code = daemon.run()
        finally:
            os._exit(code)
    try:
        with Shown("playing", ticks) as shown:
            _send_commands(folder / "run" / RING_FILE, pid, ticks, commands, shown)
    finally:
        code = _stopped(pid)
    found = sorted(logs.glob("*.mcap"))
    if code != 0 or not found:
        raise DeviceError(f"the daemon ended with {code}; see its messages above")
    return found[0]


def _send_commands(path: Path, pid: int, ticks: int, commands: Table, shown: Shown) -> None:
    """Each recorded command when the new run has come to its tick; returns at the end of the motion."""
    rows = list(commands.rows)
    ring, end = None, time.monotonic() + START_SECONDS
    while True:  # two speeds: this process is not to be in the servo's way
        if os.waitpid(pid, os.WNOHANG)[0]:
            raise DeviceError("the daemon has ended before the motion did; see its messages above")
        if ring is None and path.exists():
            with contextlib.suppress(Exception):
                ring = Ring.attach(path, writable=True)
        newest = -1 if ring is None else ring.newest()
        if newest < 0 and time.monotonic() > end:
            raise DeviceError(f"the daemon did not begin within {START_SECONDS:.0f} s")
        while ring is not None and rows and rows[0]["tick"] <= newest + 1:
            row = rows.pop(0)["row"]
            number, code, target, long = (
                int(row[k]) for k in (COMMAND_ID, COMMAND_CODE, COMMAND_TARGET, COMMAND_TICKS)
            )
            ring.mailbox.send(number, code, target, long, tuple(row[COMMAND_VALUE:]))
        if newest >= ticks:
            return
        shown.at(newest)
        time.sleep(0.0005 if rows and rows[0]["tick"] < newest + SOON_TICKS else 0.02)


def _stopped(pid: int) -> int:
    """Ask it to leave, wait, and the exit code; a daemon that does not leave is killed."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + STOP_SECONDS
        while time.monotonic() < end:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return 1


def judge(old: LogReader, new: LogReader, limits: Limits) -> tuple[Result, NDArray[Any], NDArray[Any]]:
    """Lay the new run over the old one and hold it against the limits; also the two, tick by tick."""
    was, now = (load(reader, (TICK, INPUTS)) for reader in (old, new))
    lag = best_lag(was[INPUTS].rows["sample"][:, :3], now[INPUTS].rows["sample"][:, :3])
    a, b = (np.asarray(rows) for rows in overlaid(was[TICK].rows, now[TICK].rows, lag))
    c, d = overlaid(was[INPUTS].rows, now[INPUTS].rows, lag)
    force_a, force_b = a["wrench_sent"][:, :3], b["wrench_sent"][:, :3]
    peak = max(float(np.linalg.norm(force_a, axis=1).max()), 1e-3)
    active = a["mode"] == ACTIVE
    both = active & (b["mode"] == ACTIVE)
    apart = np.linalg.norm(force_b - force_a, axis=1)[both] if both.any() else np.full(1, 1e6)  # no force: no match
    values = {
        "inactive": float(1.0 - both.sum() / max(int(active.sum()), 1)),
        "force_rms": float(np.sqrt((apart**2).mean()) / peak),
        "force_peak": float(np.percentile(apart, 99.9) / peak),
        "position_rms": float(np.sqrt(((d["sample"][:, :3] - c["sample"][:, :3]) ** 2).sum(axis=1).mean())),
        "missed": float((b["missed"][-1] - b["missed"][0]) / len(b)),
        "wake_p99": float(np.percentile(b["woke_after"], 99) * 1e-9),
    }
    bounds = asdict(limits)
    failed = [name for name, value in values.items() if not value <= bounds[name]]
    return Result(len(a), lag, values, bounds, str(new.path), failed), a, b


def best_lag(was: NDArray[np.float64], now: NDArray[np.float64]) -> int:
    """The shift at which the motions agree best."""
    shifts = range(-LAG_TICKS, LAG_TICKS + 1)
    pairs = {shift: overlaid(was, now, shift) for shift in shifts}
    errors = {shift: float(((x - y) ** 2).mean()) for shift, (x, y) in pairs.items() if len(x) > 100}
    if not errors:
        raise LogError("the two runs are too short to be compared")
    return min(errors, key=lambda shift: (errors[shift], abs(shift)))


def overlaid(was: NDArray[Any], now: NDArray[Any], lag: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both, so that row k of the old and row k + lag of the new stand side by side."""
    was, now = was[max(-lag, 0) :], now[max(lag, 0) :]
    count = min(len(was), len(now))
    return was[:count], now[:count]


def run(reader: LogReader, command: str, limits: Limits, keep: Path | None = None) -> tuple[Result, Any, Any]:
    """All of it; the new log is kept in `keep`, if that is given."""
    tables = load(reader, (INPUTS, COMMAND))
    inputs = tables[INPUTS].rows
    if not len(inputs):
        raise LogError(f"{reader.path}: has no ticks to play")
    memory = Path("/dev/shm")  # the ring's place: a disk that writes it back would hold up the servo
    with tempfile.TemporaryDirectory(prefix="hapticd-hil-", dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        np.save(folder / "motion.npy", motion_of(inputs))
        with player(command, folder / "motion.npy") as port:
            changes = {"port": port, "simulated": True} if port else {}
            log = play(run_config(reader, changes), len(inputs), tables[COMMAND], folder)
        result, a, b = judge(reader, LogReader(log), limits)
        if keep is not None:
            keep.write_bytes(log.read_bytes())
            result = replace(result, log=str(keep))
        return result, a, b


def plot(a: NDArray[Any], b: NDArray[Any], rate: float, path: Path) -> None:
    """Force then and now, their difference, and how late the new run's ticks were."""
    from hapticd.logtool.plot import figure, save, thinned

    made, axes = figure(3)
    t = a["tick"] / rate
    force = [np.linalg.norm(rows["wrench_sent"][:, :3], axis=1) for rows in (a, b)]
    for values, name in zip(force, ("recorded", "now"), strict=True):
        axes[0].plot(*thinned(t, values), lw=0.8, label=name)
    axes[1].plot(*thinned(t, np.linalg.norm(b["wrench_sent"][:, :3] - a["wrench_sent"][:, :3], axis=1)), lw=0.8)
    axes[2].plot(*thinned(t, b["woke_after"] / 1e3), lw=0.6)
    for axis, label in zip(axes, ("force, N", "difference, N", "woke late, us"), strict=True):
        axis.set_ylabel(label)
    axes[0].legend(loc="upper right", fontsize=7, ncols=2)
    axes[2].set_xlabel("s")
    save(made, path)
