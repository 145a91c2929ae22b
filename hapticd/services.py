"""The services beside the servo as the supervisor starts them: publisher, commands and stop, each a process.

Each function here is such a process's whole life: it attaches to the ring by its path, serves, and returns when SIGTERM
has come. They share nothing with the supervisor but the ring.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

from hapticd.config import Sockets
from hapticd.scenes import Builder
from hapticd.supervisor import Service

STOP_PRIORITY = 10  # SCHED_FIFO, of the service that listens for an emergency stop


def stream_services(
    ring: Path, sockets: Sockets, folder: Path, builder: Builder | None = None, scene_folder: Path | None = None
) -> tuple[Service, ...]:
    """Publisher, command service and stop of a daemon whose ring and sockets lie here."""

    def publish() -> None:
        from hapticd.publisher import run_publisher

        run_publisher(ring, sockets, folder, until_terminated())

    def command() -> None:
        from hapticd.commands import CommandService, run_commands
        from hapticd.ring import Ring

        ours = Ring.attach(ring, writable=True)
        service = CommandService(ours, sockets, folder, builder, scene_folder, only="command")
        run_commands(service, until_terminated())

    def stop() -> None:
        from hapticd.commands import CommandService, run_commands
        from hapticd.ring import Ring

        # Before libzmq starts its thread, which inherits it. Below servo and supervisor, above everything ordinary: on
        # a busy machine a stop took up to 166 ms to be answered without it.
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(STOP_PRIORITY))
        service = CommandService(Ring.attach(ring, writable=True), sockets, folder, only="stop")
        run_commands(service, until_terminated())

    return Service("publisher", publish), Service("commands", command), Service("stop", stop)


def until_terminated() -> Callable[[], bool]:
    """A question whose answer becomes yes with SIGTERM. Ctrl-C reaches all processes: the supervisor decides."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return lambda: bool(told)
