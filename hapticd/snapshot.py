"""Snapshots: the whole state between two ticks, copied aside by the servo for readers that must not see it in motion.

    servo      every n ticks, after the tick: Snapshots.write(tick, pieces)     two memory copies in turn, no allocation
    recorder   Snapshots.read(after): hashes every one, keeps one every few seconds in the log

What is copied are pieces: the subtree `live` (State, Safety, driver) and the parts of the model that commands change.
Their bytes lie end to end in one of two buffers, so a reader has n ticks' time for one while the other is written; a
mark before and after tells a torn copy, as in ring.py. The bytes are hashed as they are: equal hashes, equal futures.
`restore` puts a snapshot back into pieces of the same sizes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.errors import LogError

HASH_SIZE = 16  # bytes
MARK, TICK = 0, 1  # cells of a buffer's mark row
MARK_CELLS = 8

Bytes = NDArray[np.uint8]


def snapshot_templates(size: int) -> dict[str, Any]:
    """For the ring's areas: {"snapshot": snapshot_templates(total size of the pieces)}."""
    return {"mark": np.zeros((2, MARK_CELLS), np.int64), "data": np.zeros((2, size), np.uint8)}


class Snapshots:
    """Both sides of the two buffers."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.mark: NDArray[np.int64] = tree["mark"]
        self.data: Bytes = tree["data"]
        self.written = int(self.mark[:, MARK].max()) // 2

    def write(self, tick: int, pieces: Sequence[Bytes]) -> None:
        """The state after `tick`; the servo's side."""
        i = self.written % 2
        mark, data, start = self.mark[i], self.data[i], 0
        mark[MARK] = 2 * self.written + 1
        mark[TICK] = tick
        for piece in pieces:
            data[start : start + len(piece)] = piece
            start += len(piece)
        self.written += 1
        mark[MARK] = 2 * self.written

    def read(self, after: int) -> tuple[int, bytes] | None:
        """The oldest whole snapshot of a tick later than `after`, and its bytes; None when there is none yet."""
        whole = [
            (int(row[TICK]), int(row[MARK]), i) for i, row in enumerate(self.mark) if row[MARK] and not row[MARK] & 1
        ]
        for tick, mark, i in sorted(found for found in whole if found[0] > after):
            data = self.data[i].tobytes()
            if self.mark[i, MARK] == mark and self.mark[i, TICK] == tick:
                return tick, data
        return None


def digest(data: bytes) -> bytes:
    """Of all bits of a snapshot."""
    return hashlib.blake2b(data, digest_size=HASH_SIZE).digest()


def gathered(pieces: Sequence[Bytes]) -> bytes:
    """The pieces as one snapshot, for those who have the state to themselves."""
    return b"".join(piece.tobytes() for piece in pieces)


def restore(data: bytes, pieces: Sequence[Bytes]) -> None:
    """Put a snapshot back; nothing is changed when the sizes differ."""
    if len(data) != sum(len(piece) for piece in pieces):
        raise LogError(f"a snapshot of {len(data)} bytes does not fit a state of {sum(map(len, pieces))}")
    start = 0
    for piece in pieces:
        piece[:] = np.frombuffer(data, np.uint8, len(piece), start)
        start += len(piece)
