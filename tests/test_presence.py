"""How others see the daemon: locks that end with the process, a status file that is never half written, systemd."""

import os
import signal
import socket

import pytest

from hapticd.errors import DeviceOpenError
from hapticd.presence import Lock, StatusFile, device_lock, notify


def test_second_lock_is_refused_and_names_the_holder(tmp_path):
    first = Lock(tmp_path / "lock", "device X")
    with pytest.raises(DeviceOpenError, match=f"device X is in use.*{os.getpid()}"):
        Lock(tmp_path / "lock", "device X")
    first.release()
    assert not (tmp_path / "lock").exists()
    Lock(tmp_path / "lock", "device X").release()


def test_lock_that_cannot_be_made_says_where(tmp_path):
    (tmp_path / "lock").mkdir()
    with pytest.raises(DeviceOpenError, match="cannot be locked"):
        Lock(tmp_path / "lock", "device X")


def test_file_removed_by_its_last_holder_is_not_the_lock(tmp_path, monkeypatch):
    """Two starts at once: the second one gets the old file just when the first removes it."""
    import hapticd.presence

    first, real = Lock(tmp_path / "lock", "it"), hapticd.presence._open

    def late(path):
        monkeypatch.setattr(hapticd.presence, "_open", real)
        descriptor = os.open(path, os.O_RDWR)
        first.release()
        return descriptor

    monkeypatch.setattr(hapticd.presence, "_open", late)
    second = Lock(tmp_path / "lock", "it")
    with pytest.raises(DeviceOpenError):
        Lock(tmp_path / "lock", "it")
    second.release()


def test_lock_ends_with_a_killed_process(tmp_path):
    ready, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        Lock(tmp_path / "lock", "it")
        os.write(tell, b"x")
        signal.pause()
    os.read(ready, 1)
    with pytest.raises(DeviceOpenError, match=str(pid)):
        Lock(tmp_path / "lock", "it")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    Lock(tmp_path / "lock", "it").release()
    os.close(ready)
    os.close(tell)


def test_same_device_by_another_name_is_the_same_lock(tmp_path):
    (tmp_path / "tty").touch()
    (tmp_path / "link").symlink_to(tmp_path / "tty")
    lock = device_lock(str(tmp_path / "tty"))
    with pytest.raises(DeviceOpenError):
        device_lock(str(tmp_path / "link"))
    lock.release()


def test_status_is_read_back_and_rubbish_is_nothing(tmp_path):
    file = StatusFile(tmp_path)
    assert file.read() == {}
    file.write({"pid": 3, "ended": None})
    assert file.read() == {"pid": 3, "ended": None} and list(tmp_path.iterdir()) == [file.path]
    for rubbish in ("", "{", "[1]"):
        file.path.write_text(rubbish)
        assert file.read() == {}


def test_notify_reaches_systemd_and_bears_its_absence(tmp_path, monkeypatch):
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "s"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "s"))
        notify("READY=1")
        assert server.recv(64) == b"READY=1"
    notify("WATCHDOG=1")  # the socket is there, its owner is not
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind("\0hapticd-test-notify")
        monkeypatch.setenv("NOTIFY_SOCKET", "@hapticd-test-notify")
        notify("STATUS=x")
        assert server.recv(64) == b"STATUS=x"
