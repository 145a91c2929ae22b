"""Bytes of a log on their way to the disk: in order, whatever the disk does; nothing here ever raises for a full disk.

The recorder's LogWriter writes into a Sink. What the disk does not take at once stays pending and is tried again, so
the file is at every moment a beginning of the whole log, and goes on being one when there is room again. While bytes
are pending the recorder makes no new ones (`stuck`): memory is bounded by what one flush holds.
"""

from __future__ import annotations

import os
from pathlib import Path

from hapticd.errors import LogError


class Sink:
    """The file as the writer's stream: write, tell, flush."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Exclusive: a recording is never written over.
            self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise LogError(f"{path}: cannot be created: {error.strerror}") from error
        self.position = 0
        self.error: OSError | None = None  # the last one, while stuck
        self._pending = bytearray()

    @property
    def stuck(self) -> bool:
        return self.error is not None

    def write(self, data: bytes) -> int:
        self._pending += data
        self.position += len(data)
        return len(data)

    def tell(self) -> int:
        return self.position

    def flush(self) -> None:
        """MCAP's writer calls it; the recorder decides with `drain` when the disk is asked."""

    def drain(self, sync: bool = True) -> bool:
        """Everything pending into the file, and onto the disk; False when some is left."""
        try:
            while self._pending:
                # In pieces: a disk that fills up takes what fits, and the rest is tried again.
                count = os.write(self.file, memoryview(self._pending)[: 1 << 20])
                del self._pending[:count]
            if sync:
                os.fdatasync(self.file)
        except OSError as error:
            self.error = error
            return False
        self.error = None
        return True

    def close(self) -> None:
        os.close(self.file)
