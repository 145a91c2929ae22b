"""Compiling the kernels ahead of time, and saying what is being compiled while it happens.

numba compiles a kernel when it is first called; the result is kept on disk (`kernel/_jit.py`), so only the first run
after an installation or an edit pays. `EXERCISES` are calls that touch every kernel with the array types of real use;
whoever adds an entry kernel adds it to one of them. Commands that use kernels run inside `shown()`.
"""

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from numba.core import event
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hapticd.kernel import _jit

EXERCISES = {
    "friction laws": "hapticd.friction:warm_up",
    "a tick of the world": "hapticd.simulation:warm_up",
    "contacts of two shapes": "hapticd.geometry:warm_up",
    "a tick of the servo": "hapticd.daemon:warm_up",
    "string devices": "hapticd.drivers.spidar:warm_up",
    "the pantograph": "hapticd.drivers.hapi:warm_up",
}


def warm_up() -> tuple[int, float]:
    """Run every exercise; how many kernels had to be compiled, and the seconds it took."""
    start = time.monotonic()
    with shown() as counter:
        for home in EXERCISES.values():
            module, _, name = home.partition(":")
            getattr(importlib.import_module(module), name)()
    _jit.prune()
    return counter.done, time.monotonic() - start


class CompilationListener(event.Listener):
    """Follows numba's compilations: a kernel called by another is compiled inside the other's compilation."""

    def __init__(self, show: "Bar | Lines") -> None:
        self.show, self.done = show, 0
        self.names: list[str] = []

    def on_start(self, event: Any) -> None:
        # Pieces of numba's own library are compiled along; they are part of the kernel that asked for them.
        self.names.append(_title(event.data["dispatcher"].py_func))
        self.show.begin(self.names[-1])

    def on_end(self, event: Any) -> None:
        self.done += 1
        self.names.pop()
        self.show.end(self.done, self.names[-1] if self.names else "")


class Bar:
    """A progress bar for a terminal; it appears with the first kernel and its end moves with the kernels found."""

    def __init__(self) -> None:
        columns = (TextColumn("compiling"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.progress = Progress(
            *columns, TextColumn("{task.description}"), console=Console(stderr=True), transient=True
        )
        self.task = self.progress.add_task("", total=None)

    def begin(self, name: str) -> None:
        self.progress.start()
        self.progress.update(self.task, description=name, total=_jit.count(), refresh=True)

    def end(self, done: int, outer: str) -> None:
        self.progress.update(self.task, completed=done, description=outer, total=max(done, _jit.count()))

    def close(self) -> None:
        self.progress.stop()


class Lines:
    """One line per kernel, for a log."""

    def begin(self, name: str) -> None:
        sys.stderr.write(f"compiling {name}\n")

    def end(self, done: int, outer: str) -> None: ...

    def close(self) -> None: ...


@contextlib.contextmanager
def shown() -> Iterator[CompilationListener]:
    """While inside, compilations show on stderr; without any, nothing does."""
    show = Bar() if sys.stderr.isatty() else Lines()
    listener = CompilationListener(show)
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    try:
        yield listener
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
        show.close()


def _title(function: Any) -> str:
    """kernel/contact/clip.py: clip."""
    return f"{function.__module__.removeprefix('hapticd.').replace('.', '/')}.py: {function.__name__}"
