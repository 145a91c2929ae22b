"""The channels of a log: what is recorded of a run, field by field, with units. One table; logfile.py writes and reads.

    /inputs      every tick      all that entered it: words, the device's raw bytes, what the driver made of them
    /command     when one came   the commands of a tick, which is the tick they took effect in
    /tick        every tick      all that came out: pointer, wrenches, guard, timing, the raw bytes to the device
    /bodies      every n-th      where the bodies are
    /contacts    every n-th      what touches what, and how hard
    /event       when one came   of the servo and of the supervisor
    /hash        every m ticks   of all bits of the state after that tick
    /snapshot    every few s     all that the next tick needs: where a replay can start
    /model       at each scene   the scene's text and the arrays built from it
    /dropout     when it was     ticks that are not in this log, and why

SI, world frame, q_xyzw; `time` is monotonic nanoseconds of the machine that recorded, `tick` counts from 0. The columns
of rows that the kernel writes are those of kernel/layout.py and kernel/guard/layout.py.
"""

from __future__ import annotations

import struct
from types import MappingProxyType
from typing import Any

import numpy as np

from hapticd.cdr import HEADER, Layout, Tail
from hapticd.kernel.guard import layout as g
from hapticd.kernel.layout import SAMPLE_SIZE, WRENCH_SIZE
from hapticd.snapshot import HASH_SIZE

INPUTS, COMMAND, TICK, BODIES, CONTACTS = "/inputs", "/command", "/tick", "/bodies", "/contacts"
EVENT, HASH, SNAPSHOT, MODEL, DROPOUT = "/event", "/hash", "/snapshot", "/model", "/dropout"


SOURCES = ("servo", "supervisor", "recorder")  # of an event

# Why ticks are missing (/dropout).
DROPPED_LATE = 1  # the recorder was slower than the ring is long: a slow disk, or no time on the processor
DROPPED_FULL = 2  # the disk was full, or not writable
DROPPED_GONE = 3  # the recorder was not there: it died and was started again
DROPPED_DAMAGE = 4  # a damaged part that `hapticd log recover` left out
DROPPED_CUT = 5  # left out by `hapticd log cut`
DROPPED_SNAPSHOT = 6  # the ticks are there, but the snapshot that was due could not be read whole

DROP_WORDS = {
    DROPPED_LATE: "the recorder could not keep up (slow disk or no processor time)",
    DROPPED_FULL: "the disk was full or not writable",
    DROPPED_GONE: "the recorder was not running",
    DROPPED_DAMAGE: "the file was damaged there",
    DROPPED_CUT: "cut out on request",
    DROPPED_SNAPSHOT: "a snapshot could not be read in time",
}


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype(list(fields), align=True)


BODY = _record(
    ("position", "<f8", 3),
    ("q_xyzw", "<f8", 4),
    ("velocity", "<f8", 3),
    ("angular_velocity", "<f8", 3),
)

CONTACT = _record(
    ("volume", "<f4"),
    ("area", "<f4"),
    ("depth", "<f4"),
    ("normal", "<f4", 3),  # from B into A
    ("centre", "<f4", 3),
    ("force", "<f4", 3),  # on A
    ("torque", "<f4", 3),  # on A, about the centre
    ("spare", "<f4"),
    ("body_a", "<i4"),
    ("body_b", "<i4"),
    ("part_a", "<i4"),
    ("part_b", "<i4"),
    ("status", "<i4"),
    ("spare_of", "<i4", 3),
)

_STAMP = (("tick", "<i8"), ("time", "<i8"))
INPUT_WORDS = (  # in the order of INPUT_*
    *("gap", "stop", "scene", "commands", "raw_count", "code", "leave", "degrade", "renew", "spare"),
)
WORDS = (  # in the order of WORD_*, as many as WORD_SHOWN
    *("mode", "cause", "limits", "overruns", "skipped", "leak", "missed", "refused"),
    *("generation", "status", "bodies", "contacts", "points", "sent_count", "paused", "realtime"),
)
WRENCHES = (  # in the order of WRENCH_*; N and Nm
    "wrench_world",  # on the pointer about its origin, world frame, as the simulation gave it
    "wrench_wanted",  # the same on the device's side, before the limits
    "wrench_sent",  # after the limits
    "wrench_rendered",  # what the driver says that the device gives
)
GUARD = ("energy", "heat", "heat_torque", "gain", "damping")  # J; shares of a budget; Ns/m. In the order of MEMORY_*
POINTER = (("position", 3), ("q_xyzw", 4), ("velocity", 3), ("angular_velocity", 3))  # in the order of DEVICE_*
TIMES = ("woke", "read", "decoded", "stepped", "encoded", "written")  # ns after `time`, when the tick was due


HEADS = {
    INPUTS: _record(
        *_STAMP,
        *((name, "<i8") for name in INPUT_WORDS),
        ("sample", "<f8", SAMPLE_SIZE),  # device frame, SAMPLE_*
    ),
    TICK: _record(
        *_STAMP,
        *((f"{name}_after", "<i8") for name in TIMES),
        *((name, "<f8", size) for name, size in POINTER),
        *((name, "<f8", WRENCH_SIZE) for name in WRENCHES),
        *((name, "<i8") for name in WORDS),
        *((name, "<f8") for name in GUARD),
    ),
    COMMAND: _record(
        *_STAMP,
        ("index", "<i8"),  # place among the commands of this tick
        ("row", "<f8", g.COMMAND_SIZE),  # COMMAND_*
    ),
    BODIES: _record(*_STAMP, ("generation", "<i8")),
    CONTACTS: _record(*_STAMP),
    EVENT: _record(
        *_STAMP, ("number", "<i8"), ("value", "<f8", 4), ("kind", "<i4"), ("code", "<i4"), ("source", "<i4")
    ),
    HASH: _record(*_STAMP, ("digest", "u1", HASH_SIZE)),
    SNAPSHOT: _record(*_STAMP),
    MODEL: _record(*_STAMP, ("generation", "<i8"), ("arena", "<i8")),
    DROPOUT: _record(*_STAMP, ("ticks", "<i8"), ("reason", "<i8")),  # ticks tick .. tick + ticks - 1 are missing
}


TAILS = {
    INPUTS: Tail("raw", np.dtype("u1")),  # the bytes that came from the device
    TICK: Tail("sent", np.dtype("u1")),  # the bytes that went to it
    BODIES: Tail("body", BODY, "Body"),
    CONTACTS: Tail("contact", CONTACT, "Contact"),
    EVENT: Tail("text", np.dtype("S1")),
    SNAPSHOT: Tail("data", np.dtype("u1")),
    MODEL: Tail("data", np.dtype("u1")),
}
CHANNELS = MappingProxyType({t: Layout(t[1:].title(), head, TAILS.get(t)) for t, head in HEADS.items()})
_TICK = struct.Struct("<q")


def tick_of(data: bytes) -> int:
    """The tick of any message: every record begins with it."""
    return int(_TICK.unpack_from(data, len(HEADER))[0])
