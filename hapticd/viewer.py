"""The browser view: an ordinary client of the daemon that shows states in a page on this machine.

    daemon ─► Client ─► stage (3-D) and panel (figures) ─► viser ─► browser        about 60 times a second
                              browser ─► stop; with the token also orders ─► Client ─► daemon

Its own process: nothing here can slow the servo, and the view outlives the daemon.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hapticd.client import Client, Silence
from hapticd.state import Scene
from hapticd.view.desk import Desk
from hapticd.view.panel import FIGURES_PERIOD, Panel
from hapticd.view.server import Server, open_server
from hapticd.view.stage import Stage

FRAME = 1.0 / 62.0  # s; states come at 60 Hz, and after a delay the view catches up with them
EARLY = 0.5 * FRAME  # s that one frame may come before its time, so that a state is shown when it comes
SILENCE = 1.0  # s without a state until the panel says so
TIMING_AGE = 1.0  # s


class Viewer:
    """Stage, panel and desk around one client."""

    def __init__(self, connect: Callable[[], Client], port: int, token: str | None = None) -> None:
        self.client = connect()
        self.server: Server = open_server(port)
        self.stage = Stage(self.server)
        self.desk = Desk(connect, token)
        self.panel = Panel(self.server, self.desk, token is not None)
        self.frame_due = self.figures_due = 0.0
        self.shown: Scene | None = None
        self.timing_shown: object = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.get_port()}"

    def serve(self, stopped: Callable[[], bool]) -> None:
        """Until told to stop."""
        while not stopped():
            time.sleep(max(self.frame_due - EARLY - time.monotonic(), 0.0))
            self.turn()

    def turn(self) -> None:
        """One frame: the newest state, or the news that there is none."""
        try:
            state = self.client.state(timeout=SILENCE)
        except Silence as error:
            self.panel.silent(str(error))
            return
        # On average no more than 62 a second, however fast the states come; after a pause, from now on.
        self.frame_due = max(self.frame_due, time.monotonic()) + FRAME
        scene = self.client.scene
        if scene is not None and scene is not self.shown and len(scene.bodies) == len(state.body):
            self.stage.set_scene(scene, state)
            self.shown = scene
        if self.shown is not None and self.shown.generation == state.generation:
            self.stage.show(state)
        now = time.monotonic()
        if now >= self.figures_due:
            self.figures_due = now + FIGURES_PERIOD
            self.panel.show(state, scene, self.client.timing)
        if self.client.timing and self.client.timing is not self.timing_shown:
            self.timing_shown = self.client.timing
            self.panel.show_timing(self.client.timing)

    def close(self) -> None:
        self.server.stop()
        self.desk.close()
        self.client.close()
