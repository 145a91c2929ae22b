"""The view without a browser: what it does with a daemon that comes and goes. With one: tests/test_browser.py."""

import time

import pytest

from hapticd.client import Client
from hapticd.config import Sockets
from hapticd.viewer import Viewer
from tests.emulators.daemon import daemon


@pytest.fixture
def viewer(tmp_path):
    viewer = Viewer(lambda: Client(tmp_path, timeout=20.0), 0)
    yield viewer
    viewer.close()


def test_it_shows_a_daemon_and_outlives_it(tmp_path, viewer):
    viewer.turn()
    assert "NO DAEMON" in viewer.panel.card.content
    with daemon(tmp_path):
        turns = 0
        while viewer.shown is None or not viewer.timing_shown:
            viewer.turn()
            turns += 1
            assert turns < 2000
        assert viewer.stage.scene.name == "small" and "FAULT" in viewer.panel.card.content
        assert "wake-up p50" in viewer.panel.wake.content
    while "NO DAEMON" not in viewer.panel.card.content:
        viewer.turn()
    with daemon(tmp_path):
        while "FAULT" not in viewer.panel.card.content:
            viewer.turn()


def frames(viewer, seconds: float) -> list[float]:
    """When the stage was shown something, s."""
    shown, real = [], viewer.stage.show
    viewer.stage.show = lambda state: shown.append(time.monotonic()) or real(state)
    end = time.monotonic() + 20.0
    while not shown:  # the scene comes first
        assert time.monotonic() < end
        viewer.turn()
    shown.clear()
    viewer.frame_due = 0.0  # turns without serve come faster than it allows
    end = time.monotonic() + seconds
    viewer.serve(lambda: time.monotonic() > end)
    return shown


@pytest.mark.parametrize("publish_hz", [60.0, 250.0])
def test_frames_are_about_sixty_a_second_at_most(tmp_path, viewer, publish_hz):
    with daemon(tmp_path, Sockets(state=(), publish_hz=publish_hz)):
        shown = frames(viewer, 2.0)
    assert 60 < len(shown) <= 2.0 * 62 + 3


def test_a_state_that_comes_in_time_is_shown_when_it_comes(tmp_path, viewer):
    """Not at the next frame of a clock of the view's own, which was up to 17 ms later."""
    ages, real = [], viewer.client.state
    viewer.client.state = lambda timeout: ages.append((state := real(timeout)).received_ns - state.sent_ns) or state
    with daemon(tmp_path):
        frames(viewer, 2.0)
    assert sorted(ages)[len(ages) // 2] < 4e6  # ns; 8e6 when both clocks are at odds
