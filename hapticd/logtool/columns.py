"""A log as arrays: the records of one channel end to end, which is how people compute with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.channel import CHANNELS
from hapticd.logfile import LogReader
from hapticd.logtool.progress import shown_chunks

Columns = dict[str, NDArray[Any]]


class Table:
    """The records of one channel, and what was behind each (a snapshot's bytes, the bodies, a text)."""

    def __init__(self, topic: str) -> None:
        self.topic, self.layout = topic, CHANNELS[topic]
        self.messages: list[bytes] = []

    @property
    def rows(self) -> NDArray[Any]:
        return self.layout.unpack(self.messages)

    def tails(self) -> list[NDArray[Any]]:
        return [self.layout.unpack_tail(data) for data in self.messages]

    def texts(self) -> list[str]:
        return [self.layout.text(data) for data in self.messages]


def load(reader: LogReader, topics: Collection[str], what: str = "reading") -> dict[str, Table]:
    """The channels asked for, up to the first damage; a channel without messages is empty."""
    tables = {topic: Table(topic) for topic in topics}
    for chunk in shown_chunks(reader, what):
        for message in chunk:
            if message.topic in tables:
                tables[message.topic].messages.append(message.data)
    return tables


def columns(table: Table) -> Columns:
    """Field by field; a tail as its elements end to end, `NAME_count` of them per record."""
    rows = table.rows
    found: Columns = {name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()}
    tail = table.layout.tail
    if tail is None or not table.messages:
        return found
    if tail.is_text:
        return {**found, tail.name: np.array(table.texts())}
    tails = table.tails()
    found[f"{tail.name}_count"] = np.array([len(t) for t in tails])
    whole = np.concatenate(tails)
    if tail.dtype.names is None:
        return {**found, tail.name: whole}
    return found | {f"{tail.name}_{name}": np.ascontiguousarray(whole[name]) for name in tail.dtype.names}
