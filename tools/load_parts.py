"""What the load table puts on a daemon: subscribers, commands, stress-ng; each a context that ends what it began."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import zmq

from hapticd.kernel.guard import layout as g
from hapticd.sockets import ipc
from hapticd.timing import summary
from hapticd.wire import STATE, Request, encode_request

RUN = """
scene = {scene}
[device]
driver = "virtual"
arm_on_start = true
[loop]
rate_hz = 1000
cpu = {core}
overrun_limit = 1000  # here late ticks are counted, not answered
gap_fault_ms = 1000
[sockets]
state = []
publish_hz = {publish}
"""
BLOCKS = """{{ material = {{ default = {{ stiffness = 2e4, damping = 60 }} }}, body = [
{{ name = "floor", kind = "static", shape = {{ type = "box", size = [90, 90, 2] }}, position = [0, 0, -1] }},
{{ name = "pointer", kind = "pointer", shape = {{ type = "box", size = [0.05, 0.05, 0.05] }}, position = [0, 9, 9] }},
{blocks}] }}"""
BLOCK = '{{ name = "block{i}", mass = 1, shape = {{ type = "box", size = [1, 1, 1] }}, position = [{x}, {y}, 0.5] }}'
PERIOD_NS = 1_000_000
CORE = max(os.sched_getaffinity(0))


def run_config(scene: str | int = "six_blocks", publish: int = 60, record: Path | None = None) -> str:
    """The text of a run config: a scene of configs/scene, or so many blocks side by side."""
    table = side_by_side(scene) if isinstance(scene, int) else f'"scene/{scene}.toml"'
    text = RUN.format(scene=table, core=CORE, publish=publish) + "[capacity]\nbodies = 256\n"
    return text + (f'[record]\nfolder = "{record}"\n' if record else "")


def side_by_side(count: int) -> str:
    """Bodies to publish; in a pyramid of 200 their contacts would fill most of a tick, and that is another question."""
    blocks = [BLOCK.format(i=i, x=1.5 * (i % 15 - 7), y=1.5 * (i // 15 - 7)) for i in range(count)]
    return BLOCKS.format(blocks=", ".join(blocks)).replace("\n", " ")


class Client:
    """Sockets and the thread that works them; `with` starts and ends it."""

    def __init__(self) -> None:
        self._context, self._ended = zmq.Context(), False
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended = True
        self._thread.join()
        self._context.destroy(linger=0)

    def _work(self) -> None:
        """Until `_ended`."""
        raise NotImplementedError


class Subscribers(Client):
    """So many SUB sockets in one thread; `deaf` of them never read."""

    def __init__(self, folder: Path, count: int, deaf: int = 0) -> None:
        super().__init__()
        self.seen = 0  # states that came, over all
        self._sockets = [self._context.socket(zmq.SUB) for _ in range(count)]
        for socket in self._sockets:
            socket.setsockopt(zmq.RCVHWM, 4)
            socket.subscribe(STATE)
            socket.connect(ipc(folder, "state"))
        self._reading = self._sockets[deaf:]

    def _work(self) -> None:
        poller = zmq.Poller()
        for socket in self._reading:
            poller.register(socket, zmq.POLLIN)
        while not self._ended:
            if not self._reading:
                time.sleep(0.05)
            for socket, _ in poller.poll(50):
                with contextlib.suppress(zmq.Again):
                    socket.recv(zmq.NOBLOCK)
                    self.seen += 1


class Commands(Client):
    """A client that sends so many requests a second, one in a hundred of them malformed."""

    def __init__(self, folder: Path, rate: int) -> None:
        super().__init__()
        self.rate, self.sent, self.answered = rate, 0, 0
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.connect(ipc(folder, "command"))

    def _work(self) -> None:
        start = time.monotonic()
        while not self._ended:
            due = int((time.monotonic() - start) * self.rate)
            while self.sent < due:
                request = b"\xc1" if self.sent % 100 == 0 else encode_request(Request(self.sent, "status", {}))
                with contextlib.suppress(zmq.Again):
                    self._socket.send(request, zmq.NOBLOCK)
                self.sent += 1
                with contextlib.suppress(zmq.Again):
                    self._socket.recv(zmq.NOBLOCK)
                    self.answered += 1
            time.sleep(0.001)


@contextlib.contextmanager
def stress(arguments: str) -> Iterator[None]:
    """stress-ng with these arguments; CORE in them is the servo's core."""
    tool = shutil.which("stress-ng")
    if tool is None:
        raise RuntimeError("no stress-ng; apt-get install stress-ng")
    process = subprocess.Popen(
        [tool, "--quiet", *arguments.replace("CORE", str(CORE)).split()], stdout=subprocess.DEVNULL
    )
    time.sleep(0.3)  # it forks its workers
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def wake(times: npt.NDArray[np.int64]) -> dict[str, float]:
    """Percentiles of lateness, us."""
    found: dict[str, float] = summary(times)["wake_us"]
    return found


def gaps(times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Periods that were skipped before each tick."""
    skipped = np.rint(np.diff(times[:, g.TIME_DUE], prepend=times[0, g.TIME_DUE] - PERIOD_NS) / PERIOD_NS) - 1
    return skipped.astype(np.int64)
