"""A bar on stderr for what takes longer than a second; nothing for what does not, or when nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from hapticd.logfile import LogReader, Message

PATIENCE = 1.0  # s


class Shown:
    """Follows a number up to `total`; use as a context."""

    def __init__(self, what: str, total: float) -> None:
        columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task(what, total=total)
        self.start = time.monotonic() if sys.stderr.isatty() else float("inf")
        self.visible = False

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *error: object) -> None:
        if self.visible:
            self.bar.stop()

    def at(self, done: float) -> None:
        if not self.visible and time.monotonic() - self.start > PATIENCE:
            self.visible = True
            self.bar.start()
        if self.visible:
            self.bar.update(self.task, completed=done)


def shown_chunks(reader: LogReader, what: str, skip_damage: bool = False) -> Iterator[list[Message]]:
    """The chunks of a log, with a bar over its bytes."""
    with Shown(f"{what} {reader.path.name}", reader.size) as shown:
        for chunk in reader.chunks(skip_damage):
            yield chunk
            shown.at(reader.position)
