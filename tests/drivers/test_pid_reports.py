"""Reports of the PID class, byte by byte as the three layouts have them."""

import pytest

from hapticd.drivers import pid_reports as pid
from hapticd.drivers.hid_descriptor import parse
from hapticd.drivers.pid_reports import PidReports
from hapticd.errors import DeviceError
from tests.emulators.pid_descriptor import descriptor

# direction 90 degrees: 45 of 180, 64 of 255, 9000 of 36000; duration for ever; gain 255; axes X, Y, direction enable
EFFECT = {
    "sidewinder": "01 03 01 ff7f 0000 0000 ff ff 07 2d 00",
    "arduino": "01 03 01 ff7f 0000 0000 ff ff 07 40 00",
    "openffboard": "01 03 01 ffff 0000 0000 0000 ff ff 07 2823 0000",
}
CONTROL = {
    "sidewinder": "0c01 0c02 0c03 0c04",
    "arduino": "0c01 0c02 0c03 0c04",
    "openffboard": "0c01 0c02 0c04 0c08",
}
CREATE = {"sidewinder": "05010000", "arduino": "05010000", "openffboard": "11010000"}


@pytest.fixture(params=EFFECT)
def layout(request):
    return request.param


def test_bytes(layout):
    reports = PidReports(parse(descriptor(layout)))
    assert reports.effect(3, 90.0) == bytes.fromhex(EFFECT[layout])
    control = [reports.control(word).hex() for word in (pid.ENABLE, pid.DISABLE, pid.STOP_ALL, pid.RESET)]
    assert " ".join(control) == CONTROL[layout]
    assert reports.create().hex() == CREATE[layout]
    assert reports.gain().hex() == "0dff"
    assert reports.constant(3).data.hex() == "05030000"
    assert reports.operation(3, pid.START).hex() == "0a030101" and reports.operation(3, pid.STOP).hex() == "0a030301"
    assert reports.free(3).hex() == "0b03"


def test_block_load(layout):
    reports = PidReports(parse(descriptor(layout)))
    number = reports.block_load_id
    assert reports.loaded_block(bytes([number, 7, 1, 0, 0])) == 7
    assert reports.loaded_block(bytes([number, 0, 3, 0, 0])) is None
    assert reports.loaded_block(b"") is None and reports.loaded_block(bytes([number, 7])) is None
    assert reports.loaded_block(bytes([99, 7, 1, 0, 0])) is None
    with pytest.raises(DeviceError, match="no room"):
        reports.loaded_block(bytes([number, 0, 2, 0, 0]))


def test_block_outside_the_range_is_refused(layout):
    with pytest.raises(DeviceError, match="allowed is 1 to 40"):
        PidReports(parse(descriptor(layout))).constant(41)
