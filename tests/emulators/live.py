"""The real daemon on the simulated device, and the view beside it, started as a user would."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HAPTICD = [sys.executable, "-c", "from hapticd.cli import main; main()"]
PATIENCE = 300.0  # s; the first start compiles the kernels

# For the hand of the demo: a pillar that it leans on for three of its twenty seconds; a wheel turns beside it.
TOUCH = """
[material.wood]
stiffness = 1000
damping = 2

[[body]]
name = "pillar"
kind = "static"
material = "wood"
shape = { type = "box", size = [0.06, 0.06, 0.08] }
position = [0.08, 0, 0.035]
colour = [0.75, 0.78, 0.82]

[[body]]
name = "wheel"
kind = "kinematic"
material = "wood"
shape = { type = "box", size = [0.06, 0.02, 0.02] }
position = [0.0, 0.12, 0.03]
script = { type = "spin", axis = [0, 1, 0], rate = 2.0 }
colour = [0.1, 0.3, 0.9]

[[body]]
name = "pointer"
kind = "pointer"
material = "wood"
shape = { type = "box", size = [0.03, 0.03, 0.03] }
position = [0, 0, 0.15]
colour = [0.2, 0.75, 0.35]
"""


@contextmanager
def started(
    *arguments: str | Path, log: Path, program: Sequence[str | Path] = HAPTICD, **variables: str
) -> Iterator[subprocess.Popen[bytes]]:
    """`hapticd ARGUMENTS`, ended by SIGTERM; what it says goes to a file."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*map(str, program), *map(str, arguments)],
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **variables},
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def said(log: Path, words: str, process: subprocess.Popen[bytes]) -> str:
    """The first line with these words, as soon as it is there."""
    end = time.monotonic() + PATIENCE
    while True:
        found = [line for line in log.read_text(errors="replace").splitlines() if words in line]
        if found:
            return found[0]
        assert process.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-2000:]
        time.sleep(0.05)


@contextmanager
def live_daemon(folder: Path, config: str) -> Iterator[Path]:
    """The daemon with this config; the folder of its sockets."""
    path, sockets, log = folder / "run.toml", folder / "run", folder / "daemon.log"
    path.write_text(config)
    with started("run", path, "--folder", sockets, log=log) as process:
        await_sockets(sockets, log, process)
        yield sockets


class Demo(NamedTuple):
    """A running `./tools/run`."""

    process: subprocess.Popen[bytes]
    url: str
    sockets: Path
    log: Path


@contextmanager
def tools_run(folder: Path) -> Iterator[Demo]:
    """The demo and its view as one command starts them, on a port and in a folder of their own.

    One at a time: every demo publishes on the same TCP port of this machine, and a second one could not.
    """
    log, sockets = folder / "run.log", folder / "hapticd"
    variables = {"XDG_RUNTIME_DIR": str(folder), "HAPTICD_PORT": "0"}
    lock = Path(tempfile.gettempdir()) / f"hapticd-demo-{os.geteuid()}.lock"
    with contextlib.ExitStack() as stack:
        fcntl.flock(stack.enter_context(lock.open("w")), fcntl.LOCK_EX)
        process = stack.enter_context(started(log=log, program=[ROOT / "tools" / "run"], **variables))
        url = said(log, "view: http://", process).split()[1]
        await_sockets(sockets, log, process)
        yield Demo(process, url, sockets, log)


def await_sockets(sockets: Path, log: Path, process: subprocess.Popen[bytes]) -> None:
    """Until somebody may connect."""
    end = time.monotonic() + PATIENCE
    while not (sockets / "command.ipc").exists():
        assert process.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-2000:]
        time.sleep(0.05)


def session(pid: int) -> list[int]:
    """The living processes of a session, which a program started by `started` leads."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            status, _, _, its = path.read_text().rpartition(")")[2].split()[:4]
            if int(its) == pid and status != "Z":
                found.append(int(path.parent.name))
    return found
