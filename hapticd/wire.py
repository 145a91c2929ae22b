"""The messages on the sockets: fields, units, version; the only msgpack in the tree.

    | topic, 8 bytes, zero-padded | one msgpack map |        published: hello, state, timing, event
    | one msgpack map |                                      commands and their replies

Published by `publisher.py`, asked and answered by `commands.py`, read by `client.py`; README.md has the same page for
clients in other languages. One frame per message: CONFLATE and some bindings cannot do more. Numbers that come by the
hundred are little-endian blobs, whose columns `hello` lists; a 50-body state as nested lists would cost 60 us.

SI units, z up, quaternions x y z w, times in int64 ns of the daemon's monotonic clock. A reader refuses another
version and ignores keys that it does not know, so keys may be added without a new version. Nothing here trusts its
input: sizes, depth and the number of containers are bounded before anything is built, and every failure is a WireError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgpack
import numpy as np
from numpy.typing import NDArray

from hapticd.errors import WireError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.layout import SAMPLE_BUTTONS, SAMPLE_GRIP
from hapticd.words import CAUSES, MODES

VERSION = 1
TOPIC_SIZE = 8
HELLO, STATE, TIMING, EVENT = (name.ljust(TOPIC_SIZE, b"\0") for name in (b"hello", b"state", b"timing", b"event"))
TOPICS = (HELLO, STATE, TIMING, EVENT)

COMMAND_BYTES = 65536  # most that a command or its reply may have
PUBLISHED_BYTES = 1 << 24  # most that a client takes from its daemon
CONTAINERS = 64  # most maps and lists in a command: 64 KiB of empty maps would cost 4 MiB and 2 ms
NUMBERS = 64  # most entries of a map or list in a command

Message = dict[str, Any]


class Blob(NamedTuple):
    """Shape of one binary field: rows of columns; one row when it is not a table."""

    dtype: str
    columns: tuple[str, ...]
    rows: str  # what a row is


_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz")
_WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
BLOBS = {
    "body": Blob("<f8", _POSE, "body, in the order of scene.bodies; centre of mass, world frame"),
    "pointer": Blob("<f8", _POSE, "one: where the device holds the pointer, world frame"),
    "wrench": Blob("<f8", _WRENCH, "0 on the pointer, world; device frame: 1 wanted, 2 after limits, 3 rendered"),
    "guard": Blob("<f8", ("energy_J", "heat", "heat_torque", "gain", "damping_Ns_per_m"), "one"),
    "contact": Blob(
        "<f4",
        ("volume", "area", "depth", "nx", "ny", "nz", "cx", "cy", "cz", *_WRENCH, "unused"),
        "contact; normal from B into A, wrench on A about the centre c, world frame",
    ),
    "contact_of": Blob(
        "<i4",
        ("body_a", "body_b", "part_a", "part_b", "status", "point", "points", "unused"),
        "contact; its polygon is the rows point .. point + points of `point`",
    ),
    "point": Blob("<f4", ("x", "y", "z"), "corner of a contact polygon, world frame"),
}
_SHAPES = {name: (np.dtype(blob.dtype), len(blob.columns)) for name, blob in BLOBS.items()}


def blob_layout() -> Message:
    """BLOBS as `hello` carries them."""
    return {name: {"dtype": b.dtype, "columns": list(b.columns), "rows": b.rows} for name, b in BLOBS.items()}


def encode(topic: bytes, message: Message) -> bytes:
    """A published message; `v` is added."""
    return topic + _pack({"v": VERSION, **message})


def _pack(message: Message) -> bytes:
    packed = msgpack.packb(message)
    assert isinstance(packed, bytes)
    return packed


def encode_state(slot: NDArray[Any], number: int, now: int, contact_tick: int | None = None) -> bytes:
    """A slot of the ring as a `state` message; `number` counts the states that were published, `now` is their time.

    `contact_tick` is the tick that the contacts are of, where it is not the slot's own.
    """
    word = slot["word"].tolist()
    contacts, sample = word[g.WORD_CONTACTS], slot["sample"]
    message = {
        "v": VERSION,
        "seq": number,
        "sent_ns": now,
        "tick": int(slot["tick"]),
        "t_ns": int(slot["time"][g.TIME_WOKE]),
        "contact_tick": int(slot["tick"]) if contact_tick is None else contact_tick,
        "scene": word[g.WORD_GENERATION],
        "mode": MODES.get(word[g.WORD_MODE], "FAULT"),
        "cause": CAUSES.get(word[g.WORD_CAUSE], "NONE"),
        "limits": word[g.WORD_LIMITS],
        "paused": word[g.WORD_PAUSED] != 0,
        "realtime": word[g.WORD_REALTIME] != 0,
        "overruns": word[g.WORD_OVERRUNS],
        "skipped": word[g.WORD_SKIPPED],
        "missed": word[g.WORD_MISSED],
        "refused": word[g.WORD_REFUSED],
        "buttons": _whole(float(sample[SAMPLE_BUTTONS])),
        "grip": float(sample[SAMPLE_GRIP]),
        "body": slot["body"][: word[g.WORD_BODIES]].tobytes(),
        "pointer": slot["pointer"].tobytes(),
        "wrench": slot["wrench"].tobytes(),
        "guard": slot["guard"].tobytes(),
        "contact": slot["contact"][:contacts].tobytes(),
        "contact_of": slot["contact_of"][:contacts].tobytes(),
        "point": slot["point"][: word[g.WORD_POINTS]].tobytes(),
    }
    return STATE + _pack(message)


def _whole(value: float) -> int:
    return int(value) if 0.0 <= value < 4294967296.0 else 0


def decode(frame: bytes) -> tuple[bytes, Message]:
    """A published message as (topic, map); blobs are still bytes, see `arrays`."""
    topic = frame[:TOPIC_SIZE]
    if topic not in TOPICS:
        raise WireError(f"message: the topic is {topic!r}; known are hello, state, timing, event")
    return topic, _unpack(memoryview(frame)[TOPIC_SIZE:], PUBLISHED_BYTES, 1 << 20, None)


def arrays(message: Message) -> dict[str, NDArray[Any]]:
    """The blobs of a state as read-only arrays of shape (rows, columns), without a copy."""
    found = {}
    for name, (dtype, columns) in _SHAPES.items():
        raw = message.get(name)
        if not isinstance(raw, bytes) or len(raw) % (dtype.itemsize * columns):
            raise WireError(f"state: {name!r} is no blob of rows with {columns} columns of {dtype.str}")
        found[name] = np.frombuffer(raw, dtype).reshape(-1, columns)
    return found


def _unpack(raw: bytes | memoryview, size: int, entries: int, hook: Callable[[Any], Any] | None) -> Message:
    if len(raw) > size:
        raise WireError(f"message: {len(raw)} bytes; allowed are {size}")
    try:
        message = msgpack.unpackb(
            raw,
            max_array_len=entries,
            max_map_len=entries,
            max_str_len=size,
            max_bin_len=size,
            max_ext_len=0,
            object_hook=hook,
            list_hook=hook,
        )
    except Exception as error:  # msgpack raises ValueError, its own tree, UnicodeError, and what the hook raises
        raise WireError(f"message: not msgpack as agreed ({type(error).__name__}: {str(error)[:80]})") from None
    if not isinstance(message, dict) or not all(isinstance(key, str) for key in message):
        raise WireError("message: not a map with text keys")
    version = message.get("v")
    if type(version) is not int or version != VERSION:
        raise WireError(f"message: version {str(version)[:20]!r}; this hapticd speaks {VERSION}")
    return message


def _container_count() -> Callable[[Any], Any]:
    left = CONTAINERS

    def hook(container: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise WireError(f"more than {CONTAINERS} maps and lists")
        return container

    return hook


@dataclass(frozen=True)
class Request:
    """A command as it came: the sender's number, the name, the arguments (checked by commands.py)."""

    id: int
    command: str
    args: Message = field(default_factory=dict)


def encode_request(request: Request) -> bytes:
    return _pack({"v": VERSION, "id": request.id, "cmd": request.command, "args": request.args})


def decode_request(raw: bytes) -> Request:
    """A command from outside, or a WireError; arguments are finite numbers, texts, and short lists and maps of them."""
    message = _unpack(raw, COMMAND_BYTES, NUMBERS, _container_count())
    unknown = message.keys() - {"v", "id", "cmd", "args"}
    if unknown:
        raise WireError(f"command: unknown key {sorted(unknown)[0][:40]!r}; known are v, id, cmd, args")
    number, command, args = message.get("id"), message.get("cmd"), message.get("args", {})
    if type(number) is not int or not 0 <= number < 1 << 53:
        raise WireError("command: id must be a whole number from 0 to 2^53 - 1")
    if not isinstance(command, str) or not 0 < len(command) <= 40:
        raise WireError("command: cmd must be a text of at most 40 letters")
    if not isinstance(args, dict) or not all(isinstance(key, str) for key in args):
        raise WireError("command: args must be a map with text keys")
    if not _finite(args):
        raise WireError("command: args hold a number that is not finite")
    return Request(number, command, args)


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_finite(item) for item in value.values())
    return all(_finite(item) for item in value) if isinstance(value, list) else True


@dataclass(frozen=True)
class Reply:
    """What became of a command: `code` for programs, `reason` for people, `tick` from which it has effect."""

    id: int | None  # None: the command could not be read, or was dropped unread
    code: str  # "done", or why not
    reason: str = ""
    tick: int | None = None
    result: Message = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.code == "done"


def encode_reply(reply: Reply) -> bytes:
    return _pack({"v": VERSION, "ok": reply.ok, **vars(reply)})


def decode_reply(raw: bytes) -> Reply:
    message = _unpack(raw, PUBLISHED_BYTES, 1 << 20, None)
    number, code, tick = message.get("id"), message.get("code"), message.get("tick")
    reason, result = message.get("reason", ""), message.get("result", {})
    numbers = all(n is None or type(n) is int for n in (number, tick))
    if not numbers or not isinstance(code, str) or not isinstance(reason, str) or not isinstance(result, dict):
        raise WireError("reply: id, code, reason, tick or result is of the wrong type")
    return Reply(number, code, reason, tick, result)
