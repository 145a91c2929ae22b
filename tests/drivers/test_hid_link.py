"""The hidraw descriptor: drained to the newest report, errors of a device that is gone; over a socket in its place."""

import os
import socket

import pytest

from hapticd.drivers.hid_link import HidLink, HidSetup, hid_devices
from hapticd.errors import DeviceError, DeviceOpenError


@pytest.fixture
def pair():
    ours, device = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    link = HidLink.__new__(HidLink)  # as after open: messages keep their borders, as hidraw's reports do
    link.path, link.descriptor = "/dev/hidraw5", os.dup(ours.fileno())
    os.set_blocking(link.descriptor, False)
    ours.close()
    yield link, device
    link.close()
    device.close()


def test_newest_report_of_each_id_counts(pair):
    link, device = pair
    for k in range(40):
        device.send(bytes([1, k]))
        device.send(bytes([2, 100 + k]))
        device.send(bytes([9, k]))
    newest = {1: b"", 2: b"old"}
    assert link.newest(newest)
    assert newest == {1: bytes([1, 39]), 2: bytes([2, 139])}
    assert not link.newest(newest) and newest[1] == bytes([1, 39])


def test_reports_go_out_whole(pair):
    link, device = pair
    link.write(b"\x05\x01\x00\x00")
    assert device.recv(100) == b"\x05\x01\x00\x00"


def test_device_that_is_gone_is_an_error(pair):
    link, device = pair
    device.close()
    with pytest.raises(DeviceError, match="plug"):
        link.newest({1: b""})
    with pytest.raises(DeviceError, match="plug"):
        link.write(b"\x05\x01\x00\x00")


def test_absent_device():
    with pytest.raises(DeviceOpenError, match="/dev/hidraw98: cannot be opened"):
        HidLink("/dev/hidraw98")
    with pytest.raises(DeviceOpenError, match="/dev/hidraw98: cannot be opened"):
        HidSetup("/dev/hidraw98")


def test_list_is_a_list():
    assert isinstance(hid_devices(), list)
