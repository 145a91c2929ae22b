"""A third party's driver: found by its entry point, and held to the same contract as ours."""

import socket
import struct
import sys
from pathlib import Path

import pytest

from hapticd.device import driver_names, find_driver, open_device
from hapticd.errors import ConfigError, DeviceOpenError
from tests.drivers.contract import DriverContract

PLUGIN = Path(__file__).parents[1] / "emulators" / "plugin"


@pytest.fixture
def plugin(monkeypatch):
    """The plug-in's folder with its metadata on the path, as pip would leave it."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    yield
    sys.modules.pop("bench_plugin", None)


def reply(x: float, sequence: int) -> bytes:
    body = struct.pack("<BB13f", 0x5B, sequence, x, 0, 0, 0, 0, 0, 1, *[0] * 6)
    return body + bytes([sum(body) % 256])


class TestPlugin(DriverContract):
    @pytest.fixture
    def device(self, plugin, tmp_path):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(str(tmp_path / "s"))
        server.listen()
        device, descriptor = open_device("bench", {"path": str(tmp_path / "s")})
        assert descriptor >= 0
        yield device
        device.close()
        server.close()

    def frames(self, device):
        stream = b"".join(reply(0.001 * k, k) for k in range(8))
        return [stream[i : i + 40] for i in range(0, len(stream), 40)]  # cut in the middle of frames


def test_is_found_by_entry_point(plugin):
    assert "bench" in driver_names()
    assert find_driver("bench").name == "bench"


def test_unknown_driver_names_those_that_are_there(plugin):
    with pytest.raises(ConfigError, match=r"device\.driver: no driver is called 'nosuch'.*bench"):
        find_driver("nosuch")


def test_absent_device_says_where(plugin, tmp_path):
    with pytest.raises(DeviceOpenError, match=str(tmp_path)):
        open_device("bench", {"path": str(tmp_path / "none")})


def test_driver_that_cannot_be_silenced_is_refused(plugin, tmp_path, monkeypatch):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(tmp_path / "s"))
    server.listen()
    driver = find_driver("bench")

    def mute(self, options, start=driver.__init__):
        start(self, options)
        self.panic = ()

    monkeypatch.setattr(driver, "__init__", mute)
    with pytest.raises(ConfigError, match="panic"):
        open_device("bench", {"path": str(tmp_path / "s")})
    server.close()
