"""A viser server for this machine only: bound to 127.0.0.1, and closed to pages of other origins.

A page that somebody opens elsewhere may try to reach a WebSocket on this machine; a browser then sends that page's
Origin, and a rebound DNS name shows in Host. Both are checked before anything else is looked at. viser has no setting
for that, so its server is started with a check in front of its own handler; whether the check is in place is tried by
connecting with a false Origin, and without it the view does not start. viser's tunnel to the internet is off.
"""

from __future__ import annotations

import contextlib
import http
import io
import socket
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import viser
import viser._messages
import websockets.asyncio.server
from numpy.typing import NDArray
from websockets import Headers
from websockets.http11 import Request, Response

from hapticd.errors import HapticdError

HOST = "127.0.0.1"


class Server(viser.ViserServer):
    """viser without its way out to the internet."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        return None


def allowed(headers: Headers, port: int) -> bool:
    """Whether a request comes from a page of ours: one Host and, for a WebSocket, one Origin that fits it."""
    hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
    names = {f"{name}:{port}" for name in (HOST, "localhost")}
    if len(hosts) != 1 or hosts[0] not in names:
        return False
    if headers.get("Upgrade", "").lower() == "websocket":
        return origins == [f"http://{hosts[0]}"]
    return all(origin == f"http://{hosts[0]}" for origin in origins)


def open_server(port: int) -> Server:
    """A server that is known to refuse other origins."""
    with _checked_serve(), contextlib.redirect_stdout(io.StringIO()):  # its banner is not for our users
        server = Server(host=HOST, port=port, label="hapticd", verbose=False)
    if not _refuses_strangers(server.get_port()):
        server.stop()
        raise HapticdError("view: this version of viser lets pages of other origins in; use viser 1.1")
    return server


def tell(handle: Any, **arrays: NDArray[Any]) -> None:
    """New arrays for some properties of a node, in one message; of the property's type, and not changed afterwards.

    viser's own way of setting one costs 30 us: it compares, and copies twice, what is new in every frame. This takes 8,
    by names inside viser; where a later viser has others, its own way.
    """
    try:
        inside, update = handle._impl, viser._messages.SceneNodeUpdateMessage(handle._impl.name, arrays)
        queue = inside.api._queue_scene_message
    except (AttributeError, TypeError):
        for name, array in arrays.items():
            setattr(handle, name, array)
        return
    vars(inside.props).update(arrays)
    queue(update)


@contextlib.contextmanager
def _checked_serve() -> Iterator[None]:
    real = websockets.asyncio.server.serve

    def serve(handler: Any, *args: Any, process_request: Callable[[Any, Request], Any], **options: Any) -> Any:
        def check(connection: Any, request: Request) -> Any:
            port = connection.local_address[1]
            if not allowed(request.headers, port):
                return Response(http.HTTPStatus.FORBIDDEN, "FORBIDDEN", Headers())
            return process_request(connection, request)

        return real(handler, *args, process_request=check, **options)

    with mock.patch.object(websockets.asyncio.server, "serve", serve):
        yield


def _refuses_strangers(port: int) -> bool:
    request = (
        f"GET / HTTP/1.1\r\nHost: {HOST}:{port}\r\nOrigin: http://elsewhere.example\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with socket.create_connection((HOST, port), timeout=10.0) as connection:
        connection.sendall(request.encode())
        return connection.recv(64).startswith(b"HTTP/1.1 403")
