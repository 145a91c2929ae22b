"""The real daemon on the simulated device, and the view beside it, each started as a user would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HAPTICD = [sys.executable, "-c", "from hapticd.cli import main; main()"]
PATIENCE = 300.0  # s; the first start compiles the kernels

# A hand that comes down on a pillar, rests there for a while, and goes up again; a wheel turns beside it.
TOUCH = """
[device]
driver = "virtual"
arm_on_start = true
path = [[0, 0, 0, 0.03], [3, 0, 0, 0.03], [5, 0, 0, -0.03], [11, 0, 0, -0.03], [13, 0, 0, 0.03]]

[mount]
position = [0.0, 0.0, 0.1]

[loop]  # a shared machine stands still now and then: not what is tested here
overrun_limit = 1000
gap_fault_ms = 1000

[sockets]
state = []

[scene.material.wood]
stiffness = 2000
damping = 2

[[scene.body]]
name = "pillar"
kind = "static"
material = "wood"
shape = { type = "box", size = [0.06, 0.06, 0.08] }
position = [0, 0, 0.04]
colour = [0.75, 0.78, 0.82]

[[scene.body]]
name = "wheel"
kind = "kinematic"
material = "wood"
shape = { type = "box", size = [0.06, 0.02, 0.02] }
position = [-0.12, 0, 0.1]
script = { type = "spin", axis = [0, 1, 0], rate = 2.0 }
colour = [0.1, 0.3, 0.9]

[[scene.body]]
name = "pointer"
kind = "pointer"
material = "wood"
shape = { type = "box", size = [0.03, 0.03, 0.03] }
position = [0, 0, 0.15]
colour = [0.2, 0.75, 0.35]
"""


@contextmanager
def started(*arguments: str | Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`hapticd ARGUMENTS`, ended by SIGTERM; what it says goes to a file."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*HAPTICD, *map(str, arguments)], stdout=file, stderr=subprocess.STDOUT, start_new_session=True
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
def live_daemon(folder: Path, config: str = TOUCH) -> Iterator[Path]:
    """The daemon with this config; the folder of its sockets."""
    path, sockets = folder / "run.toml", folder / "run"
    path.write_text(config)
    with started("run", path, "--folder", sockets, log=folder / "daemon.log") as process:
        end = time.monotonic() + PATIENCE
        while not (sockets / "command.ipc").exists():
            assert process.poll() is None and time.monotonic() < end, (folder / "daemon.log").read_text()[-2000:]
            time.sleep(0.05)
        yield sockets
