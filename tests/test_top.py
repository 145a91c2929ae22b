"""What the terminal view draws."""

import io

import pytest
from rich.console import Console

from hapticd import top
from hapticd.client import Client
from tests.emulators.daemon import daemon


@pytest.fixture
def client(tmp_path):
    with daemon(tmp_path), Client(tmp_path, timeout=20.0) as client:
        client.wait_scene()
        yield client


def drawn(screen: top.Top, client: Client) -> str:
    state = client.state()
    screen.add(state, client.events())
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(screen.draw(state, client.scene, client.timing))
    return console.file.getvalue()


def test_a_whole_screen(client):
    screen = top.Top()
    assert "FAULT" in drawn(screen, client)
    client.command("clear")
    client.command("arm")
    text = ""
    for state in client.states():
        text = drawn(screen, client)
        if "ACTIVE" in text and client.timing and "IDLE -> ACTIVE" in text:
            break
        assert state.tick < 60_000
    for words in ("small", "pointer on table", "wake-up p50 p99 max", "1.00 N", "not real-time", "100.00"):
        assert words in text, words


def test_sparkline_uses_the_whole_height():
    assert top.sparkline([0, 1, 2, 4, 8]) == " ▁▂▄█"
    assert top.sparkline([]) == "" and top.sparkline([0.0, 0.0]) == "  "
    assert top.sparkline([-5.0, 1.0]) == " █"


def test_events_in_one_line():
    mode = {"tick": 5, "kind": "MODE", "from": "ACTIVE", "to": "FAULT", "cause": "STOP"}
    assert top.event_line(mode).strip() == "5 MODE ACTIVE -> FAULT: STOP"
    assert "OVERRUN 3" in top.event_line({"tick": 5, "kind": "OVERRUN", "code": 3})


def test_one_look_for_scripts(client):
    found = top.as_json(client.state(), client.scene, {"v": 1, "rate_hz": 1000.0})
    assert found["mode"] == "FAULT" and found["scene"] == "small" and found["timing"] == {"rate_hz": 1000.0}
