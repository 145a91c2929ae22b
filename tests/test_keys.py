"""Keys: made private, kept private, refused when they are not."""

import os
import stat

import pytest

from hapticd import keys
from hapticd.errors import ConfigError


@pytest.fixture
def folder(tmp_path):
    old = os.umask(0o022)  # what a shell has; zmq's own tool writes 0644 under it
    keys.make_server(tmp_path / "keys")
    yield tmp_path / "keys"
    os.umask(old)


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_file_is_private_from_the_start(folder, tmp_path):
    secret = keys.make_client(folder, "screen", "observer", tmp_path / "screen.secret")
    assert mode(folder) == mode(folder / "clients") == 0o700
    for path in (folder / "server.secret", secret, folder / "clients" / "screen.toml"):
        assert mode(path) == 0o600, path
    assert keys.read_pair(secret).server == keys.read_pair(folder / "server.secret").public


def test_guests_have_their_role_by_public_key(folder, tmp_path):
    for name, role in (("screen", "observer"), ("desk", "control")):
        keys.make_client(folder, name, role, tmp_path / f"{name}.secret")
    guests = keys.read_guests(folder)
    assert guests[keys.read_pair(tmp_path / "desk.secret").public] == keys.Guest("desk", "control")
    assert guests[keys.read_pair(tmp_path / "screen.secret").public].role == "observer"
    assert keys.read_pair(folder / "server.secret").public not in guests


def test_a_secret_that_others_can_read_is_refused(folder):
    path = folder / "server.secret"
    for wide in (0o640, 0o604, 0o644):
        path.chmod(wide)
        with pytest.raises(ConfigError, match="chmod 600"):
            keys.read_pair(path)


def test_nothing_is_overwritten(folder, tmp_path):
    before = (folder / "server.secret").read_text()
    assert keys.make_server(folder).read_text() == before
    keys.make_client(folder, "screen", "observer", tmp_path / "screen.secret")
    with pytest.raises(ConfigError, match="exists"):
        keys.make_client(folder, "screen", "control", tmp_path / "other.secret")
    assert not (tmp_path / "other.secret").exists()


@pytest.mark.parametrize("name", ["", "../desk", "a b", "x" * 41, "a/b"])
def test_names_cannot_leave_the_folder(folder, tmp_path, name):
    with pytest.raises(ConfigError, match="name"):
        keys.make_client(folder, name, "observer", tmp_path / "x.secret")


def test_a_spoilt_key_is_named(folder):
    path = folder / "server.secret"
    path.write_text('public = "short"\nsecret = "' + "x" * 40 + '"\n')
    with pytest.raises(ConfigError, match="public is no CURVE key"):
        keys.read_pair(path)
    assert "x" * 40 not in repr(keys.Pair(public="p" * 40, secret="x" * 40))
