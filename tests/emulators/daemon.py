"""A daemon without a servo: ring writer, publisher and command service, each in a process of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hapticd.commands import CommandService, run_commands
from hapticd.config import Sockets
from hapticd.publisher import run_publisher
from hapticd.ring import Ring
from tests.emulators.ring_writer import make_ring, running


@contextmanager
def forked(work: Callable[[], None]) -> Iterator[int]:
    """A process that does this work until the end; its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            work()
        finally:
            os._exit(1)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@contextmanager
def daemon(folder: Path, sockets: Sockets | None = None) -> Iterator[Ring]:
    """All of it in this folder; the ring, to look into."""
    sockets = sockets or Sockets(state=())
    path = folder / "ring"
    ring = make_ring(path)

    def commands() -> None:
        service = CommandService(Ring.attach(path, writable=True), sockets, folder)
        run_commands(service, lambda: False)

    with ExitStack() as stack:
        stack.enter_context(running(ring))
        stack.enter_context(forked(lambda: run_publisher(path, sockets, folder, lambda: False)))
        stack.enter_context(forked(commands))
        yield ring
