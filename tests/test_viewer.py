"""The view without a browser: what it does with a daemon that comes and goes. With one: tests/test_browser.py."""

import pytest

from hapticd.client import Client
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
