"""The serial line over a pseudo terminal: exclusive, with time-outs, errors that say what to do."""

import os
import tty

import pytest

from hapticd.drivers.serial_link import SerialLink, line_problems, serial_ports
from hapticd.errors import DeviceError, DeviceOpenError


@pytest.fixture
def pair():
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    for descriptor in (master, slave):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_bytes_go_both_ways(pair):
    master, path = pair
    link = SerialLink(path, 2_000_000)
    link.write(bytes(range(256)))
    assert os.read(master, 1000) == bytes(range(256))
    os.write(master, b"\x00\x0a\x0d\x11\x13\xff")
    assert link.read(6, 1.0) == b"\x00\x0a\x0d\x11\x13\xff"
    assert not os.get_blocking(link.descriptor)
    link.close()


def test_read_gives_what_came_in_time(pair):
    master, path = pair
    link = SerialLink(path, 115200)
    os.write(master, b"abc")
    assert link.read(10, 0.02) == b"abc"
    assert link.read(10, 0.0) == b""
    os.write(master, bytes(5000))
    assert link.drain() >= 4000
    link.close()


def test_second_opener_is_refused(pair):
    link = SerialLink(pair[1], 115200)
    with pytest.raises(DeviceOpenError, match="cannot be opened"):
        SerialLink(pair[1], 115200)
    link.close()


def test_absent_port_says_what_to_do():
    with pytest.raises(DeviceOpenError, match=r"/dev/nowhere: cannot be opened .* `hapticd devices`"):
        SerialLink("/dev/nowhere", 115200)


def test_unplugged_line_is_an_error(pair):
    master, path = pair
    link = SerialLink(path, 115200)
    os.close(master)
    with pytest.raises(DeviceError, match="plug"):
        for _ in range(3):
            link.write(b"x")
            if link.read(1, 0.01) == b"":
                raise DeviceError("end of file: plug it in")
    link.close()


def test_line_that_takes_no_bytes_times_out(pair):
    link = SerialLink(pair[1], 115200)
    with pytest.raises(DeviceError, match="takes no bytes"):
        link.write(bytes(1 << 20), timeout=0.05)
    link.close()


def test_ports_and_problems(tmp_path, monkeypatch):
    assert isinstance(serial_ports(), list)
    assert line_problems("/dev/nowhere")[0].startswith("no permission")
    timer = tmp_path / "latency_timer"
    timer.write_text("16\n")
    monkeypatch.setattr("hapticd.drivers.serial_link.LATENCY_TIMER", str(timer))
    path = tmp_path / "ttyUSB0"
    path.write_text("")
    assert line_problems(str(path)) == [
        f"latency timer is 16 ms: echo 1 > {timer}, or install configs/system's udev rule"
    ]
    timer.write_text("1\n")
    assert line_problems(str(path)) == []
