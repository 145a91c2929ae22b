"""Commands from the browser: the stop for everyone, the rest for those who know the token.

Buttons are pressed in viser's own threads; each of the two clients here has a lock, and the stop has one for itself, so
that it never waits behind a scene that is being built.
"""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Callable
from typing import Any

from hapticd.client import Client
from hapticd.errors import HapticdError

WRONG_PAUSE = 1.0  # s that a wrong token costs everybody who tries


class Desk:
    """Sends commands and says what became of them, in words for a panel."""

    def __init__(self, connect: Callable[[], Client], token: str | None) -> None:
        self._stop, self._control = connect(), connect()
        self._stop_lock, self._control_lock = threading.Lock(), threading.Lock()
        self._token = token
        self._token_lock, self._closed_until = threading.Lock(), 0.0

    def stop(self) -> str:
        with self._stop_lock:
            return _said("stop", lambda: self._stop.stop(timeout=2.0))

    def command(self, name: str, /, timeout: float = 5.0, **args: Any) -> str:
        with self._control_lock:
            return _said(name, lambda: self._control.command(name, timeout, **args))

    def scenes(self) -> list[str]:
        """Those that can be loaded by name."""
        with self._control_lock:
            try:
                return list(self._control.status().get("scenes", []))
            except HapticdError:
                return []

    def knows(self, token: str) -> bool:
        """Whether this is the token; after a wrong one nobody is right for a second."""
        with self._token_lock:
            now = time.monotonic()
            if self._token is None or now < self._closed_until:
                return False
            right = hmac.compare_digest(token.encode(), self._token.encode())
            self._closed_until = 0.0 if right else now + WRONG_PAUSE
            return right

    def close(self) -> None:
        self._stop.close()
        self._control.close()


def _said(name: str, ask: Callable[[], Any]) -> str:
    try:
        reply = ask()
    except HapticdError as error:
        return str(error)
    return f"{name}: done at tick {reply.tick}"
