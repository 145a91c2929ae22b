"""hapticd.Client against a publisher, a command service and a ticking ring, each in its own process."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

import hapticd
from hapticd import wire
from hapticd.client import Client, CommandRefused, Silence
from hapticd.config import Sockets
from hapticd.errors import HapticdError, WireError
from hapticd.keys import make_client, make_server
from hapticd.state import Contacts, read_state
from tests.emulators.daemon import daemon
from tests.emulators.ring_writer import NAMES

PATIENCE = 20.0  # s


@pytest.fixture
def folder(tmp_path):
    with daemon(tmp_path, Sockets(state=(), publish_hz=250.0)):
        yield tmp_path


@pytest.fixture
def client(folder):
    with Client(folder, timeout=PATIENCE) as client:
        yield client


def test_newest_state_as_numpy_views(client):
    state = client.state()
    assert state.body.shape == (4, 13) and not state.body.flags.writeable
    assert state.positions[2, 0] == 2.0 + np.sin(1e-3 * state.tick)
    assert np.allclose(state.q_xyzw, [0, 0, 0, 1]) and state.pointer.shape == (13,)
    assert state.mode == "FAULT" and state.cause == "START" and state.pointer_wrench.shape == (6,)
    contact = state.contacts[0]
    assert contact.body_a == 3 and contact.area == pytest.approx(0.01) and contact.polygon.shape == (4, 3)
    assert state.received_ns - state.sent_ns >= 0 and state.time_ns <= state.sent_ns
    assert client.state().tick > state.tick


def test_scene_has_names_and_shapes(client):
    scene = client.wait_scene()
    assert [body.name for body in scene.bodies] == list(NAMES) and scene.index["block2"] == 2
    assert scene.bodies[0].colour == (0.2, 0.4, 0.6) and scene.bodies[1].colour is None
    assert scene.shapes[scene.bodies[3].shapes[0]].vertices.shape == (8, 3)


def test_every_state_comes_and_the_lost_are_counted(client):
    seen = []
    for state in client.states():
        seen.append(state.seq)
        if len(seen) == 100:
            break
    assert seen == sorted(set(seen))
    assert client.gaps == seen[-1] - seen[0] + 1 - len(seen)
    time.sleep(1.5)  # longer than all queues
    for state in client.states():
        seen.append(state.seq)
        if len(seen) == 800:
            break
    assert client.gaps > 0 and client.gaps == seen[-1] - seen[0] + 1 - len(seen)


def test_nothing_waits_between_tick_and_callback(tmp_path):
    """Also at a low rate: the newest tick is taken when it is sent, not when the one before was."""
    with daemon(tmp_path, Sockets(state=(), publish_hz=30.0)), Client(tmp_path, timeout=PATIENCE) as client:
        states = client.states()
        ages = sorted((state.received_ns - state.time_ns) * 1e-6 for state, _ in zip(states, range(60), strict=False))
    assert ages[30] < 5.0, f"{ages[30]} ms"  # median, for a shared machine; 0.9 on a free core


def test_states_that_nobody_looks_at_are_counted_and_not_decoded(client, monkeypatch):
    first, decoded = client.state(), []
    monkeypatch.setattr(wire, "decode", lambda frame, real=wire.decode: decoded.append(frame) or real(frame))
    seen = client.states_seen
    time.sleep(0.3)  # shorter than the queue: nothing is lost
    state = client.state()
    assert client.gaps == 0 and client.states_seen - seen == state.seq - first.seq > 20
    assert sum(frame.startswith(wire.STATE) for frame in decoded) <= 4  # the newest, and one before a hello or timing
    end = time.monotonic() + PATIENCE
    while not client.timing or client.scene is None:  # what is no state is read all the same
        assert time.monotonic() < end
        client.newest()
        time.sleep(0.2)


def test_commands_are_done_at_a_tick_or_refused_with_a_reason(client):
    with pytest.raises(CommandRefused, match="mode") as refused:
        client.command("arm")
    assert refused.value.reply.code == "mode"
    cleared, armed = client.command("clear"), client.command("arm")
    assert cleared.tick < armed.tick
    assert client.status()["mode"] == "ACTIVE"
    assert client.command("wrench", body="block1", force=[0, 0, 1], ticks=3).ok
    assert client.command("set", name="gravity", value=[0, 0, -1.6]).ok
    assert client.stop().ok and client.status()["cause"] == "STOP"


def test_events_are_all_there(client):
    client.state()
    client.command("clear")
    client.stop()
    events, end = [], time.monotonic() + PATIENCE
    while sum(event["kind"] == "MODE" for event in events) < 2:
        assert time.monotonic() < end
        events += client.events()
        time.sleep(0.01)
    assert [event["to"] for event in events if event["kind"] == "MODE"] == ["IDLE", "FAULT"]
    assert [event["seq"] for event in events] == list(range(events[0]["seq"], events[0]["seq"] + len(events)))


def test_a_new_daemon_is_found_again(tmp_path):
    with Client(tmp_path, timeout=PATIENCE) as client:
        with daemon(tmp_path):
            first = client.wait_scene()
            assert client.state().seq >= 1 and client.command("clear").ok
        with pytest.raises(Silence, match="is a daemon running"):
            while True:
                client.state(timeout=0.3)
        with daemon(tmp_path):
            assert client.state().mode == "FAULT" and client.command("clear").ok
            end = time.monotonic() + PATIENCE
            while client.scene is first:
                assert time.monotonic() < end
                client.state()
    assert client.gaps >= 0


def test_keys_lead_through_tcp(tmp_path):
    keys = tmp_path / "keys"
    make_server(keys)
    make_client(keys, "screen", "observer", tmp_path / "screen.secret")
    state, control = "tcp://127.0.0.2:45610", "tcp://127.0.0.2:45612"
    with (
        daemon(tmp_path, Sockets(state=(state,), control=(control,), keys=keys)),
        Client(state, control, tmp_path / "screen.secret", timeout=PATIENCE) as client,
        Client(state, control, timeout=0.5) as stranger,
    ):
        assert client.state().mode == "FAULT" and client.status()["role"] == "observer"
        with pytest.raises(CommandRefused, match="role"):
            client.command("arm")
        assert client.stop().ok
        for ask in (stranger.state, stranger.status):
            with pytest.raises(Silence):
                ask()


def test_without_a_daemon_it_says_so(tmp_path):
    with Client(tmp_path, timeout=0.1) as client:
        assert client.newest() is None and client.events() == []
        with pytest.raises(Silence, match="hapticd run"):
            client.state()
        with pytest.raises(Silence, match="no reply"):
            client.stop()
    with Client("tcp://127.0.0.1:45619", timeout=0.1) as client, pytest.raises(HapticdError, match="control=tcp"):
        client.command("arm")


def test_the_program_in_the_readme_runs(tmp_path, monkeypatch, capsys):
    text = (Path(__file__).parents[1] / "README.md").read_text()
    program = re.search(r"```python no-run\n(import hapticd\n\nwith hapticd.Client.*?)```", text, re.DOTALL).group(1)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "hapticd"
    folder.mkdir(mode=0o700)
    with daemon(folder):
        exec(program, {})
    assert "FAULT" in capsys.readouterr().out


def test_public_name():
    assert hapticd.Client is Client


@pytest.mark.parametrize("message", [{}, {"seq": 1}, dict.fromkeys(("seq", "tick"), "x")])
def test_a_state_that_lacks_something_is_a_wire_error(message):
    with pytest.raises(WireError):
        read_state(message, 0)


def test_contact_columns_are_those_of_the_contacts(client):
    state = client.state()
    columns, contact = state.contact_columns, state.contacts[0]
    assert state.contact_count == len(columns.area) == 1 and columns.area[0] == contact.area
    assert np.array_equal(columns.normal[0], contact.normal) and np.array_equal(columns.centre[0], contact.centre)
    assert np.array_equal(columns.force[0], contact.wrench[:3]) and columns.depth[0] == contact.depth
    first, count = columns.first[0], columns.count[0]
    assert np.array_equal(columns.points[first : first + count], contact.polygon) and count == 4


@pytest.mark.parametrize(("first", "count"), [(-1, 3), (0, -3), (0, 4), (2, 2), (2**31 - 1, 2**31 - 1)])
def test_a_polygon_outside_of_the_points_is_none(first, count):
    of = np.zeros((1, 8), np.int32)
    of[0, 5:7] = first, count
    assert Contacts(np.zeros((1, 16), np.float32), of, np.zeros((3, 3), np.float32)).count[0] == 0


def test_contacts_with_rows_missing_are_a_wire_error():
    with pytest.raises(WireError, match="contact_of"):
        Contacts(np.zeros((2, 16)), np.zeros((1, 8), np.int32), np.zeros((3, 3)))
