"""Report descriptors of three families of force-feedback joysticks, assembled from their byte layouts.

sidewinder    10-bit axes, magnitude +-255, directions 0..180, control by index
arduino       16-bit axes, magnitude +-10000, directions 0..255, control by index
openffboard   64 buttons and 8 axes, magnitude +-32767, 16-bit directions with a start delay, control by bit mask
"""

DESKTOP, BUTTON, PID = 0x01, 0x09, 0x0F
EFFECTS = (0x26, 0x27, 0x30, 0x31, 0x32, 0x33, 0x34, 0x40, 0x41, 0x42, 0x43, 0x28)
DATA, CONSTANT, ARRAY = 0x02, 0x03, 0x00
RANGES = {"sidewinder": 255, "arduino": 10000, "openffboard": 32767}
FEATURES = {"sidewinder": (5, 6, 7), "arduino": (5, 6, 7), "openffboard": (0x11, 0x12, 0x13)}


def item(prefix, value=None):
    """A short item: the tag with type, and as many bytes as the value needs."""
    if value is None:
        return bytes([prefix])
    for size, code in ((1, 1), (2, 2), (4, 3)):
        signed = prefix in (0x14, 0x24)
        low, high = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
        if low <= value <= high:
            return bytes([prefix | code]) + value.to_bytes(size, "little", signed=signed)
    raise ValueError(value)


def page(number):
    return item(0x04, number)


def usage(number):
    return item(0x08, number)


def collection(kind, number, *parts):
    return usage(number) + item(0xA0, kind) + b"".join(parts) + item(0xC0)


def logical(number, *parts):
    return collection(2, number, *parts)


def field(main, low, high, size, count, flags, *usages):
    return (
        b"".join(usage(number) for number in usages)
        + item(0x14, low) + item(0x24, high) + item(0x74, size) + item(0x94, count) + item(main, flags)
    )  # fmt: skip


def report_id(number):
    return item(0x84, number)


OUT, FEATURE, IN = 0x90, 0xB0, 0x80


def pad(main, bits):
    return field(main, 0, 1, 1, bits, CONSTANT)


def axes(layout):
    if layout == "sidewinder":
        return (
            field(IN, -512, 511, 10, 1, DATA, 0x30) + pad(IN, 6) + field(IN, -512, 511, 10, 1, DATA, 0x31) + pad(IN, 6)
            + field(IN, -32, 31, 6, 1, DATA, 0x35) + pad(IN, 2) + field(IN, 0, 127, 7, 1, DATA, 0x36) + pad(IN, 1)
            + field(IN, 0, 7, 4, 1, DATA, 0x39) + pad(IN, 4)
            + page(BUTTON) + item(0x18, 1) + item(0x28, 8) + field(IN, 0, 1, 1, 8, DATA) + pad(IN, 32)
        )  # fmt: skip
    if layout == "arduino":
        return (
            field(IN, -32767, 32767, 16, 2, DATA, 0x30, 0x31)
            + page(BUTTON)
            + (item(0x18, 1) + item(0x28, 16) + field(IN, 0, 1, 1, 16, DATA))
        )
    return (
        page(BUTTON) + item(0x18, 1) + item(0x28, 64) + field(IN, 0, 1, 1, 64, DATA)
        + page(DESKTOP) + field(IN, -32767, 32767, 16, 8, DATA, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x37, 0x36)
    )  # fmt: skip


def state():
    return collection(
        2, 0x92, report_id(2), field(IN, 0, 1, 1, 5, DATA, 0x9F, 0xA0, 0xA4, 0xA5, 0xA6), pad(IN, 3),
        field(IN, 0, 1, 1, 1, DATA, 0x94), field(IN, 1, 40, 7, 1, DATA, 0x22),
    )  # fmt: skip


def set_effect(layout):
    wide = layout == "openffboard"
    size, high = (16, 36000) if wide else (8, 180 if layout == "sidewinder" else 255)
    duration = 65535 if wide else 32767
    times = (0x50, 0x54, 0x51, 0xA7) if wide else (0x50, 0x54, 0x51)
    return logical(
        0x21, report_id(1), field(OUT, 1, 40, 8, 1, DATA, 0x22),
        logical(0x25, field(OUT, 1, 12, 8, 1, ARRAY, *EFFECTS)),
        field(OUT, 0, duration, 16, len(times), DATA, *times),
        field(OUT, 0, 255, 8, 2, DATA, 0x52, 0x53),
        logical(0x55, page(DESKTOP), field(OUT, 0, 1, 1, 2, DATA, 0x30, 0x31)),
        page(PID), field(OUT, 0, 1, 1, 1, DATA, 0x56), pad(OUT, 5),
        logical(0x57, item(0x08, 0x000A0001), item(0x08, 0x000A0002), field(OUT, 0, high, size, 2, DATA)),
        page(PID),
    )  # fmt: skip


def control(layout):
    words = (0x97, 0x98, 0x99, 0x9A, 0x9B, 0x9C)
    if layout == "openffboard":
        return logical(0x96, report_id(0x0C), field(OUT, 0, 1, 1, 6, DATA, *words), pad(OUT, 2))
    return logical(0x96, report_id(0x0C), field(OUT, 1, 6, 8, 1, ARRAY, *words))


def descriptor(layout):
    create, load, pool = FEATURES[layout]
    strongest = RANGES[layout]
    block = field(OUT, 1, 40, 8, 1, DATA, 0x22)
    size = field(FEATURE, 0, 511, 10, 1, DATA) + pad(FEATURE, 6)
    if layout == "openffboard":
        size = field(FEATURE, 0, 65535, 16, 1, DATA)
    return page(DESKTOP) + collection(
        1, 0x04, report_id(1), page(DESKTOP), axes(layout), page(PID), state(), set_effect(layout),
        logical(0x73, report_id(5), block, field(OUT, -strongest, strongest, 16, 1, DATA, 0x70)),
        logical(0x77, report_id(0x0A), block, logical(0x78, field(OUT, 1, 3, 8, 1, ARRAY, 0x79, 0x7A, 0x7B)),
                field(OUT, 0, 255, 8, 1, DATA, 0x7C)),
        logical(0x90, report_id(0x0B), block), control(layout),
        logical(0x7D, report_id(0x0D), field(OUT, 0, 255, 8, 1, DATA, 0x7E)),
        logical(0xAB, report_id(create), logical(0x25, field(FEATURE, 1, 12, 8, 1, ARRAY, *EFFECTS)),
                page(DESKTOP), usage(0x3B), size, page(PID)),
        logical(0x89, report_id(load), field(FEATURE, 1, 40, 8, 1, DATA, 0x22),
                logical(0x8B, field(FEATURE, 1, 3, 8, 1, ARRAY, 0x8C, 0x8D, 0x8E)),
                field(FEATURE, 0, 65535, 16, 1, DATA, 0xAC)),
        logical(0x7F, report_id(pool), field(FEATURE, 0, 65535, 16, 1, DATA, 0x80),
                field(FEATURE, 0, 255, 8, 1, DATA, 0x83), field(FEATURE, 0, 1, 1, 2, DATA, 0xA9, 0xAA),
                pad(FEATURE, 6)),
    )  # fmt: skip
