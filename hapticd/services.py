"""The services beside the servo as the supervisor starts them: publisher and command service, each a process.

Each function here is such a process's whole life: it attaches to the ring by its path, serves, and returns when SIGTERM
has come. They share nothing with the supervisor but the ring.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

from hapticd.config import Sockets
from hapticd.scenes import Builder
from hapticd.supervisor import Service


def stream_services(
    ring: Path, sockets: Sockets, folder: Path, builder: Builder | None = None, scene_folder: Path | None = None
) -> tuple[Service, ...]:
    """Publisher and command service of a daemon whose ring and sockets lie here."""

    def publish() -> None:
        from hapticd.publisher import run_publisher

        run_publisher(ring, sockets, folder, until_terminated())

    def command() -> None:
        from hapticd.commands import CommandService, run_commands
        from hapticd.ring import Ring

        service = CommandService(Ring.attach(ring, writable=True), sockets, folder, builder, scene_folder)
        run_commands(service, until_terminated())

    return Service("publisher", publish), Service("commands", command)


def until_terminated() -> Callable[[], bool]:
    """A question whose answer becomes yes with SIGTERM. Ctrl-C reaches all processes: the supervisor decides."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return lambda: bool(told)
