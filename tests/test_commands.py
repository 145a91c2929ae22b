"""The command service against a ring whose servo side this test ticks, and peers of every kind."""

import logging
import os
import random
import socket as raw_sockets
import time
from pathlib import Path

import msgpack
import pytest
import zmq

from hapticd.commands import CommandService
from hapticd.config import Sockets
from hapticd.control import SENT, STOP
from hapticd.errors import SceneError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard import states
from hapticd.keys import make_client, make_server, read_pair
from hapticd.peers import PEER_BURST, PEERS
from hapticd.ring import Ring
from hapticd.sockets import ipc, next_port
from hapticd.wire import Reply, Request, decode_reply, encode_request
from tests.emulators.peers import Peers
from tests.emulators.ring_writer import RingWriter, make_ring

PATIENCE = 20.0  # s; a shared machine has slow moments
# Below the ports that the kernel gives to others, and another one for each of pytest's workers.
CONTROL = f"tcp://127.0.0.1:{20590 + 10 * int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0')[2:])}"


class Desk:
    """A service and the servo side of its ring, both turned by hand."""

    def __init__(self, folder: Path, sockets: Sockets, **options) -> None:
        self.folder = folder
        self.writer = RingWriter(make_ring(folder / "ring"))
        self.ring = self.writer.ring
        self.writer.step(0)
        self.service = CommandService(Ring.attach(folder / "ring", writable=True), sockets, folder, **options)
        self.peers = Peers()
        self.number = 0
        self.frozen = False

    def turn(self) -> None:
        self.service.poll(0)
        if not self.frozen:
            self.writer.step(time.monotonic_ns())

    def dealer(self, name: str = "command", **options) -> zmq.Socket:
        return self.peers.socket(zmq.DEALER, name if "://" in name else ipc(self.folder, name), **options)

    def raw(self, socket: zmq.Socket, payload: bytes) -> Reply:
        socket.send(payload)
        return self.reply(socket)

    def reply(self, socket: zmq.Socket) -> Reply:
        end = time.monotonic() + PATIENCE
        while not socket.poll(0):
            assert time.monotonic() < end, "no reply"
            self.turn()
            time.sleep(0.0002)
        return decode_reply(socket.recv())

    def ask(self, socket: zmq.Socket, command: str, **args) -> Reply:
        self.number += 1
        reply = self.raw(socket, encode_request(Request(self.number, command, args)))
        assert reply.id == self.number
        return reply

    def close(self) -> None:
        self.service.close()
        self.peers.destroy(linger=0)


@pytest.fixture
def open_desk(tmp_path):
    desks = []

    def make(sockets: Sockets | None = None, **options) -> Desk:
        desks.append(Desk(tmp_path, sockets or Sockets(), **options))
        return desks[-1]

    yield make
    for desk in desks:
        desk.close()


@pytest.fixture
def desk(open_desk):
    return open_desk()


def test_a_command_is_done_at_a_named_tick(desk):
    socket = desk.dealer()
    cleared, armed = desk.ask(socket, "clear"), desk.ask(socket, "arm")
    assert cleared.ok and armed.ok and cleared.tick < armed.tick
    slot = desk.ring.empty()
    for reply, code in ((cleared, states.COMMAND_CLEAR), (armed, states.COMMAND_ARM)):
        assert desk.ring.read(reply.tick, slot) and slot["command"][0, g.COMMAND_CODE] == code
    assert desk.ask(socket, "status").result["mode"] == "ACTIVE"


def test_a_refused_command_says_why(desk):
    socket = desk.dealer()
    refused = desk.ask(socket, "arm")
    assert (refused.code, refused.ok) == ("mode", False) and "status" in refused.reason
    assert desk.ask(socket, "set", name="limit.force", value=9.0).code == "value"  # raising is for the kernel to refuse


def test_a_req_socket_will_do(desk):
    socket = desk.peers.socket(zmq.REQ, ipc(desk.folder, "command"))
    assert desk.ask(socket, "status").result["role"] == "control"


def test_stop_goes_past_a_full_mailbox(desk):
    """The servo takes no commands, the mailbox is full: a stop is done in the first tick there is."""
    socket, stop = desk.dealer(), desk.dealer("stop")
    desk.ask(socket, "clear")
    desk.ask(socket, "arm")
    while desk.ring.mailbox.send(0, states.COMMAND_NONE):
        pass
    before = desk.ring.newest()
    reply = desk.ask(stop, "stop")
    assert reply.ok and before < reply.tick and desk.writer.mode == states.FAULT
    slot = desk.ring.empty()
    assert desk.ring.read(reply.tick, slot) and slot["input"][g.INPUT_STOP] == states.CAUSE_STOP


def test_full_mailbox_is_busy(desk):
    socket = desk.dealer()
    desk.frozen = True
    while desk.ring.mailbox.send(0, states.COMMAND_NONE):
        pass
    assert desk.ask(socket, "clear").code == "busy"


def test_stop_in_a_flood_is_acted_on_in_the_same_turn(desk):
    """Fault row 34: whatever waits on the command socket, one turn of the service is enough for a stop."""
    flooder, stop = desk.dealer(sndhwm=10_000), desk.dealer("stop")
    assert desk.ask(stop, "stop").ok
    junk = encode_request(Request(1, "status"))
    for _ in range(20):
        for _ in range(500):
            flooder.send(junk, zmq.NOBLOCK)
        stop.send(encode_request(Request(5, "stop")))
        before = int(desk.ring.control[STOP, 0])
        assert desk.service.poller.poll(5000)
        deadline = time.monotonic() + PATIENCE
        while not any(port.stop and port.socket.poll(0) for port in desk.service.ports):
            assert time.monotonic() < deadline
        desk.service.poll(0)
        assert desk.ring.control[STOP, 0] == before + 1
        assert desk.reply(stop).ok


def test_a_service_for_stops_alone_acts_and_bears_a_flood(open_desk):
    desk = open_desk(only="stop")
    assert [port.stop for port in desk.service.ports] == [True]
    stop = desk.dealer("stop", sndhwm=10_000)
    desk.ask(stop, "stop")
    for _ in range(2000):
        stop.send(encode_request(Request(1, "stop")), zmq.NOBLOCK)
    before, end = int(desk.ring.control[STOP, 0]), time.monotonic() + PATIENCE
    while desk.ring.control[STOP, 0] < before + 2000:
        assert time.monotonic() < end
        desk.turn()
    assert len(desk.service.stopping) <= 64


def test_a_flood_is_dropped_and_told_so_and_others_are_served(desk):
    flooder, other = desk.dealer(sndhwm=100_000), desk.dealer()
    for number in range(3000):
        flooder.send(encode_request(Request(number, "status")), zmq.NOBLOCK)
    assert desk.ask(other, "status").ok
    end, answers = time.monotonic() + 0.7, []
    while time.monotonic() < end:
        desk.turn()
        while flooder.poll(0):
            answers.append(decode_reply(flooder.recv()))
    served, told = [a for a in answers if a.ok], [a for a in answers if a.code == "rate"]
    assert PEER_BURST <= len(served) <= PEER_BURST + 100 and 1 <= len(told) <= 5
    assert told[0].id is None and "dropped" in told[0].reason


def test_too_many_peers_get_no_place_and_a_stop_is_still_heard(desk):
    known = [desk.dealer() for _ in range(PEERS)]
    assert all(desk.ask(socket, "status").ok for socket in known)
    late = desk.dealer()
    late.send(encode_request(Request(1, "status")))
    for _ in range(50):
        desk.turn()
        time.sleep(0.002)
    assert not late.poll(0) and len(desk.service.peers.known) == PEERS
    assert desk.ask(desk.dealer("stop"), "stop").ok


def test_a_servo_that_does_not_tick_is_told(desk):
    desk.frozen = True
    reply = desk.ask(desk.dealer("stop"), "stop")
    assert reply.code == "timeout" and "watchdog" in reply.reason
    assert desk.ask(desk.dealer(), "clear").code == "timeout"


def test_wrench_and_gravity_arrive_as_numbers(desk):
    socket = desk.dealer()
    reply = desk.ask(socket, "wrench", body="block2", force=[1, 2.5, 3], ticks=40)
    slot = desk.ring.empty()
    assert desk.ring.read(reply.tick, slot)
    assert slot["command"][0].tolist()[1:] == [states.COMMAND_WRENCH, 2, 40, 1.0, 2.5, 3.0, 0, 0, 0, 0, 0]
    reply = desk.ask(socket, "set", name="gravity", value=[0, 0, -1.62])
    assert desk.ring.read(reply.tick, slot)
    assert slot["command"][0, g.COMMAND_VALUE : g.COMMAND_VALUE + 3].tolist() == [0, 0, -1.62]


def test_bad_messages_get_typed_replies_and_change_nothing(desk):
    socket = desk.dealer()
    for payload in (b"", b"\xc1", b"\x91" * 60_000, b"\xdf\xff\xff\xff\xff", msgpack.packb({"v": 9})):
        reply = desk.raw(socket, payload)
        assert (reply.code, reply.id) == ("bad", None)
    socket.send_multipart([b"a", b"b", b"c"])
    assert desk.reply(socket).code == "bad"
    assert desk.ask(desk.dealer("stop"), "arm").code == "unknown"
    assert desk.ring.control[SENT, 0] == 0 and desk.ring.control[STOP, 0] == 0


def test_a_message_that_is_too_large_ends_the_connection_only(desk):
    """Fault row 35: the sender is cut off by the socket itself, the next one is served."""
    big = desk.dealer()
    big.send(b"x" * (1 << 20))
    for _ in range(100):
        desk.turn()
        time.sleep(0.001)
    assert not big.poll(0)
    assert desk.ask(desk.dealer(), "status").ok


def fuzz(desk: Desk, seed: int, count: int) -> None:
    rng, socket = random.Random(seed), desk.dealer(sndhwm=0)
    desk.service.peers.allows = lambda peer, now: True  # all are to be read
    good = [encode_request(Request(3, name, {"body": "block1", "value": 1.0})) for name in ("bogus", "set", "wrench")]
    for _ in range(0, count, 20):
        for _ in range(20):
            raw = bytearray(rng.choice(good))
            for _ in range(rng.randrange(1, 4)):
                raw[rng.randrange(len(raw))] = rng.randrange(256)
            socket.send(bytes(raw) if rng.random() < 0.8 else rng.randbytes(rng.randrange(100)))
        while socket.poll(0) or desk.service.poller.poll(0):
            desk.service.poll(0)
            while socket.poll(0):
                assert decode_reply(socket.recv()).code in ("bad", "unknown", "value", "target")
    assert desk.ring.control[SENT, 0] == 0 and desk.ring.control[STOP, 0] == 0
    assert desk.ask(desk.dealer(), "status").ok


def test_spoilt_commands_change_nothing(desk):
    fuzz(desk, 1, 2000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_million_spoilt_commands_change_nothing(desk, seed):
    fuzz(desk, seed, 100_000)


@pytest.fixture
def guarded(open_desk, tmp_path):
    """Control over TCP: a desk, and a function that comes with the keys of somebody."""
    folder = tmp_path / "keys"
    make_server(folder)
    for name, role in (("screen", "observer"), ("lab", "control")):
        make_client(folder, name, role, tmp_path / f"{name}.secret")
    desk = open_desk(Sockets(control=(CONTROL,), keys=folder))

    def come(name: str, address: str = CONTROL) -> zmq.Socket:
        pair = read_pair(tmp_path / f"{name}.secret")
        return desk.dealer(
            address,
            curve_serverkey=pair.server.encode(),
            curve_publickey=pair.public.encode(),
            curve_secretkey=pair.secret.encode(),
        )

    return desk, come


def test_on_tcp_the_key_gives_the_role(guarded, caplog):
    """Fault row 37: an observer is refused by name, and may still stop."""
    desk, come = guarded
    assert desk.ask(come("lab"), "clear").ok
    screen = come("screen")
    with caplog.at_level(logging.WARNING):
        refused = desk.ask(screen, "arm")
    assert refused.code == "role" and "refused screen: arm needs the role control" in caplog.text
    status = desk.ask(screen, "status").result
    assert (status["role"], status["name"], status["mode"]) == ("observer", "screen", "IDLE")
    assert desk.ask(come("screen", next_port(CONTROL)), "stop").ok and desk.writer.mode == states.FAULT


def test_without_a_key_on_the_list_nobody_is_heard(guarded, caplog):
    desk, _ = guarded
    public, secret = zmq.curve_keypair()
    server = read_pair(desk.folder / "screen.secret").server.encode()
    strangers = [
        desk.dealer(CONTROL),
        desk.dealer(CONTROL, curve_serverkey=server, curve_publickey=public, curve_secretkey=secret),
    ]
    for stranger in strangers:
        stranger.send(encode_request(Request(1, "clear")))
    end = time.monotonic() + 1.0
    with caplog.at_level(logging.WARNING):
        while time.monotonic() < end or public.decode() not in caplog.text:
            assert time.monotonic() < end + PATIENCE
            desk.turn()
            time.sleep(0.001)
    assert not any(stranger.poll(0) for stranger in strangers)
    assert desk.ring.control[SENT, 0] == 0 and desk.writer.mode == states.FAULT


def test_junk_and_half_open_connections_harm_nobody(guarded):
    """Fault row 36: two hundred raw connections, silent or talking nonsense, and a guest who asks meanwhile."""
    desk, come = guarded
    rng, connections = random.Random(5), []
    host, port = CONTROL.removeprefix("tcp://").split(":")
    for i in range(200):
        connection = raw_sockets.create_connection((host, int(port)), timeout=10)
        connections.append(connection)
        if i % 2:
            connection.sendall(b"\xff" + rng.randbytes(9) + b"\x7f\x03" + rng.randbytes(rng.randrange(300)))
        if i % 20 == 0:
            assert desk.ask(come("lab"), "status").ok
    assert desk.ask(come("lab"), "status").ok
    for connection in connections:
        connection.close()


def test_scene_is_built_beside_and_swapped_at_a_tick(open_desk):
    desk = open_desk(builder=lambda ring, build: (1, (0.0,)) if build.name == "tower" else _bad(build))
    socket = desk.dealer()
    before = desk.writer.generation
    reply = desk.ask(socket, "load", name="tower")
    assert reply.ok and desk.writer.generation == before + 1
    slot = desk.ring.empty()
    assert desk.ring.read(reply.tick, slot)
    assert slot["command"][0, [g.COMMAND_CODE, g.COMMAND_TARGET]].tolist() == [states.COMMAND_SCENE, 1]
    refused = desk.ask(socket, "load", text="gravity = 1")
    assert refused.code == "scene" and "line 1" in refused.reason and desk.writer.generation == before + 1


def _bad(build):
    raise SceneError("text: line 1 is wrong")


def test_a_builder_that_crashes_or_hangs_harms_nobody(open_desk, monkeypatch):
    monkeypatch.setattr("hapticd.scenes.BUILD_SECONDS", 1)
    deeds = {"crash": lambda: 1 / 0, "hang": lambda: time.sleep(60)}
    desk = open_desk(builder=lambda ring, build: deeds[build.name]())
    socket, stop = desk.dealer(), desk.dealer("stop")
    assert desk.ask(socket, "load", name="crash").code == "scene"
    socket.send(encode_request(Request(70, "load", {"name": "hang"})))
    assert desk.ask(desk.dealer(), "status").ok
    assert desk.ask(desk.dealer(), "load", name="crash").code == "busy"
    assert desk.ask(stop, "stop").ok
    hung = desk.reply(socket)
    assert hung.code == "scene" and "within 1 s" in hung.reason


def test_a_daemon_without_builder_says_so(desk):
    assert desk.ask(desk.dealer(), "load", name="tower").code == "scene"
