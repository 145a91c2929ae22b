"""tools/load_parts.py: the clients of the load table, against sockets of this test instead of a daemon."""

import sys
import threading
import time
from pathlib import Path

import pytest
import zmq

from hapticd.sockets import ipc
from hapticd.wire import STATE

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def parts(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    import load_parts

    return load_parts


def bound(context: zmq.Context, kind: int, address: str) -> zmq.Socket:
    socket = context.socket(kind)
    socket.bind(address)
    return socket


def until(done, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
    return done()


def test_subscribers_count_what_comes_and_the_deaf_take_nothing(parts, tmp_path):
    threads = threading.active_count()
    with zmq.Context() as context, bound(context, zmq.XPUB, ipc(tmp_path, "state")) as state:
        state.setsockopt(zmq.XPUB_VERBOSE, 1)  # tells of every subscriber
        with parts.Subscribers(tmp_path, 3, deaf=1) as clients:
            for _ in range(3):
                assert state.poll(5000) and state.recv() == b"\x01" + STATE
            for _ in range(2):
                state.send(STATE + b"x")
            assert until(lambda: clients.seen == 4)
            time.sleep(0.1)
            assert clients.seen == 4  # two sockets read two each, the third none
        assert threading.active_count() == threads


def test_commands_send_at_their_rate_and_count_the_answers(parts, tmp_path):
    threads = threading.active_count()
    with zmq.Context() as context, bound(context, zmq.ROUTER, ipc(tmp_path, "command")) as service:
        with parts.Commands(tmp_path, 500) as client:
            came = []
            while len(came) < 150 and service.poll(5000):
                sender, request = service.recv_multipart()
                came.append(request)
                service.send_multipart([sender, b"done"])
            assert until(lambda: client.answered > 100)
        assert [k for k, request in enumerate(came) if request == b"\xc1"] == [0, 100]
        sent = client.sent
        time.sleep(0.05)
        assert client.sent == sent and threading.active_count() == threads
