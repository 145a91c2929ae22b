"""Where the sockets are and who may come in."""

import os

import pytest
import zmq

from hapticd import sockets
from hapticd.config import Sockets
from hapticd.errors import ConfigError


def test_folder_must_be_ours_alone(tmp_path):
    folder = sockets.private_folder(tmp_path / "run" / "hapticd")
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    with pytest.raises(ConfigError, match="0700"):
        sockets.private_folder(folder)
    (tmp_path / "link").symlink_to(tmp_path / "run")
    with pytest.raises(ConfigError, match="0700"):
        sockets.private_folder(tmp_path / "link")


def test_folder_by_default_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert sockets.runtime_folder() == tmp_path / "hapticd"
    assert sockets.runtime_folder(tmp_path / "x") == tmp_path / "x"


def test_a_path_that_is_too_long_for_a_socket_is_named(tmp_path):
    with pytest.raises(ConfigError, match="too long"):
        sockets.ipc(tmp_path / ("d" * 100), "state")


def test_the_second_socket_is_one_port_above():
    assert sockets.next_port("tcp://127.0.0.1:5570") == "tcp://127.0.0.1:5571"


@pytest.mark.parametrize("endpoint", ["tcp://0.0.0.0:5570", "tcp://*:5570", "tcp://192.168.0.5:5570"])
def test_outside_the_loopback_without_keys_is_refused(endpoint):
    assert list(Sockets(state=(endpoint,)).complaints())
    assert not sockets.is_open(endpoint)
    with zmq.Context() as context, pytest.raises(ConfigError, match="needs `keys`"):
        sockets.open_door(context, None, [endpoint])


def test_an_address_in_use_is_named(tmp_path):
    with zmq.Context() as context, context.socket(zmq.PUB) as one, context.socket(zmq.PUB) as other:
        one.bind("tcp://127.0.0.1:45580")
        with pytest.raises(ConfigError, match="45580: cannot be bound"):
            sockets.bind(other, ["tcp://127.0.0.1:45580"])


@pytest.mark.parametrize("taken", [0, 1])
def test_a_port_in_use_is_named_before_anything_is_opened(taken):
    """The second of a pair, too; and what was tried is free again afterwards."""
    first = 21590 + 10 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    endpoints = [f"tcp://127.0.0.1:{first + k}" for k in range(2)]
    with zmq.Context() as context, context.socket(zmq.PUB) as one:
        one.bind(endpoints[taken])
        with pytest.raises(ConfigError, match=rf"{first + taken}: cannot be bound .* a port of its own"):
            sockets.require_free(endpoints[:1])
    sockets.require_free(endpoints[:1])
    with zmq.Context() as context, context.socket(zmq.PUB) as one:
        sockets.bind(one, endpoints)
