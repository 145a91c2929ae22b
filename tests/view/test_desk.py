"""Commands from the browser against a command service in its own process."""

import time

import pytest

from hapticd.client import Client
from hapticd.view.desk import WRONG_PAUSE, Desk
from tests.emulators.daemon import daemon


@pytest.fixture
def desk(tmp_path):
    with daemon(tmp_path):
        desk = Desk(lambda: Client(tmp_path, timeout=20.0), "secret")
        yield desk
        desk.close()


def test_orders_are_answered_in_words(desk):
    assert "arm: mode" in desk.command("arm")
    assert desk.command("clear").startswith("clear: done at tick ")
    assert desk.command("set", name="gravity", value=[0, 0, 0]).startswith("set: done")
    assert desk.stop().startswith("stop: done at tick ")
    assert desk.scenes() == []


def test_a_daemon_that_is_gone_is_said(tmp_path):
    desk = Desk(lambda: Client(tmp_path, timeout=0.1), None)
    assert "no reply" in desk.command("arm", 0.1) and desk.scenes() == []
    desk.close()


def test_the_token_opens_and_guessing_is_slow(tmp_path):
    desk = Desk(lambda: Client(tmp_path), "secret")
    assert desk.knows("secret") and not desk.knows("Secret")
    assert not desk.knows("secret")  # for a second nobody is right
    time.sleep(WRONG_PAUSE + 0.1)
    assert desk.knows("secret")
    desk.close()
    without = Desk(lambda: Client(tmp_path), None)
    assert not without.knows("") and not without.knows("None")
    without.close()
