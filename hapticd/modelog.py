"""Changes of mode as lines of the log, for whoever watches the daemon's console or its journal.

At most ten lines a second, whatever a client does to the mode; of the changes in between the last one is told, and a
FAULT before anything that followed it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

PAUSE = 0.1  # s between two lines
PLAIN = ("NONE", "START", "COMMAND", "RAMPED", "RECOVERED", "LEAVE")  # causes that are nothing to worry about

log = logging.getLogger("hapticd.servo")


class ModeLog:
    """Fed with all events (words.event_words); `tell` writes what is due."""

    def __init__(self) -> None:
        self._held: Mapping[str, Any] | None = None
        self._due = 0.0  # s

    def note(self, event: Mapping[str, Any]) -> None:
        if event["kind"] == "MODE" and (self._held is None or self._held["to"] != "FAULT" or event["to"] == "FAULT"):
            self._held = event

    def tell(self, now: float) -> None:
        if self._held is None or now < self._due:
            return
        event, self._held, self._due = self._held, None, now + PAUSE
        if event["cause"] in PLAIN:
            log.info("%s", event["to"])
        else:
            level = logging.ERROR if event["to"] == "FAULT" else logging.WARNING
            log.log(level, "%s by %s%s", event["to"], event["cause"], f": {event['help']}" if event["help"] else "")
