"""The scenes of a running daemon, seen from the command service: names in use, and the building of another one.

    Build ─► child process: parse, build, fill the idle arena ─► pipe: which arena, or why not ─► COMMAND_SCENE

A build may take seconds, use much memory or crash on bad input: none of that may hold up a stop, so it has a process of
its own with a limit of time. What it fills is the arena that the servo does not look at.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hapticd.control import ARENA
from hapticd.errors import HapticdError
from hapticd.inventory import arena_in_force
from hapticd.kernel.guard.layout import WORD_GENERATION
from hapticd.kernel.layout import GAIN_SIZE, Model
from hapticd.requests import Build, Names, Refusal
from hapticd.ring import Ring

BUILD_SECONDS = 20
REASON_MAX = 2000  # letters

# Fills an arena and says which, and the values of the COMMAND_SCENE row; runs in the child.
Builder = Callable[[Ring, Build], tuple[int, tuple[float, ...]]]


class Scenes:
    """At most one build at a time; `swapping` from the order to the servo until its answer."""

    def __init__(self, ring: Ring, builder: Builder | None, folder: Path | None = None) -> None:
        self.ring, self.builder, self.folder = ring, builder, folder
        self.swapping = False
        self.values: tuple[float, ...] = ()
        self.name = ""
        self._names = Names()
        self._seen: tuple[int, int] | None = None
        self._child: tuple[int, int, float] | None = None  # pid, pipe, until

    def names(self) -> Names:
        """Of the scene in force; read anew when it has changed."""
        newest = max(self.ring.newest(), 0) % self.ring.count
        seen = (int(self.ring.control[ARENA, 0]), int(self.ring.slots["word"][newest, WORD_GENERATION]))
        if seen != self._seen and (arena := arena_in_force(self.ring)) is not None:
            self._seen = seen
            self._read(*arena)
        return self._names

    def _read(self, model: Model, told: dict[str, Any]) -> None:
        self.name = str(told.get("name", ""))
        materials = told.get("materials", [])
        count = len(materials) + 1
        table = model.gain[: count * count].reshape(-1, GAIN_SIZE)
        self._names = Names(
            bodies={str(body.get("name", "")): i for i, body in enumerate(told.get("bodies", []))},
            materials=materials,
            loaded={divmod(i, count): tuple(row) for i, row in enumerate(table.tolist())},
        )

    def available(self) -> list[str]:
        """Scenes that can be loaded by name."""
        return sorted(path.stem for path in self.folder.glob("*.toml")) if self.folder else []

    def start(self, build: Build) -> None:
        """Begin to build in a child process."""
        if self.builder is None:
            raise Refusal("scene", "this daemon builds no scenes while it runs")
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            _build(self.ring, self.builder, build, theirs)
        os.close(theirs)
        self._child = (pid, ours, time.monotonic() + BUILD_SECONDS)

    def finished(self) -> int | None:
        """The arena that has been filled, None while the child works; a Refusal when it failed."""
        assert self._child is not None
        pid, pipe, until = self._child
        late = time.monotonic() > until
        if not late and not select.select([pipe], [], [], 0.0)[0]:
            return None
        if late:
            os.kill(pid, signal.SIGKILL)
        with os.fdopen(pipe, "rb") as file:
            raw = file.read()
        os.waitpid(pid, 0)
        self._child = None
        if late or not raw:
            raise Refusal("scene", f"the scene could not be built within {BUILD_SECONDS} s" if late else "it crashed")
        answer = json.loads(raw)
        if "error" in answer:
            raise Refusal("scene", answer["error"])
        self.values = tuple(answer["values"])
        return int(answer["arena"])

    def close(self) -> None:
        if self._child is not None:
            os.kill(self._child[0], signal.SIGKILL)
            os.waitpid(self._child[0], 0)
            os.close(self._child[1])
            self._child = None


def _build(ring: Ring, builder: Builder, build: Build, pipe: int) -> None:
    """The child's whole life. It ends by _exit: nothing of the parent's, its sockets least, may be torn down here."""
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (BUILD_SECONDS, BUILD_SECONDS))
        os.nice(5)
        try:
            arena, values = builder(ring, build)
            answer: dict[str, Any] = {"arena": arena, "values": values}
        except HapticdError as error:
            answer = {"error": str(error)[:REASON_MAX]}
        with os.fdopen(pipe, "wb") as file:
            file.write(json.dumps(answer).encode())
        code = 0
    finally:
        os._exit(code)
