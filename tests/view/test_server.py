"""The door of the browser view: pages of this machine only."""

import socket
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import viser
import zstandard
from websockets import Headers
from websockets.sync.client import connect

from hapticd.errors import HapticdError
from hapticd.view import server as door


def headers(**values: str) -> Headers:
    return Headers([(name.replace("_", "-"), value) for name, value in values.items()])


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080"])
def test_our_own_page_may_connect(host):
    assert door.allowed(headers(Host=host, Upgrade="websocket", Origin=f"http://{host}"), 8080)
    assert door.allowed(headers(Host=host), 8080)


@pytest.mark.parametrize(
    "values",
    [
        {"Host": "127.0.0.1:8080", "Upgrade": "websocket"},  # no browser of ours leaves the Origin out
        {"Host": "127.0.0.1:8080", "Upgrade": "WebSocket", "Origin": "http://elsewhere.example"},
        {"Host": "127.0.0.1:8080", "Upgrade": "websocket", "Origin": "null"},
        {"Host": "127.0.0.1:8080", "Upgrade": "websocket", "Origin": "http://127.0.0.1:8081"},
        {"Host": "127.0.0.1:8080", "Upgrade": "websocket", "Origin": "https://127.0.0.1:8080"},
        {"Host": "127.0.0.1:8080", "Upgrade": "websocket", "Origin": "http://localhost:8080"},
        {"Host": "elsewhere.example:8080", "Upgrade": "websocket", "Origin": "http://elsewhere.example:8080"},
        {"Host": "elsewhere.example"},
        {"Host": "127.0.0.1:8080", "Origin": "http://elsewhere.example"},
        {},
    ],
)
def test_other_pages_may_not(values):
    assert not door.allowed(headers(**values), 8080)


def answer(port: int, origin: str) -> bytes:
    request = (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: viser-v1.1.1\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request.encode())
        return connection.recv(12)


def test_a_running_server_asks_for_the_origin_and_is_on_this_machine_only():
    server = door.open_server(0)
    try:
        port = server.get_port()
        assert answer(port, "http://elsewhere.example") == b"HTTP/1.1 403"
        assert answer(port, f"http://127.0.0.1:{port}") == b"HTTP/1.1 101"
        assert server.get_host() == "127.0.0.1"
        assert server.request_share_url() is None
    finally:
        server.stop()


def test_without_the_check_the_view_does_not_start(monkeypatch):
    monkeypatch.setattr(door, "allowed", lambda headers, port: True)
    with pytest.raises(HapticdError, match="other origins"):
        door.open_server(0)


def told(port: int, wanted: int) -> list[dict]:
    """The updates of nodes that a browser gets, arrays as bytes; viser's own page reads them so."""
    origin, found = f"http://127.0.0.1:{port}", []
    with connect(f"ws://127.0.0.1:{port}", subprotocols=[f"viser-v{viser.__version__}"], origin=origin) as browser:
        while len(found) < wanted:
            raw = browser.recv(timeout=10)
            size = int.from_bytes(raw[8:16], "little")
            inner = msgspec.msgpack.decode(zstandard.decompress(raw[16 : 16 + size]))
            at, blobs = 16 + size, []
            for length in inner["binaryBufferLengths"]:
                at += -at % 8
                blobs.append(raw[at : at + length])
                at += length
            for message in inner["messages"]:
                if message["type"] == "SceneNodeUpdateMessage":
                    updates = message["updates"].items()
                    found.append({name: (told["dtype"], blobs[told["__binary_index"]]) for name, told in updates})
    return found


def test_arrays_come_to_the_browser_in_one_message():
    points, colours = np.arange(12, dtype=np.float32).reshape(2, 2, 3), np.full((2, 2, 3), 7, np.uint8)
    server = door.open_server(0)
    try:
        line = server.scene.add_line_segments("/line", np.zeros((0, 2, 3), np.float32), (255, 255, 255))
        door.tell(line, points=points, colors=colours)
        assert told(server.get_port(), 1) == [
            {"points": ("<f4", points.tobytes()), "colors": ("|u1", colours.tobytes())}
        ]
        assert np.array_equal(line.points, points) and np.array_equal(line.colors, colours)
    finally:
        server.stop()


def test_a_viser_with_other_names_inside_is_told_its_own_way():
    handle, points = SimpleNamespace(), np.zeros((1, 2, 3), np.float32)
    door.tell(handle, points=points)
    assert handle.points is points
