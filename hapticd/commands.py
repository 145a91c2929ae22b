"""The command service: questions and orders from outside, each answered with the tick from which it has effect.

    stop socket ──────► stop word in shared memory ────────────────────► the servo's next tick: FAULT
    command socket ─► bucket ─► decode ─► role ─► arguments ─► mailbox ─► tick ─► journal ─► reply
                                                      └─► builder process ─► idle arena ─► mailbox

Hosted in two processes of their own, one for the stop socket, which may have real-time priority because it does nothing
else, and one for the rest (services.py). No threads: `poll` reads a bounded batch, stop first, and never blocks on a
peer. A flood is dropped unread and told so a few times a second; between two batches of a flood only the stop socket is
listened to. Who comes by ipc has passed a private folder and may do everything; on TCP the key says who it is.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import zmq

from hapticd.config import Sockets
from hapticd.control import NEWEST, STOP
from hapticd.errors import WireError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import COMMAND_SCENE, EVENT_COMMAND, FAULT
from hapticd.peers import Peer, Peers, Port
from hapticd.requests import Build, Order, Refusal, understand
from hapticd.ring import Ring
from hapticd.scenes import Builder, Scenes
from hapticd.sockets import Door, bind, ipc, limit, next_port, open_door
from hapticd.wire import COMMAND_BYTES, Message, Reply, Request, decode_request, encode_reply
from hapticd.words import CAUSE_HELP, CAUSES, MODES, RESULTS, limit_names

QUEUED = 64  # messages per peer
BATCH = 32  # messages per socket and poll
FLOOD_PAUSE_MS = 2  # between two batches of a flood
ANSWER_WITHIN = 1.0  # s; the servo answers within a tick or not at all
STOP_WITHIN = 0.04  # s; the reply to a stop says after this that the servo does not tick

log = logging.getLogger(__name__)


@dataclass
class Waiting:
    """A command that the servo has not confirmed yet."""

    peer: Peer
    id: int
    empty: bool
    until: float
    after: int = -1  # stop: the newest tick when it came


class CommandService:
    """All sockets of the command side; `poll` is one turn, `serve` turns until told to stop."""

    def __init__(
        self,
        ring: Ring,
        sockets: Sockets,
        folder: Path,
        builder: Builder | None = None,
        scene_folder: Path | None = None,  # where scenes are found by name
        only: Literal["stop", "command"] | None = None,  # one kind of socket; None: both
    ) -> None:
        self.ring = ring
        self.scenes = Scenes(ring, builder, scene_folder)
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.poller, self.stop_poller = zmq.Poller(), zmq.Poller()
        self.door: Door | None = None
        self.only = only
        self.ports = self._open([ipc(folder, "stop")], [ipc(folder, "command")])
        if sockets.control:
            self.door = open_door(self.context, sockets.keys, list(sockets.control))
            self.poller.register(self.door.socket, zmq.POLLIN)
            self.stop_poller.register(self.door.socket, zmq.POLLIN)
            self.ports += self._open([next_port(endpoint) for endpoint in sockets.control], list(sockets.control))
        self.ports.sort(key=lambda port: not port.stop)  # stop is read first
        self.peers = Peers()
        self.flooded = False
        self.number = 0  # of the last order
        self.waiting: dict[int, Waiting] = {}
        self.stopping: list[Waiting] = []
        self.building: Waiting | None = None
        self.cursor = ring.servo_journal.since(0)[1]
        self.slot = ring.empty()

    def _open(self, stop: list[str], command: list[str]) -> list[Port]:
        ports = []
        for endpoints, is_stop in ((stop, True), (command, False)):
            if self.only not in (None, "stop" if is_stop else "command"):
                continue
            socket = self.context.socket(zmq.ROUTER)
            limit(socket, COMMAND_BYTES, QUEUED, QUEUED)
            socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
            if self.door:
                self.door.guard(socket)
            bind(socket, endpoints)
            self.poller.register(socket, zmq.POLLIN)
            if is_stop:
                self.stop_poller.register(socket, zmq.POLLIN)
            ports.append(Port(socket, self.door is not None, is_stop))
        return ports

    def serve(self, stopped: Callable[[], bool]) -> None:
        while not stopped():
            self.poll(50)

    def poll(self, wait_ms: int) -> None:
        """One turn; waits at most so long for something to do."""
        busy = self.waiting or self.stopping or self.building
        if self.flooded and self.only == "stop":
            time.sleep(FLOOD_PAUSE_MS * 1e-3)  # one stop is enough; the others may wait
        elif self.flooded:
            self.stop_poller.poll(FLOOD_PAUSE_MS)
        else:
            self.poller.poll(min(wait_ms, 1) if busy else wait_ms)
        self.flooded = False
        if self.door:
            self._answer_door(self.door)
        now = time.monotonic()
        for port in self.ports:
            self._read(port, now)
        self._confirm(now)
        self._finish_build(now)

    def _answer_door(self, door: Door) -> None:
        door.answer()
        for address, key in door.refused:
            log.warning("refused %s with key %s: not on the list", address, key)
        door.refused.clear()

    def _read(self, port: Port, now: float) -> None:
        for _ in range(BATCH):
            try:
                frames = port.socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            peer = self.peers.find(port, frames[0].bytes, now)
            if peer is not None:
                self._take(peer, frames[1:], now)
        self.flooded = self.flooded or not port.stop or self.only == "stop"

    def _take(self, peer: Peer, frames: list[zmq.Frame], now: float) -> None:
        """One message: [payload], or [empty, payload] from a REQ socket."""
        empty = len(frames) == 2 and not len(frames[0])
        if not self.peers.allows(peer, now):
            self.flooded = True
            if words := peer.drop(now):
                self._reply(peer, empty, Reply(None, "rate", words))
            return
        if peer.port.guarded and self.door:
            user = str(frames[-1].get("User-Id"))
            peer.guest = self.door.guests.get(user, peer.guest)
        number: int | None = None
        try:
            if len(frames) != 1 + empty:
                raise WireError(f"command: {len(frames)} frames; allowed is one")
            request = decode_request(frames[-1].bytes)
            number = request.id
            self._do(request, peer, empty, now)
        except WireError as error:
            self._reply(peer, empty, Reply(number, "bad", str(error)))
        except Refusal as refusal:
            if refusal.code == "role":
                log.warning("refused %s: %s", peer.guest.name, refusal)
            self._reply(peer, empty, Reply(number, refusal.code, str(refusal)))

    def _do(self, request: Request, peer: Peer, empty: bool, now: float) -> None:
        if peer.port.stop and request.command != "stop":
            raise Refusal("unknown", f"the stop socket takes stop only, not {request.command!r}")
        asked = understand(request, peer.guest.role, self.scenes.names())
        waiting = Waiting(peer, request.id, empty, now + ANSWER_WITHIN)
        if asked == "status":
            self._reply(peer, empty, Reply(request.id, "done", tick=self.ring.newest(), result=self._status(peer)))
        elif asked == "stop":
            self.stop()
            waiting.until, waiting.after = now + STOP_WITHIN, self.ring.newest()
            if len(self.stopping) < QUEUED:
                self.stopping.append(waiting)
        elif isinstance(asked, Order):
            self._send(asked, waiting)
        else:
            self._build(asked, waiting)

    def stop(self) -> None:
        """Emergency stop: the servo sees the word in its next tick, whatever is in the mailbox."""
        self.ring.control[STOP, 0] += 1

    def _send(self, order: Order, waiting: Waiting) -> None:
        self.number += 1
        if not self.ring.mailbox.send(self.number, order.code, order.target, order.ticks, order.values):
            raise Refusal("busy", "the servo has not taken the last commands; try again")
        self.waiting[self.number] = waiting

    def _build(self, build: Build, waiting: Waiting) -> None:
        if self.building is not None or self.scenes.swapping:
            raise Refusal("busy", "another scene is being built; try again")
        self.scenes.start(build)
        self.building = waiting

    def _finish_build(self, now: float) -> None:
        """A built scene goes to the servo; a failed one to the sender, as it was told."""
        waiting = self.building
        if waiting is None:
            return
        try:
            arena = self.scenes.finished()
            if arena is None:
                return
            waiting.until = now + ANSWER_WITHIN
            self._send(Order(COMMAND_SCENE, arena, 0, self.scenes.values), waiting)
            self.scenes.swapping = True
        except Refusal as refusal:
            self._reply(waiting.peer, waiting.empty, Reply(waiting.id, refusal.code, str(refusal)))
        self.building = None

    def _confirm(self, now: float) -> None:
        """Replies to what the servo has done, and to what it has not done in time."""
        events, self.cursor, _ = self.ring.servo_journal.since(self.cursor)
        for event in events:
            if event["kind"] != EVENT_COMMAND:
                continue
            if int(event["value"][1]) == COMMAND_SCENE:
                self.scenes.swapping = False
            waiting = self.waiting.pop(int(event["value"][0]), None)
            if waiting is not None:
                code = RESULTS.get(int(event["code"]), "unknown")
                self._answer(waiting, code, REASONS.get(code, ""), int(event["tick"]))
        for number, waiting in list(self.waiting.items()):
            if now > waiting.until:
                del self.waiting[number]
                self._answer(waiting, "timeout", f"the servo did not confirm within {ANSWER_WITHIN:g} s")
        self.stopping = [waiting for waiting in self.stopping if not self._stopped(waiting, now)]

    def _stopped(self, waiting: Waiting, now: float) -> bool:
        newest = int(self.ring.control[NEWEST, 0]) - 1
        for tick in range(max(waiting.after + 1, newest - self.ring.count + 2), newest + 1):
            if self.ring.read(tick, self.slot) and self.slot["word"][g.WORD_MODE] == FAULT:
                self._answer(waiting, "done", "", tick)
                return True
        waiting.after = newest
        if now > waiting.until:
            self._answer(waiting, "timeout", "the servo does not tick; its watchdog silences the device")
        return now > waiting.until

    def _status(self, peer: Peer) -> Message:
        tick = self.ring.read_newest(self.slot)
        word = self.slot["word"].tolist()
        return {
            "tick": tick,
            "mode": MODES.get(word[g.WORD_MODE], "?"),
            "cause": CAUSES.get(word[g.WORD_CAUSE], "?"),
            "help": CAUSE_HELP.get(word[g.WORD_CAUSE], ""),
            "limits": limit_names(word[g.WORD_LIMITS]),
            "paused": bool(word[g.WORD_PAUSED]),
            "realtime": bool(word[g.WORD_REALTIME]),
            "overruns": word[g.WORD_OVERRUNS],
            "scene": self.scenes.name,
            "scenes": self.scenes.available(),
            "generation": word[g.WORD_GENERATION],
            "device": self.ring.note.get("device", {}),
            "role": peer.guest.role,
            "name": peer.guest.name,
        }

    def _answer(self, waiting: Waiting, code: str, reason: str = "", tick: int | None = None) -> None:
        self._reply(waiting.peer, waiting.empty, Reply(waiting.id, code, reason, tick))

    def _reply(self, peer: Peer, empty: bool, reply: Reply) -> None:
        frames = [peer.route, *([b""] if empty else []), encode_reply(reply)]
        try:
            peer.port.socket.send_multipart(frames, zmq.NOBLOCK)
        except zmq.ZMQError:
            return  # the peer has gone or does not read: its loss

    def close(self) -> None:
        self.scenes.close()
        self.context.destroy(linger=0)


# What people read where the code alone says little.
REASONS = {
    "mode": "not in this mode; `status` tells the mode and its cause",
    "value": "the value is out of range, or would raise a safety limit",
    "realtime": "no real-time priority, no force; start with --allow-non-rt if you accept that",
    "target": "no such body, parameter or arena",
}


def run_commands(service: CommandService, stopped: Callable[[], bool]) -> None:
    """The whole process: serve, leave."""
    try:
        service.serve(stopped)
    finally:
        service.close()
