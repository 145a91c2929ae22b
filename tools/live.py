"""A running daemon for the benchmarks: `hapticd run` in a folder of its own, watched through its ring.

with Daemon(config) as daemon:
    daemon.until_active()                 # s since it was started
    times = daemon.watch(10.0)            # (n, TIME_SIZE) ns of every tick
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from hapticd.areas import Live
from hapticd.kernel.guard.layout import WORD_CAUSE, WORD_MODE
from hapticd.kernel.guard.states import ACTIVE, CAUSE_NONE, CAUSE_START, FAULT
from hapticd.ring import Ring
from hapticd.words import CAUSES

ROOT = Path(__file__).resolve().parents[1]
COMMAND = Path(sys.executable).with_name("hapticd")
POLL = 0.005  # s
LONGEST = 300.0  # s, for a first start that compiles on a busy machine
READ_EVERY = 0.5  # s; the ring holds 2.5


class Daemon:
    """`hapticd run`, started on entering and stopped by SIGTERM on leaving."""

    def __init__(self, config: str, environment: Mapping[str, str] | None = None) -> None:
        """`config`: the text of a run config; its scene's path relative to configs/."""
        # In memory, as by default: a disk that writes pages of the ring back would cost the servo page faults.
        self._temporary = tempfile.TemporaryDirectory(prefix="hapticd-bench-", dir="/dev/shm")
        self.folder = Path(self._temporary.name)
        self.folder.chmod(0o700)
        self.config = self.folder / "run.toml"
        self.config.write_text(config.replace('"scene/', f'"{ROOT}/configs/scene/'))
        self.environment = {**os.environ, **(environment or {})}
        self.log = self.folder / "stderr.txt"
        self.left: float | None = None  # s that it took to leave

    def __enter__(self) -> Daemon:
        command = [COMMAND, "run", self.config, "--folder", self.folder / "run", "--allow-non-rt"]
        self.started = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.left = time.monotonic() - start
        self._temporary.cleanup()

    def until_active(self) -> float:
        """Wait for the first ACTIVE tick; s since the process was started."""
        path = self.folder / "run" / "ring"
        while time.monotonic() - self.started < LONGEST:
            if self.process.poll() is not None:
                raise RuntimeError(f"hapticd run ended: {self.log.read_text()[-500:]}")
            with contextlib.suppress(Exception):  # not there yet, or half made
                self.ring = Ring.attach(path)
                break
            time.sleep(POLL)
        word = Live(self.ring.memory).safety.word
        while word[WORD_MODE] != ACTIVE:
            if word[WORD_MODE] == FAULT and word[WORD_CAUSE] not in (CAUSE_NONE, CAUSE_START):
                raise RuntimeError(f"hapticd run fell into FAULT by {CAUSES[int(word[WORD_CAUSE])]}")
            if time.monotonic() - self.started > LONGEST or self.process.poll() is not None:
                raise RuntimeError(f"hapticd run is not ACTIVE: {self.log.read_text()[-500:]}")
            time.sleep(POLL)
        return time.monotonic() - self.started

    def watch(self, seconds: float) -> npt.NDArray[np.int64]:
        """The times of all ticks from now on, for so long."""
        found, end, tick = [], time.monotonic() + seconds, self.ring.newest() + 1
        while (left := end - time.monotonic()) > 0.0:
            time.sleep(min(READ_EVERY, left))
            ticks = np.arange(tick, self.ring.newest() + 1)
            # The ring is far from lapping us, so the rows are whole: only the times are copied, not the slots.
            found.append(self.ring.slots["time"][ticks % self.ring.count])
            tick += len(ticks)
        return np.concatenate(found)

    def pids(self) -> dict[str, int]:
        status = json.loads((self.folder / "run" / "status.json").read_text())
        return {"supervisor": status["pid"], "servo": status["servo"], **status["services"]}

    def memory(self) -> dict[str, float]:
        """Proportional set size of each process, MB."""
        return {name: _pss(pid) for name, pid in self.pids().items()}

    def cpu(self, name: str) -> float:
        """s of CPU time that a process has had."""
        fields = Path(f"/proc/{self.pids()[name]}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0
