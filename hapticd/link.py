"""How the servo moves a device's bytes: a descriptor, a mailbox to an I/O process, or a call.

One interface: `read` gives the bytes that have come since the last tick, `write` sends one frame; neither waits. One
that does not fit into the line any more is left out and counted. OSError means that the device is gone.
"""

from __future__ import annotations

import io
import os
import stat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hapticd.device import Bytes, Device, Transport


class Link(Protocol):
    """What the loop needs of a transport."""

    dropped: int  # frames that did not go out

    def read(self, raw: Bytes) -> int: ...

    def write(self, frame: Bytes, count: int) -> None: ...


class StreamLink:
    """A non-blocking descriptor: serial line, pty or socket."""

    def __init__(self, descriptor: int) -> None:
        self.dropped = 0
        self._file = io.FileIO(descriptor, "r+", closefd=False)
        # A terminal with VMIN 0 reads nothing as 0 bytes; anywhere else 0 bytes mean that the other end has closed.
        self._ends = not stat.S_ISCHR(os.fstat(descriptor).st_mode)
        self._rest = b""

    def read(self, raw: Bytes) -> int:
        count = self._file.readinto(raw.data)
        if count == 0 and self._ends:
            raise OSError("the other end has closed")
        return count or 0

    def write(self, frame: Bytes, count: int) -> None:
        if self._rest:  # end the frame that is half out before anything new: the device would lose its place
            sent = self._file.write(self._rest) or 0
            self._rest = self._rest[sent:]
            if self._rest:
                self.dropped += 1
                return
        sent = self._file.write(frame.data[:count]) or 0
        if sent == 0:
            self.dropped += 1
        elif sent < count:
            self._rest = frame[sent:count].tobytes()


class CallLink:
    """A device without transport: `exchange` is called at the next read with the frame of the last write."""

    def __init__(self, device: Device) -> None:
        self.dropped = 0
        self._device = device
        self._frame = np.zeros(device.capabilities.output_size, np.uint8)
        self._count = 0

    def read(self, raw: Bytes) -> int:
        return self._device.exchange(self._frame, self._count, raw)

    def write(self, frame: Bytes, count: int) -> None:
        self._frame[:count] = frame[:count]
        self._count = count


MAIL_SEQUENCE, MAIL_COUNT = 0, 1  # words of a box; the sequence is odd while the box is written


def mail_templates(device: Device) -> dict[str, NDArray[Any]]:
    """Shared memory of the two boxes: the newest input of the device, the newest frame for it."""
    return {
        "mail_in": np.zeros(2, np.int64),
        "mail_in_bytes": np.zeros(device.capabilities.input_size, np.uint8),
        "mail_out": np.zeros(2, np.int64),
        "mail_out_bytes": np.zeros(device.capabilities.output_size, np.uint8),
    }


class Box:
    """The newest of something: one writer, one reader, neither waits. The reader gets each content once."""

    def __init__(self, words: NDArray[np.int64], content: Bytes) -> None:
        self._words = words
        self._content = content
        self._seen = int(words[MAIL_SEQUENCE])

    def put(self, data: Bytes, count: int) -> None:
        words = self._words
        words[MAIL_SEQUENCE] += 1
        self._content[:count] = data[:count]
        words[MAIL_COUNT] = count
        words[MAIL_SEQUENCE] += 1

    def take(self, out: Bytes) -> int:
        """Bytes of a content that is new; 0 for none, or when it is being written right now: it comes next time."""
        words = self._words
        before = int(words[MAIL_SEQUENCE])
        if before == self._seen or before & 1:
            return 0
        count = int(words[MAIL_COUNT])
        out[:count] = self._content[:count]
        if int(words[MAIL_SEQUENCE]) != before:
            return 0
        self._seen = before
        return count


class MailLink:
    """The servo's end of the mailbox to the I/O process of a device whose calls block."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.dropped = 0
        self._in = Box(tree["mail_in"], tree["mail_in_bytes"])
        self._out = Box(tree["mail_out"], tree["mail_out_bytes"])

    def read(self, raw: Bytes) -> int:
        return self._in.take(raw)

    def write(self, frame: Bytes, count: int) -> None:
        self._out.put(frame, count)


def make_link(device: Device, descriptor: int, tree: dict[str, Any]) -> Link:
    """The link that a device's transport asks for; `tree` holds the mailbox where there is one."""
    if device.capabilities.transport is Transport.STREAM:
        return StreamLink(descriptor)
    if device.capabilities.transport is Transport.BLOCKING:
        return MailLink(tree)
    return CallLink(device)
