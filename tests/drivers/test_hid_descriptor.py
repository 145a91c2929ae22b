"""The descriptor parser: the class's own example, three force-feedback layouts, and broken bytes."""

import random

import pytest

from hapticd.drivers import pid_reports as pid
from hapticd.drivers.hid_descriptor import parse
from hapticd.errors import DeviceError
from tests.emulators.pid_descriptor import RANGES, descriptor

# Appendix E.10 of the class definition: a mouse with three buttons and two axes
MOUSE = bytes.fromhex(
    "05010902a1010901a100050919012903150025019503750181029501750581030501093009311581257f750895028106c0c0"
)


def test_mouse_of_the_specification():
    mouse = parse(MOUSE)
    assert not mouse.numbered
    buttons = [field for field in mouse.fields if field.usage >> 16 == 9]
    assert [(field.offset, field.size, field.low, field.high) for field in buttons] == [(k, 1, 0, 1) for k in range(3)]
    x, y = mouse.field("input", None, 0x10030), mouse.field("input", None, 0x10031)
    assert (x.offset, y.offset, x.size, x.low, x.high) == (8, 16, 8, -127, 127)
    assert mouse.length("input", 0) == 4
    report = bytes([0, 0b101, 0x81, 0x7F])
    assert [field.get(report) for field in (*buttons, x, y)] == [1, 0, 1, -127, 127]


# report lengths by (kind, id) as the layouts' tables give them
LENGTHS = {
    "sidewinder": {("input", 1): 13, ("input", 2): 3, ("output", 1): 14, ("output", 5): 4, ("output", 0x0A): 4,
                   ("output", 0x0C): 2, ("feature", 5): 4, ("feature", 6): 5, ("feature", 7): 5},
    "arduino": {("input", 1): 7, ("output", 1): 14, ("output", 5): 4, ("feature", 6): 5},
    "openffboard": {("input", 1): 25, ("output", 1): 18, ("output", 0x0C): 2, ("feature", 0x11): 4,
                    ("feature", 0x12): 5, ("feature", 0x13): 5},
}  # fmt: skip


@pytest.mark.parametrize("layout", RANGES)
def test_lengths_and_ranges(layout):
    read = parse(descriptor(layout))
    for (kind, number), length in LENGTHS[layout].items():
        assert read.length(kind, number) == length, (kind, number)
    magnitude = read.field("output", pid.SET_CONSTANT_FORCE, pid.MAGNITUDE)
    assert (magnitude.low, magnitude.high, magnitude.offset) == (-RANGES[layout], RANGES[layout], 8)


def test_put_and_get_are_inverse_and_touch_nothing_else():
    rng = random.Random(1)
    read = parse(descriptor("sidewinder"))
    for field in read.fields:
        report = bytearray(rng.randbytes(read.length(field.kind, field.report_id)))
        kept = int.from_bytes(report, "little")
        value = rng.randint(field.low, field.high)
        field.put(report, value)
        assert field.get(report) == value
        mask = (1 << field.size) - 1 << field.offset + 8
        assert (int.from_bytes(report, "little") ^ kept) & ~mask == 0


def test_value_out_of_range_is_refused():
    field = parse(descriptor("sidewinder")).field("output", pid.SET_CONSTANT_FORCE, pid.MAGNITUDE)
    with pytest.raises(DeviceError, match="256"):
        field.put(bytearray(4), 256)


def test_missing_field_is_named():
    with pytest.raises(DeviceError, match=r"no output field 0xf0070 in the report 0xf0073"):
        parse(MOUSE).field("output", pid.SET_CONSTANT_FORCE, pid.MAGNITUDE)


def test_any_bytes_parse_or_say_why():
    """Cuts at every byte, every byte changed, and noise: a descriptor or a DeviceError, in bounded memory."""
    rng, good = random.Random(2), descriptor("openffboard")
    tries = [good[:n] for n in range(len(good))]
    tries += [good[:n] + bytes([rng.randrange(256)]) + good[n + 1 :] for n in range(len(good))]
    tries += [rng.randbytes(rng.randrange(200)) for _ in range(500)]
    refused = 0
    for data in tries:
        try:
            assert len(parse(data).fields) <= 4096
        except DeviceError:
            refused += 1
    assert refused > 100


def test_long_items_are_passed_over():
    assert parse(b"\xfe\x02\x10\xaa\xbb" + MOUSE).length("input", 0) == 4
