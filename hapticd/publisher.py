"""The publisher: a process of its own that reads the ring and tells the world; nobody who listens can slow it.

    ring ──► newest slot, 60 Hz ─┐
             instants, 1 Hz     ─┼─► state socket (XPUB)   hello, state, timing     a slow reader loses old states
             arena, on change   ─┘
    journals ──────────────────────► event socket (XPUB)   event                    so a flood of states loses no event
                                   └► log                  changes of mode

Messages are those of wire.py. `hello` is sent when somebody subscribes and when the scene changes, at most four times a
second. The servo does not know that this process exists.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import zmq

from hapticd import __version__, wire
from hapticd.config import Sockets
from hapticd.control import Journal
from hapticd.inventory import arena_in_force, inventory
from hapticd.kernel.guard.layout import WORD_CONTACTS, WORD_GENERATION, WORD_POINTS
from hapticd.modelog import ModeLog
from hapticd.ring import Ring
from hapticd.sockets import Door, bind, ipc, is_open, limit, next_port, open_door
from hapticd.timing import Timing
from hapticd.words import CAUSE_HELP, CAUSES, LIMITS, MODES, event_words

STATES_QUEUED = 4  # per subscriber; what is older is dropped
EVENTS_QUEUED = 1000
SUBSCRIPTION_BYTES = 1024  # most that a subscriber may send at once; a CURVE handshake has 300
HELLO_PAUSE = 0.25  # s between two
TIMING_PERIOD = 1.0  # s
OUTLINE_TICKS = 32  # how far to look back for outlines of contacts
EVENT_PERIOD = 0.004  # s between looks at the journals

log = logging.getLogger(__name__)


class Publisher:
    """The two sockets and what is due next; `step` does what is due and never waits."""

    def __init__(self, ring: Ring, sockets: Sockets, folder: Path) -> None:
        self.ring = ring
        self.period = 1.0 / sockets.publish_hz
        self.rate_hz = sockets.publish_hz
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.poller = zmq.Poller()
        self.state: list[zmq.Socket[bytes]] = []
        self.event: list[zmq.Socket[bytes]] = []
        self.door: Door | None = None
        here = [endpoint for endpoint in sockets.state if is_open(endpoint)]
        self._open([ipc(folder, "state"), *here], [ipc(folder, "event"), *map(next_port, here)])
        if guarded := [endpoint for endpoint in sockets.state if not is_open(endpoint)]:
            self.door = open_door(self.context, sockets.keys, guarded)
            self.poller.register(self.door.socket, zmq.POLLIN)
            self._open(guarded, list(map(next_port, guarded)))
        self.slot, self.outlined = ring.empty(), ring.empty()
        self.timing = Timing(ring)
        self.cursor = {"servo": 0, "supervisor": 0, "recorder": 0}
        self.number = 0  # states sent
        self.events = 0  # events sent
        self.modes = ModeLog()
        self.tick = -1  # of the last state
        self.scene = -1  # generation that the last hello told of
        self.listeners = dict.fromkeys(wire.TOPICS, 0)
        self.hello_wanted = False
        now = time.monotonic()
        self.due = {"state": now, "timing": now + TIMING_PERIOD, "event": now, "hello": now}

    def _open(self, state: list[str], event: list[str]) -> None:
        """A pair of sockets; those opened after the door are guarded by it, because CURVE holds for a whole socket."""
        for sockets, endpoints, queued in ((self.state, state, STATES_QUEUED), (self.event, event, EVENTS_QUEUED)):
            socket = self.context.socket(zmq.XPUB)
            limit(socket, SUBSCRIPTION_BYTES, queued, EVENTS_QUEUED)
            socket.setsockopt(zmq.XPUB_VERBOSER, 1)
            if self.door:
                self.door.guard(socket)
            bind(socket, endpoints)
            self.poller.register(socket, zmq.POLLIN)
            sockets.append(socket)

    def serve(self, stopped: Callable[[], bool]) -> None:
        """Until told to stop; waits for subscriptions between what is due."""
        while not stopped():
            self.step()
            wait = min(self.due["state"], self.due["event"]) - time.monotonic()
            self.poller.poll(max(math.ceil(wait * 1000.0), 0))

    def step(self) -> None:
        """All that is due now."""
        if self.door:
            self.door.answer()
            for address, key in self.door.refused:
                log.warning("refused %s with key %s: not on the list", address, key)
            self.door.refused.clear()
        self._subscriptions()
        now = time.monotonic()
        if self._is_due("event", now, EVENT_PERIOD):
            self._send_events()
            self.modes.tell(now)
        if self._is_due("state", now, self.period):
            self._send_state()
        if self._is_due("timing", now, TIMING_PERIOD):
            self._send_timing()
        if self.hello_wanted and self.listeners[wire.HELLO] and now >= self.due["hello"]:
            self.due["hello"] = now + HELLO_PAUSE
            self._send_hello()

    def _is_due(self, what: str, now: float, period: float) -> bool:
        if now < self.due[what]:
            return False
        # On the grid of the period, so that the rate is kept; after a pause of this process, from now on.
        self.due[what] = max(self.due[what] + period, now)
        return True

    def _subscriptions(self) -> None:
        """Count who listens to what; a newcomer to `hello` gets one."""
        for socket in (*self.state, *self.event):
            for change in _received(socket):
                for topic in wire.TOPICS:
                    if change[:1] in (b"\0", b"\1") and _overlap(topic, change[1:]):
                        self.listeners[topic] = max(self.listeners[topic] + (1 if change[0] else -1), 0)
                        self.hello_wanted |= bool(change[0]) and topic == wire.HELLO and socket in self.state

    def _send_state(self) -> None:
        tick = self.ring.read_newest(self.slot)
        if tick <= self.tick:
            return
        self.tick = tick
        self.hello_wanted |= int(self.slot["word"][WORD_GENERATION]) != self.scene
        if self.listeners[wire.STATE]:
            self.number += 1
            contact_tick = self._outline(tick)
            self._send(self.state, wire.encode_state(self.slot, self.number, time.monotonic_ns(), contact_tick))

    def _outline(self, tick: int) -> int:
        """Contacts of the newest tick that has their outlines, which the servo works out now and then; which tick.

        Bodies and forces stay those of the newest tick: going back for all of it would make every state older.
        """
        word = self.slot["word"]
        if not word[WORD_CONTACTS] or word[WORD_POINTS]:
            return tick
        for before in range(tick - 1, max(tick - OUTLINE_TICKS, 0) - 1, -1):
            if not self.ring.slots["word"][before % self.ring.count, WORD_POINTS]:
                continue
            if not self.ring.read(before, self.outlined):
                break
            if self.outlined["word"][WORD_GENERATION] != word[WORD_GENERATION]:
                break
            for name in ("contact", "contact_of", "point"):
                self.slot[name] = self.outlined[name]
            word[[WORD_CONTACTS, WORD_POINTS]] = self.outlined["word"][[WORD_CONTACTS, WORD_POINTS]]
            return before
        return tick

    def _send_events(self) -> None:
        ring = self.ring
        journals = (ring.servo_journal, ring.supervisor_journal, ring.recorder_journal)
        for source, journal in zip(self.cursor, journals, strict=True):
            for message in self._news(source, journal):
                self.events += 1
                self.modes.note(message)
                self._send(self.event, wire.encode(wire.EVENT, {"seq": self.events, **message}))

    def _news(self, source: str, journal: Journal) -> Iterator[dict[str, Any]]:
        rows, self.cursor[source], lost = journal.since(self.cursor[source])
        if lost:
            yield {"source": source, "kind": "LOST", "code": lost, "tick": -1, "t_ns": time.monotonic_ns()}
        for row in rows:
            yield {"source": source, "tick": int(row["tick"]), "t_ns": int(row["time"]), **event_words(row)}

    def _send_timing(self) -> None:
        figures = self.timing.measure()
        if figures is not None and self.listeners[wire.TIMING]:
            listeners = {topic.rstrip(b"\0").decode(): count for topic, count in self.listeners.items()}
            self._send(self.state, wire.encode(wire.TIMING, {**figures, "states": self.number, "listeners": listeners}))

    def _send_hello(self) -> None:
        self.hello_wanted = False
        self.scene = int(self.slot["word"][WORD_GENERATION])
        self._send(self.state, wire.encode(wire.HELLO, self.hello()))

    def hello(self) -> dict[str, Any]:
        """All that does not change with every tick."""
        note, arena = self.ring.note, arena_in_force(self.ring)
        scene = {} if arena is None else inventory(*arena)
        return {
            "hapticd": __version__,
            "pid": note.get("pid", 0),
            "scene": {"generation": self.scene, **scene},
            "device": note.get("device", {}),
            "rates_hz": {"tick": note["slot"]["rate_hz"], "state": self.rate_hz},
            "wall_minus_monotonic_ns": time.time_ns() - time.monotonic_ns(),
            "units": "SI; z up; q_xyzw; times in ns of the monotonic clock",
            "blobs": wire.blob_layout(),
            "modes": list(MODES.values()),
            "causes": {name: CAUSE_HELP.get(code, "") for code, name in CAUSES.items()},
            "limits": {str(bit): name for bit, name in LIMITS.items()},
        }

    def _send(self, sockets: list[zmq.Socket[bytes]], frame: bytes) -> None:
        for socket in sockets:
            socket.send(frame, zmq.NOBLOCK)  # never waits: XPUB drops for those whose queue is full

    def close(self) -> None:
        self.context.destroy(linger=0)


def _received(socket: zmq.Socket[bytes]) -> Iterator[bytes]:
    """What has come, at most a hundred, so that a flood of subscriptions cannot hold up the states."""
    for _ in range(100):
        try:
            yield socket.recv(zmq.NOBLOCK)
        except zmq.Again:
            return


def _overlap(topic: bytes, prefix: bytes) -> bool:
    return topic.startswith(prefix) or prefix.startswith(topic)


def run_publisher(path: Path, sockets: Sockets, folder: Path, stopped: Callable[[], bool]) -> None:
    """The whole process: attach to the ring, serve, leave."""
    publisher = Publisher(Ring.attach(path), sockets, folder)
    try:
        publisher.serve(stopped)
    finally:
        publisher.close()
