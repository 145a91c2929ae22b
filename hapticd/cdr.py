"""Numpy records as CDR messages: the bytes of an aligned record behind four bytes are what ROS 2 readers expect.

    | 00 01 00 00 | head: an aligned little-endian record | count u4 | padding | count elements of the tail |

CDR aligns every number to its own size, counted from the first byte after the four; a C compiler, and numpy with
align=True, does the same within a record. So nothing is serialised: `pack` copies bytes, `unpack` looks at them. A
record may end in one tail of varying length, which is a CDR sequence (of `S1`: a string). `Layout` refuses a dtype
whose C layout and CDR layout differ. `Layout.schema` is the description in ros2msg, the text that ROS, Foxglove,
PlotJuggler and rerun read. Used by logfile.py; source: OMG DDSI-RTPS 10.2, XCDR version 1.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.errors import LogError

HEADER = b"\x00\x01\x00\x00"  # CDR, little-endian, no options
PACKAGE = "hapticd"
RULE = "=" * 80  # what separates the types of a ros2msg text

KINDS = {
    "i1": "int8",
    "u1": "uint8",
    "i2": "int16",
    "u2": "uint16",
    "i4": "int32",
    "u4": "uint32",
    "i8": "int64",
    "u8": "uint64",
    "f4": "float32",
    "f8": "float64",
}
_COUNT = struct.Struct("<I")


@dataclass(frozen=True)
class Tail:
    """What follows the head: `count` elements; `type_name` names a record's type in the schema."""

    name: str
    dtype: np.dtype[Any]
    type_name: str = ""

    @property
    def is_text(self) -> bool:
        return self.dtype == np.dtype("S1")


class Layout:
    """How one kind of message lies in its bytes, and its schema."""

    def __init__(self, name: str, head: np.dtype[Any], tail: Tail | None = None) -> None:
        self.name = f"{PACKAGE}/msg/{name}"
        self.head = head
        self.tail = tail
        end = _checked_end(head, 0, name)
        # The record's own end may be padded; CDR's is not. A tail's count is a u4.
        self.head_end = end if tail is None else -(-end // 4) * 4
        self.size = len(HEADER) + self.head_end
        self._tail_align = 1 if tail is None else _checked_tail(tail)
        self.row = np.dtype({"names": ["head"], "formats": [head], "offsets": [4], "itemsize": 4 + head.itemsize})

    @property
    def schema(self) -> str:
        lines, nested = _fields(self.head)
        if self.tail is not None and self.tail.is_text:
            lines.append(f"string {self.tail.name}")
        elif self.tail is not None:
            kind = self.tail.type_name or KINDS[self.tail.dtype.str[1:]]
            lines.append(f"{kind}[] {self.tail.name}")
            if self.tail.type_name:
                nested.append(f"{RULE}\nMSG: {PACKAGE}/{kind}\n" + "\n".join(_fields(self.tail.dtype)[0]))
        return "\n".join([*lines, *nested]) + "\n"

    def pack(self, heads: NDArray[Any]) -> list[bytes]:
        """One message per record, of a kind without tail."""
        rows = np.zeros((len(heads), 4 + self.head.itemsize), np.uint8)
        rows[:, :4] = np.frombuffer(HEADER, np.uint8)
        rows[:, 4:] = np.ascontiguousarray(heads).view(np.uint8).reshape(len(heads), -1)
        whole, step = rows[:, : self.size].tobytes(), self.size
        return [whole[i : i + step] for i in range(0, len(whole), step)]

    def pack_bytes(self, heads: NDArray[Any], tails: list[bytes]) -> list[bytes]:
        """One message per record, each with its own bytes as the tail: the quick way for what comes every tick."""
        whole, step = np.ascontiguousarray(heads).tobytes(), self.head.itemsize
        assert step == self.head_end and self._tail_align == 1
        starts = range(0, len(whole), step)
        return [
            HEADER + whole[i : i + step] + _COUNT.pack(len(tail)) + tail for i, tail in zip(starts, tails, strict=True)
        ]

    def pack_with(self, head: NDArray[Any], tail: NDArray[Any] | bytes) -> bytes:
        """One message with its tail; a text is given as bytes without its final zero."""
        assert self.tail is not None
        start = HEADER + head.tobytes()[: self.head_end].ljust(self.head_end, b"\0")
        if isinstance(tail, bytes) and self.tail.is_text:
            return start + _COUNT.pack(len(tail) + 1) + tail + b"\0"
        data = tail if isinstance(tail, bytes) else np.ascontiguousarray(tail, self.tail.dtype).tobytes()
        count = len(data) // self.tail.dtype.itemsize
        return start + _COUNT.pack(count) + b"\0" * self._padding() + data

    def unpack(self, messages: list[bytes]) -> NDArray[Any]:
        """The heads of messages of this kind. LogError when one is of another size."""
        if any(len(m) != self.size if self.tail is None else len(m) < self.size + 4 for m in messages):
            raise LogError(f"a message of {self.name} does not have the size of its schema")
        pad = 4 + self.head.itemsize
        whole = b"".join(m[: self.size].ljust(pad, b"\0") for m in messages)
        rows: NDArray[Any] = np.frombuffer(whole, self.row)["head"]
        return rows

    def unpack_tail(self, message: bytes) -> NDArray[Any]:
        """The elements behind the head (of a text: its bytes, one by one)."""
        assert self.tail is not None
        (count,) = _COUNT.unpack_from(message, self.size)
        start = self.size + 4 + self._padding()
        if start + count * self.tail.dtype.itemsize > len(message) and count:
            raise LogError(f"a message of {self.name} is shorter than its {self.tail.name} says")
        return np.frombuffer(message, self.tail.dtype, count - self.tail.is_text, start if count else 0)

    def tail_bytes(self, message: bytes) -> bytes:
        """The bytes behind the head, of a tail of bytes: the quick way for what comes every tick."""
        start = self.size + 4
        if _COUNT.unpack_from(message, self.size)[0] != len(message) - start:
            raise LogError(f"a message of {self.name} does not have the size that it says")
        return message[start:]

    def text(self, message: bytes) -> str:
        return self.unpack_tail(message).tobytes().decode("utf-8", "replace")

    def _padding(self) -> int:
        return -(self.head_end + 4) % self._tail_align


def _fields(dtype: np.dtype[Any]) -> tuple[list[str], list[str]]:
    """The lines of a record's own fields; nested records are not needed so far."""
    lines = []
    for name in dtype.names or ():
        kind = KINDS[dtype[name].base.str[1:]]
        count = int(np.prod(dtype[name].shape, dtype=np.int64))
        lines.append(f"{kind}[{count}] {name}" if dtype[name].shape else f"{kind} {name}")
    return lines, []


def _checked_end(dtype: np.dtype[Any], start: int, name: str) -> int:
    """Where the last field of a record ends in CDR; refuses a record that lies otherwise in memory."""
    if not dtype.names:
        raise LogError(f"{name}: {dtype} is not a record")
    end = start
    for field in dtype.names:
        base, offset = dtype[field].base, dtype.fields[field][1]  # type: ignore[index]
        if base.str[1:] not in KINDS or base.str[0] not in "<|":
            raise LogError(f"{name}.{field}: {base} has no place in a message; allowed are {', '.join(KINDS)}")
        end += -end % base.itemsize
        if end != start + offset:
            raise LogError(f"{name}.{field} lies at {offset}, in CDR at {end - start}: make the dtype with align=True")
        end += dtype[field].itemsize
    return end


def _checked_tail(tail: Tail) -> int:
    if tail.dtype.names:
        # Element after element without gaps: the size must be whole in its own alignment.
        end = _checked_end(tail.dtype, 0, tail.name)
        align = max(tail.dtype[field].base.itemsize for field in tail.dtype.names)
        first = tail.dtype[tail.dtype.names[0]].base.itemsize
        if end != tail.dtype.itemsize or end % align or first != align:
            raise LogError(f"{tail.name}: elements of {tail.dtype} would not follow each other as CDR wants")
        return align
    return tail.dtype.itemsize
