"""The emulators' log: every frame with the monotonic clock and the device's own tick, one line each.

<ns> <tick> <kind> <hex>        kind: rx (command executed), tx (answer sent), note (hex is text)
"""

import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Frame:
    ns: int
    tick: int
    kind: str
    data: bytes


class FrameLog:
    """Buffered while running, so that logging costs the emulator little; flushed by `close` and every second."""

    def __init__(self, path):
        self.file = Path(path).open("w") if path else None  # noqa: SIM115 - closed by close()
        self.flushed = time.monotonic()

    def add(self, tick, kind, data):
        if self.file is None:
            return
        self.file.write(f"{time.monotonic_ns()} {tick} {kind} {data.hex()}\n")
        if time.monotonic() - self.flushed > 0.2:
            self.file.flush()
            self.flushed = time.monotonic()

    def note(self, tick, text):
        self.add(tick, "note", text.encode())

    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None


def read_log(path):
    """All whole lines of a log."""
    frames = []
    for line in Path(path).read_text().splitlines():
        parts = line.split(" ")
        if len(parts) == 4 and len(parts[3]) % 2 == 0:
            frames.append(Frame(int(parts[0]), int(parts[1]), parts[2], bytes.fromhex(parts[3])))
    return frames
