"""hapticd.Client: states, events and commands of a running daemon, from any process.

    with hapticd.Client() as daemon:               # the local one; Client("tcp://lab:5570", keys="me.secret") afar
        daemon.state().body                        # newest state, numpy views
        for state in daemon.states(): ...          # every one that is published; daemon.gaps counts the lost ones
        daemon.command("arm")                      # waits for the reply; CommandRefused says why not
        daemon.stop()                              # emergency stop, by its own socket

A client is of one thread; each thread has its own. It outlives the daemon: ZeroMQ connects again by itself, the new
daemon's `hello` replaces the old scene, and counts start anew. Asking twice costs nothing: replies carry numbers, and
one that comes too late is dropped.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import zmq

from hapticd import wire
from hapticd.errors import HapticdError, WireError
from hapticd.keys import Pair, read_pair
from hapticd.sockets import ipc, next_port, runtime_folder
from hapticd.state import Scene, State, read_state
from hapticd.wire import Message, Reply, Request

EVENTS_KEPT = 10_000  # those that nobody has asked for
STATES_QUEUED = 100


class CommandRefused(HapticdError):
    """The daemon did not do it; `reply.code` says which kind of no, the message why."""

    def __init__(self, command: str, reply: Reply) -> None:
        super().__init__(f"{command}: {reply.code}: {reply.reason}")
        self.reply = reply


class Silence(HapticdError, TimeoutError):
    """Nothing came in time: no daemon there, or no way to it."""

    exit_code = 4


class Client:
    """A daemon seen from outside. Without arguments the local one of this user."""

    def __init__(
        self,
        state: str | Path | None = None,
        control: str | None = None,
        keys: str | Path | None = None,
        timeout: float = 5.0,
    ) -> None:
        """`state`: tcp://HOST:PORT, or the folder of a local daemon; `control`: tcp://HOST:PORT of commands afar."""
        self.timeout = timeout
        self.pair = read_pair(Path(keys)) if keys is not None else None
        self._addresses = _addresses(state, control)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets: dict[str, zmq.Socket[bytes]] = {}
        self._number = 0
        self._events: deque[Message] = deque(maxlen=EVENTS_KEPT)
        self._newest: State | None = None
        self._seq = -1
        self.gaps = 0  # states that were published and did not come
        self.states_seen = 0
        self.scene: Scene | None = None
        self.timing: Message = {}
        self._connect("state", zmq.SUB)
        self._connect("event", zmq.SUB)

    def _connect(self, name: str, kind: int) -> zmq.Socket[bytes]:
        if name not in self._addresses:
            raise HapticdError(f"client: no address for {name}; give control=tcp://HOST:PORT")
        socket = self._context.socket(kind)
        socket.linger = 0
        socket.setsockopt(zmq.RECONNECT_IVL, 50)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 1000)
        if kind == zmq.SUB:
            socket.rcvhwm = STATES_QUEUED if name == "state" else EVENTS_KEPT
            socket.setsockopt(zmq.MAXMSGSIZE, wire.PUBLISHED_BYTES)
            for topic in (wire.HELLO, wire.STATE, wire.TIMING) if name == "state" else (wire.EVENT,):
                socket.subscribe(topic)
        if self.pair is not None:
            _lock(socket, self.pair)
        socket.connect(self._addresses[name])
        self._sockets[name] = socket
        return socket

    def state(self, timeout: float | None = None) -> State:
        """The newest state that has not been returned yet; waits for one."""
        self._newest = None
        self._read(timeout, lambda: self._newest is not None)
        assert self._newest is not None
        return self._newest

    def newest(self) -> State | None:
        """The newest state so far; never waits. The same again when nothing came since."""
        self._drain()
        return self._newest

    def states(self, timeout: float | None = None) -> Iterator[State]:
        """Every state that comes, in order; `gaps` counts those that did not. Ends with Silence when none comes."""
        while True:
            until = _until(self.timeout if timeout is None else timeout)
            self._newest = None
            while self._newest is None:
                self._wait(until)
            yield self._newest

    def wait_scene(self, timeout: float | None = None) -> Scene:
        """The scene, as soon as the daemon has told of it."""
        self._read(timeout, lambda: self.scene is not None)
        assert self.scene is not None
        return self.scene

    def events(self) -> list[Message]:
        """All events since the last call, oldest first; never waits."""
        self._drain()
        found = list(self._events)
        self._events.clear()
        return found

    def command(self, name: str, /, timeout: float | None = None, **args: Any) -> Reply:
        """Have something done and wait until it is; CommandRefused when it is not, Silence when nobody answers."""
        return self._ask("command", name, self.timeout if timeout is None else timeout, args)

    def stop(self, timeout: float | None = None) -> Reply:
        """Emergency stop: no force within a tick, latched until cleared by hand."""
        return self._ask("stop", "stop", self.timeout if timeout is None else timeout, {})

    def status(self) -> Message:
        return self.command("status").result

    def _ask(self, socket_name: str, command: str, timeout: float, args: Message) -> Reply:
        socket = self._sockets.get(socket_name) or self._connect(socket_name, zmq.DEALER)
        self._number += 1
        socket.send(wire.encode_request(Request(self._number, command, args)))
        until = _until(timeout)
        while True:
            left = until - time.monotonic()
            if left <= 0.0 or not socket.poll(math.ceil(left * 1000.0)):
                raise Silence(f"{command}: no reply within {timeout:g} s from {self._addresses[socket_name]}")
            reply = wire.decode_reply(socket.recv())
            if reply.id not in (self._number, None):
                continue  # the late answer to a question that was given up
            if not reply.ok:
                raise CommandRefused(command, reply)
            return reply

    def _read(self, timeout: float | None, enough: Any) -> None:
        until = _until(self.timeout if timeout is None else timeout)
        self._drain()
        while not enough():
            self._wait(until)

    def _wait(self, until: float) -> None:
        left = until - time.monotonic()
        if left <= 0.0 or not self._take(math.ceil(left * 1000.0)):
            raise Silence(f"no state from {self._addresses['state']}; is a daemon running? `hapticd run`")

    def _drain(self) -> None:
        """Read all that has come. Of states in a row only the newest is decoded: at 250 Hz most are never looked at."""
        event, state = self._sockets["event"], self._sockets["state"]
        while event.poll(0):
            self._accept(event.recv())
        last, skipped = b"", 0
        while state.poll(0):
            frame = state.recv()
            if last.startswith(wire.STATE) and frame.startswith(wire.STATE):
                skipped += 1
            elif last:
                self._accept(last, skipped)
                skipped = 0
            last = frame
        if last:
            self._accept(last, skipped)

    def _take(self, wait_ms: int) -> bool:
        """Read one message of each stream, waiting for the state at most so long; False when nothing came."""
        event, state = self._sockets["event"], self._sockets["state"]
        came = False
        if event.poll(0):
            came = self._accept(event.recv())
        if state.poll(0 if came else wait_ms):
            came = self._accept(state.recv())
        return came

    def _accept(self, frame: bytes, skipped: int = 0) -> bool:
        """Note a message; before a state, so many came that were not decoded."""
        topic, message = wire.decode(frame)
        if topic == wire.STATE:
            self._accept_state(read_state(message, time.monotonic_ns()), skipped)
        elif topic == wire.EVENT:
            self._events.append(message)
        elif topic == wire.TIMING:
            self.timing = message
        else:
            self.scene = _scene(message)
        return True

    def _accept_state(self, state: State, skipped: int) -> None:
        if 0 <= self._seq < state.seq:
            self.gaps += max(state.seq - self._seq - 1 - skipped, 0)
        self._seq = state.seq  # a smaller one: the daemon has started anew, and counts from the beginning
        self.states_seen += 1 + skipped
        self._newest = state
        if self.scene is not None and self.scene.generation != state.generation:
            self.scene = None
            self.ask_hello()

    def ask_hello(self) -> None:
        """Have the scene told again: a hello is sent to whoever subscribes."""
        socket = self._sockets["state"]
        socket.unsubscribe(wire.HELLO)
        socket.subscribe(wire.HELLO)

    def close(self) -> None:
        self._context.destroy(linger=0)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _scene(hello: Message) -> Scene:
    try:
        return Scene(hello)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WireError(f"hello: {type(error).__name__}: {error}") from None


def _until(timeout: float) -> float:
    return time.monotonic() + timeout


def _addresses(state: str | Path | None, control: str | None) -> dict[str, str]:
    if isinstance(state, str) and state.startswith("tcp://"):
        found = {"state": state, "event": next_port(state)}
    else:
        folder = runtime_folder(None if state is None else Path(state))
        found = {name: ipc(folder, name) for name in ("state", "event", "command", "stop")}
    return found if control is None else {**found, "command": control, "stop": next_port(control)}


def _lock(socket: zmq.Socket[bytes], pair: Pair) -> None:
    socket.curve_publickey = pair.public.encode()
    socket.curve_secretkey = pair.secret.encode()
    socket.curve_serverkey = pair.server.encode()
