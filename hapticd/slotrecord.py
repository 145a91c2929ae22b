"""Slots of the ring into messages of the log, many ticks at a time.

Gets copies of slots from recorder.py, gives packed messages in the order of their ticks. Everything that comes every
tick is moved by whole columns; Python touches each tick only to cut its bytes out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import (
    BODIES,
    BODY,
    CHANNELS,
    COMMAND,
    CONTACT,
    CONTACTS,
    GUARD,
    INPUT_WORDS,
    INPUTS,
    POINTER,
    TICK,
    TIMES,
    WORDS,
    WRENCHES,
)
from hapticd.kernel.guard import layout as g
from hapticd.ring import SlotArray

Packed = tuple[int, str, bytes]  # tick, topic, message


def packed_slots(slots: SlotArray, decimation: int) -> Iterator[Packed]:
    """The messages of consecutive slots; bodies and contacts of every `decimation`-th tick."""
    inputs = CHANNELS[INPUTS].pack_bytes(input_rows(slots), _bytes(slots["raw"], slots["input"][:, g.INPUT_RAW]))
    ticks = CHANNELS[TICK].pack_bytes(tick_rows(slots), _bytes(slots["sent"], slots["word"][:, g.WORD_SENT]))
    numbers = slots["tick"].tolist()
    commands = slots["input"][:, g.INPUT_COMMANDS].tolist()
    for i, tick in enumerate(numbers):
        yield tick, INPUTS, inputs[i]
        if commands[i]:
            yield from _commands(slots[i], tick, commands[i])
        yield tick, TICK, ticks[i]
        if tick % decimation == 0:
            yield tick, BODIES, _bodies(slots[i])
            yield tick, CONTACTS, _contacts(slots[i])


def input_rows(slots: SlotArray) -> NDArray[Any]:
    rows = _stamped(slots, INPUTS)
    for i, name in enumerate(INPUT_WORDS):
        rows[name] = slots["input"][:, i]
    rows["sample"] = slots["sample"]
    return rows


def tick_rows(slots: SlotArray) -> NDArray[Any]:
    rows = _stamped(slots, TICK)
    times = slots["time"]
    for i, name in enumerate(TIMES, start=1):
        rows[f"{name}_after"] = times[:, i] - times[:, g.TIME_DUE]
    start = 0
    for name, size in POINTER:
        rows[name] = slots["pointer"][:, start : start + size]
        start += size
    for i, name in enumerate(WRENCHES):
        rows[name] = slots["wrench"][:, i]
    for i, name in enumerate(WORDS):
        rows[name] = slots["word"][:, i]
    for i, name in enumerate(GUARD):
        rows[name] = slots["guard"][:, i]
    return rows


def _stamped(slots: SlotArray, topic: str) -> NDArray[Any]:
    rows = np.zeros(len(slots), CHANNELS[topic].head)
    rows["tick"] = slots["tick"]
    rows["time"] = slots["time"][:, g.TIME_DUE]
    return rows


def _bytes(cells: NDArray[np.uint8], counts: NDArray[np.int64]) -> list[bytes]:
    """The first counts[i] bytes of every row."""
    width = cells.shape[1]
    widest = int(np.clip(counts, 0, width).max(initial=0))
    whole = cells[:, :widest].tobytes()
    return [whole[i * widest : i * widest + min(max(n, 0), widest)] for i, n in enumerate(counts.tolist())]


def _commands(slot: NDArray[Any], tick: int, count: int) -> Iterator[Packed]:
    rows = np.zeros(min(count, g.COMMANDS_PER_TICK), CHANNELS[COMMAND].head)
    rows["tick"], rows["time"] = tick, slot["time"][g.TIME_DUE]
    rows["index"] = np.arange(len(rows))
    rows["row"] = slot["command"][: len(rows)]
    for data in CHANNELS[COMMAND].pack(rows):
        yield tick, COMMAND, data


def _bodies(slot: NDArray[Any]) -> bytes:
    count = int(slot["word"][g.WORD_BODIES])
    head = np.array((slot["tick"], slot["time"][g.TIME_DUE], slot["word"][g.WORD_GENERATION]), CHANNELS[BODIES].head)
    return CHANNELS[BODIES].pack_with(head, np.ascontiguousarray(slot["body"][:count]).view(BODY)[:, 0])


def _contacts(slot: NDArray[Any]) -> bytes:
    count = min(int(slot["word"][g.WORD_CONTACTS]), len(slot["contact"]))
    rows = np.zeros((count, CONTACT.itemsize), np.uint8)
    split = 4 * g.SHOWN_SIZE
    rows[:, :split] = np.ascontiguousarray(slot["contact"][:count]).view(np.uint8).reshape(count, split)
    rows[:, split:] = np.ascontiguousarray(slot["contact_of"][:count]).view(np.uint8).reshape(count, 4 * g.OF_SIZE)
    head = np.array((slot["tick"], slot["time"][g.TIME_DUE]), CHANNELS[CONTACTS].head)
    return CHANNELS[CONTACTS].pack_with(head, rows.tobytes())
