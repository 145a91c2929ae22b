"""The publisher against a ring that this test writes, tick by tick, and readers of every kind."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest
import zmq

from hapticd import wire
from hapticd.config import Sockets
from hapticd.control import STOP
from hapticd.kernel.guard.states import EVENT_RECORD
from hapticd.keys import make_client, make_server, read_pair
from hapticd.publisher import HELLO_PAUSE, Publisher
from hapticd.ring import Ring
from hapticd.sockets import ipc, next_port
from tests.emulators.peers import Peers
from tests.emulators.ring_writer import NAMES, RingWriter, make_ring

PATIENCE = 20_000  # ms; a shared machine has slow moments


@pytest.fixture
def context():
    context = Peers()
    yield context
    context.destroy(linger=0)


@pytest.fixture
def writer(tmp_path):
    return RingWriter(make_ring(tmp_path / "ring"))


@pytest.fixture
def publish(tmp_path, writer):
    """Publishers, closed at the end."""
    made = []

    def make(**settings):
        publisher = Publisher(Ring.attach(tmp_path / "ring"), Sockets(**{"state": (), **settings}), tmp_path)
        made.append(publisher)
        return publisher

    yield make
    for publisher in made:
        publisher.close()


def turn(publisher: Publisher, writer: RingWriter, until, seconds: float = 20.0) -> None:
    """Ticks and publishes by turns until `until` holds."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "nothing came"
        writer.step(time.monotonic_ns())
        publisher.step()
        time.sleep(0.0005)


def test_newcomer_gets_hello_then_states(tmp_path, context, writer, publish):
    publisher = publish(publish_hz=250.0)
    socket = context.subscriber(ipc(tmp_path, "state"), b"")
    got = []
    turn(publisher, writer, lambda: _take(socket, got) >= 10 and any(topic == wire.HELLO for topic, _ in got))
    hello = next(message for topic, message in got if topic == wire.HELLO)
    scene = hello["scene"]
    assert [body["name"] for body in scene["bodies"]] == list(NAMES) and scene["pointer"] == 3
    assert [body["shapes"] for body in scene["bodies"]] == [[0], [1], [1], [2]]  # equal shapes once
    vertices = np.frombuffer(scene["shapes"][0]["vertices"], "<f4").reshape(-1, 3)
    assert np.allclose(np.abs(vertices).max(axis=0), [0.5, 0.5, 0.05])
    assert hello["blobs"]["body"]["columns"][3:7] == ["qx", "qy", "qz", "qw"]
    assert scene["gains"][0]["materials"] == ["wood", "wood"] and scene["gains"][0]["stiffness"] == 1.0
    states = [message for topic, message in got if topic == wire.STATE]
    ticks = [message["tick"] for message in states]
    assert ticks == sorted(set(ticks)) and [m["seq"] for m in states] == list(range(1, len(states) + 1))
    body = wire.arrays(states[-1])["body"]
    assert body.shape == (4, 13) and body[2, 0] == 2.0 + np.sin(1e-3 * ticks[-1])


def test_contacts_are_of_the_newest_tick_with_outlines(tmp_path, context, writer, publish):
    """The servo works out the outlines in every eighth tick; every state has some, and its bodies are the newest."""
    publisher = publish(publish_hz=1000.0)
    socket, got = context.subscriber(ipc(tmp_path, "state"), wire.STATE), []

    def tick_on() -> bool:
        writer.points = 4 if writer.tick % 8 == 0 else 0
        return _take(socket, got) >= 100

    turn(publisher, writer, tick_on)
    for _, message in got[2:]:
        assert message["contact_tick"] == message["tick"] // 8 * 8
        found = wire.arrays(message)
        assert len(found["point"]) == 4 and len(found["contact"]) == 1
        assert found["body"][0, 0] == np.sin(1e-3 * message["tick"])


def _take(socket: zmq.Socket, got: list) -> int:
    while socket.poll(0):
        got.append(wire.decode(socket.recv()))
    return len(got)


def test_triangles_face_outwards(publish):
    shape = publish().hello()["scene"]["shapes"][2]
    vertices = np.frombuffer(shape["vertices"], "<f4").reshape(-1, 3)
    a, b, c = (vertices[corner] for corner in np.frombuffer(shape["faces"], "<i4").reshape(-1, 3).T)
    assert len(a) == 12 and np.all(np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0.0)


def test_hello_is_rate_limited(tmp_path, context, writer, publish):
    publisher = publish()
    first = context.subscriber(ipc(tmp_path, "state"), wire.HELLO)
    got: list = []
    turn(publisher, writer, lambda: _take(first, got) >= 1)
    begin, seen = time.monotonic(), len(got)
    others = []
    while time.monotonic() < begin + 2.5 * HELLO_PAUSE:
        others.append(context.subscriber(ipc(tmp_path, "state"), b"hello"))
        turn(publisher, writer, lambda: True)
        publisher.step()
        time.sleep(0.01)
    _take(first, got)
    assert len(others) > 10 and 1 <= len(got) - seen <= 4


def test_events_come_in_order_on_their_own_socket(tmp_path, context, writer, publish):
    publisher = publish()
    socket = context.subscriber(ipc(tmp_path, "event"), b"")
    turn(publisher, writer, lambda: publisher.listeners[wire.EVENT] == 1)
    writer.ring.mailbox.send(7, 1)
    turn(publisher, writer, lambda: writer.mode == 1)
    writer.ring.control[STOP, 0] += 1
    got: list = []
    turn(publisher, writer, lambda: _take(socket, got) >= 3)
    events = [message for _, message in got]
    assert [e["kind"] for e in events] == ["MODE", "COMMAND", "MODE"] and [e["seq"] for e in events] == [1, 2, 3]
    assert (events[0]["from"], events[0]["to"], events[0]["cause"]) == ("FAULT", "IDLE", "COMMAND")
    assert (events[1]["id"], events[1]["command"], events[1]["result"]) == (7, "CLEAR", "done")
    assert events[2]["cause"] == "STOP" and events[0]["tick"] < events[2]["tick"]
    # the recorder's own journal: a full disk is told while it is full
    writer.ring.recorder_journal.write(0, (1, 5, EVENT_RECORD, 2, (5.0, 0.0, 0.0, 0.0), b"recording waits"))
    turn(publisher, writer, lambda: _take(socket, got) >= 4)
    assert {"source": "recorder", "kind": "RECORD", "code": 2, "tick": 5}.items() <= got[3][1].items()


def test_timing_describes_the_second(tmp_path, context, writer, publish):
    publisher = publish()
    socket = context.subscriber(ipc(tmp_path, "state"), wire.TIMING)
    got: list = []
    turn(publisher, writer, lambda: _take(socket, got) >= 1)
    timing = got[0][1]
    assert timing["ticks"] > 10 and sum(timing["histogram"]) == timing["ticks"] and timing["lost"] == 0
    assert timing["wake_us"]["p50"] <= timing["wake_us"]["p99"] <= timing["wake_us"]["max"]
    assert set(timing["stage_us"]) == {"read", "decode", "step", "encode", "write", "tick"}


def test_nothing_is_encoded_without_listeners(writer, publish, monkeypatch):
    publisher = publish()
    monkeypatch.setattr(wire, "encode_state", lambda *_: pytest.fail("nobody listens"))
    for _ in range(50):
        writer.step(0)
        publisher.step()
        time.sleep(0.002)
    assert publisher.tick > 0


def test_readers_that_never_read_cost_nothing_and_harm_nobody(tmp_path, context, writer, publish):
    """Fault row 33: the queues of eight deaf readers are bounded, and the ninth keeps its rate."""
    writer.bodies, writer.contacts, writer.points = 64, 16, 128  # 10 kB a state
    publisher = publish(publish_hz=1000.0)
    address = ipc(tmp_path, "state")
    deaf = [context.subscriber(address, b"", rcvhwm=1, rcvbuf=4096) for _ in range(8)]
    socket, got = context.subscriber(address, wire.STATE), []
    turn(publisher, writer, lambda: publisher.listeners[wire.STATE] == 9 and _take(socket, got) >= 500)
    before, seen, kept = _resident(), publisher.number, 0

    def read_on() -> bool:
        nonlocal kept
        kept += _take(socket, got)
        got.clear()
        return publisher.number >= seen + 2000

    got.clear()
    turn(publisher, writer, read_on, seconds=60.0)
    assert kept > 1800 and _resident() - before < 5 << 20
    assert len(deaf) == 8


def _resident() -> int:
    """Bytes of our own memory; the ring's pages are the daemon's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024


def test_a_reader_that_dies_is_forgotten(tmp_path, context, writer, publish):
    publisher = publish()
    for _ in range(3):
        socket = context.subscriber(ipc(tmp_path, "state"), b"")
        turn(publisher, writer, lambda: publisher.listeners[wire.STATE] == 1)
        socket.close(linger=0)
        turn(publisher, writer, lambda: publisher.listeners[wire.STATE] == 0)


def test_keys_open_the_door_for_those_on_the_list(tmp_path, context, writer, publish):
    """State outside the loopback needs keys: a guest reads, a stranger and one without keys do not."""
    keys = tmp_path / "keys"
    make_server(keys)
    make_client(keys, "screen", "observer", tmp_path / "screen.secret")
    pair, address = read_pair(tmp_path / "screen.secret"), "tcp://127.0.0.2:45570"
    publisher = publish(state=(address,), keys=keys)

    def come(public: str, secret: str) -> zmq.Socket:
        curve = {"curve_serverkey": pair.server.encode(), "curve_publickey": public.encode()}
        return context.subscriber(address, b"", **curve, curve_secretkey=secret.encode())

    stranger = zmq.curve_keypair()
    others = [come(*(key.decode() for key in stranger)), context.subscriber(next_port(address), b"")]
    guest, got = come(pair.public, pair.secret), []
    turn(publisher, writer, lambda: _take(guest, got) >= 3)
    assert all(not other.poll(200) for other in others)


def test_serve_keeps_its_rate_and_stops_when_told(tmp_path, context, writer, publish):
    publisher, stop = publish(publish_hz=100.0), threading.Event()
    socket = context.subscriber(ipc(tmp_path, "state"), wire.STATE)
    thread = threading.Thread(target=publisher.serve, args=(stop.is_set,))
    thread.start()
    end, due = time.monotonic() + 1.5, time.monotonic_ns()
    while time.monotonic() < end:
        writer.step(due)
        time.sleep(0.001)
    stop.set()
    thread.join(10)
    assert not thread.is_alive() and 50 < publisher.number <= 152
    assert socket.poll(PATIENCE)
