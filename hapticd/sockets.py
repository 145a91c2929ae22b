"""Addresses and doors of the sockets: where they are, who may come in, how much each may hold.

    FOLDER/state.ipc     XPUB    hello, state, timing    the TCP addresses of [sockets] state
    FOLDER/event.ipc     XPUB    event                   the same, one port above
    FOLDER/command.ipc   ROUTER  commands                the TCP addresses of [sockets] control
    FOLDER/stop.ipc      ROUTER  emergency stop          the same, one port above

The folder is private (0700): who can open it may do everything. On TCP, state is open on 127.0.0.1; any other address,
and any control, wants CURVE keys on the list (`keys.py`), or the daemon does not start.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

import zmq
from zmq.utils import z85

from hapticd.errors import ConfigError
from hapticd.keys import SERVER_FILE, Guest, read_guests, read_pair

IPC_PATH_MAX = 103  # bytes: sockaddr_un holds 108, libzmq adds a few
ZAP = "inproc://zeromq.zap.01"  # RFC 27: where libzmq asks who may come in
HANDSHAKE_MS = 1000  # a peer that connects and says nothing is thrown out
BACKLOG = 128


def runtime_folder(folder: Path | None = None) -> Path:
    """The private folder of a daemon's sockets and shared memory; not made here. Always in memory: a ring on a disk
    would make the servo wait while its pages are written back.
    """
    if folder is not None:
        return folder
    base = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("RUNTIME_DIRECTORY")
    return Path(base) / "hapticd" if base else Path(f"/dev/shm/hapticd-{os.geteuid()}")


def private_folder(folder: Path) -> Path:
    """Make it, or see that it is ours alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or stat.S_IMODE(info.st_mode) & 0o077:
        raise ConfigError(f"{folder}: must be a folder of this user with mode 0700: its sockets control the device")
    return folder


def ipc(folder: Path, name: str) -> str:
    """The address of one of the four sockets."""
    path = folder / f"{name}.ipc"
    if len(os.fsencode(path)) > IPC_PATH_MAX:
        raise ConfigError(f"{path}: {len(os.fsencode(path))} bytes are too long for a socket; choose a shorter folder")
    return f"ipc://{path}"


def next_port(endpoint: str) -> str:
    """The address of the second socket of a pair: event beside state, stop beside command."""
    host, _, port = endpoint.rpartition(":")
    return f"{host}:{int(port) + 1}"


def is_open(endpoint: str) -> bool:
    return endpoint.startswith("tcp://127.0.0.1:")


def bind(socket: zmq.Socket[bytes], endpoints: Iterable[str]) -> None:
    for endpoint in endpoints:
        try:
            socket.bind(endpoint)
        except zmq.ZMQError as error:
            raise ConfigError(
                f"{endpoint}: cannot be bound ({error.strerror}); if another hapticd has it, stop that one or give "
                "this one a port of its own in [sockets]"
            ) from error


def require_free(endpoints: Iterable[str]) -> None:
    """These TCP addresses and the ports above them: said before the device is opened, not by a service afterwards."""
    with zmq.Context() as context, context.socket(zmq.PUB) as socket:
        bind(socket, (address for endpoint in endpoints for address in (endpoint, next_port(endpoint))))


def limit(socket: zmq.Socket[bytes], message: int, send: int, receive: int) -> None:
    """What one socket may hold and how long a peer may dawdle; before bind."""
    socket.linger = 0
    socket.sndhwm, socket.rcvhwm = send, receive
    socket.setsockopt(zmq.MAXMSGSIZE, message)
    socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)
    socket.setsockopt(zmq.HEARTBEAT_IVL, 1000)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, 3000)
    socket.setsockopt(zmq.BACKLOG, BACKLOG)


class Door:
    """Answers libzmq's question who may come in (ZAP, RFC 27): those whose public key is on the list.

    Polled by the service that owns the sockets; no thread. A guest's public key becomes the "User-Id" of its messages.
    """

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], folder: Path) -> None:
        self.pair = read_pair(folder / SERVER_FILE)
        self.guests: dict[str, Guest] = read_guests(folder)
        self.refused: list[tuple[str, str]] = []  # address and key of those turned away since last asked
        self.socket = context.socket(zmq.ROUTER)
        self.socket.linger = 0
        self.socket.bind(ZAP)

    def guard(self, socket: zmq.Socket[bytes]) -> None:
        """Only guests may connect to this socket; before bind."""
        socket.curve_server = True
        socket.curve_publickey = self.pair.public.encode()
        socket.curve_secretkey = self.pair.secret.encode()
        socket.zap_domain = b"hapticd"

    def answer(self) -> None:
        """Answer all that wait."""
        while self.socket.poll(0):
            *route, version, number, _, address, _, mechanism = (frames := self.socket.recv_multipart())[:8]
            key = z85.encode(frames[8]).decode() if mechanism == b"CURVE" and len(frames) == 9 else ""
            welcome = key in self.guests
            if not welcome and len(self.refused) < 64:
                self.refused.append((address.decode(errors="replace"), key or mechanism.decode(errors="replace")))
            status = [b"200", b"OK", key.encode()] if welcome else [b"400", b"not on the list", b""]
            self.socket.send_multipart([*route, version, number, *status, b""])


def open_door(context: zmq.Context[zmq.Socket[bytes]], keys: Path | None, endpoints: list[str]) -> Door:
    """The door for these addresses; without keys there is none, and no daemon."""
    if keys is None:
        raise ConfigError(f"sockets: {endpoints[0]} needs `keys`; make them with `hapticd keys`")
    return Door(context, keys)
