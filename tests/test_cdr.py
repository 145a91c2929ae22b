"""Records as CDR: the bytes come back, the schema is what other readers understand, wrong layouts are refused."""

import numpy as np
import pytest

from hapticd.cdr import KINDS, Layout, Tail
from hapticd.channel import BODY, CHANNELS, GUARD, INPUT_WORDS, POINTER, TIMES, WORDS, WRENCHES, tick_of
from hapticd.errors import LogError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.layout import DEVICE_SIZE

MIXED = np.dtype([("a", "<u1"), ("b", "<f8", 3), ("c", "<i2"), ("d", "<i4", (2, 2)), ("e", "u1", 5)], align=True)


def random_rows(dtype: np.dtype, count: int, seed: int = 1) -> np.ndarray:
    """Random numbers in every field, zeros in the padding."""
    random = np.random.default_rng(seed)
    rows = np.zeros(count, dtype)
    for name in dtype.names:
        shape = (count, *dtype[name].shape)
        rows[name] = random.integers(0, 100, shape) + (random.random(shape) if dtype[name].base.kind == "f" else 0)
    return rows


def test_heads_come_back():
    layout, rows = Layout("Mixed", MIXED), random_rows(MIXED, 7)
    packed = layout.pack(rows)
    assert len(packed) == 7 and {len(p) for p in packed} == {4 + 57}  # 57: where the last field ends, unpadded
    assert np.array_equal(layout.unpack(packed), rows)


@pytest.mark.parametrize("count", [0, 1, 5])
@pytest.mark.parametrize("dtype", ["u1", "<f8", "<f4"])
def test_tails_come_back(dtype, count):
    layout = Layout("Mixed", MIXED, Tail("rest", np.dtype(dtype)))
    rows, tail = random_rows(MIXED, 1), np.arange(count).astype(dtype)
    message = layout.pack_with(rows[0], tail)
    assert np.array_equal(layout.unpack([message]), rows)
    assert np.array_equal(layout.unpack_tail(message), tail)


@pytest.mark.parametrize("text", ["", "disk full", "größer"])
def test_text_comes_back(text):
    layout = Layout("Text", np.dtype([("tick", "<i8")]), Tail("text", np.dtype("S1")))
    message = layout.pack_with(np.zeros((), layout.head), text.encode())
    assert layout.text(message) == text


def test_schema_names_types_and_sizes():
    schema = Layout("Mixed", MIXED, Tail("body", np.dtype([("p", "<f8", 3)]), "Body")).schema
    assert schema.splitlines()[:6] == ["uint8 a", "float64[3] b", "int16 c", "int32[4] d", "uint8[5] e", "Body[] body"]
    assert schema.splitlines()[7:] == ["MSG: hapticd/Body", "float64[3] p"]


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype([("a", "u1"), ("b", "<f8")]),  # not aligned
        np.dtype([("a", ">f8")]),
        np.dtype([("a", "S4")]),
        np.dtype("<f8"),
    ],
)
def test_other_layouts_are_refused(dtype):
    with pytest.raises(LogError):
        Layout("Bad", dtype)


def test_elements_that_cdr_would_place_otherwise_are_refused():
    # 12 bytes and no padding in CDR, 16 in memory
    with pytest.raises(LogError):
        Layout("Bad", MIXED, Tail("x", np.dtype([("a", "<f8"), ("b", "<i4")], align=True), "X"))


def test_a_message_of_another_size_is_refused():
    layout = Layout("Mixed", MIXED)
    with pytest.raises(LogError):
        layout.unpack([layout.pack(random_rows(MIXED, 1))[0][:-1]])
    tailed = Layout("Mixed", MIXED, Tail("rest", np.dtype("<f8")))
    with pytest.raises(LogError):
        tailed.unpack_tail(tailed.pack_with(random_rows(MIXED, 1)[0], np.arange(4.0))[:-8])


def test_every_channel_has_a_valid_layout():
    for topic, layout in CHANNELS.items():
        own = layout.schema.split("=====")[0].splitlines()
        assert len(own) == len(layout.head.names) + (layout.tail is not None), topic
        assert {line.split("[")[0].split()[0] for line in own} <= {*KINDS.values(), "string", "Body", "Contact"}


def test_bytes_behind_many_heads_are_packed_as_one_by_one():
    layout = Layout("Raw", np.dtype([("a", "<f8", 3), ("b", "<i4")], align=True), Tail("raw", np.dtype("u1")))
    with pytest.raises(AssertionError):
        layout.pack_bytes(random_rows(layout.head, 1), [b""])  # its end is padded
    layout = Layout("Raw", np.dtype([("a", "<f8", 3)]), Tail("raw", np.dtype("u1")))
    rows, tails = random_rows(layout.head, 3), [b"", b"abc", bytes(300)]
    packed = layout.pack_bytes(rows, tails)
    assert packed == [layout.pack_with(row, tail) for row, tail in zip(rows, tails, strict=True)]
    assert np.array_equal(layout.unpack(packed), rows)
    assert [layout.unpack_tail(data).tobytes() for data in packed] == tails
    assert [layout.tail_bytes(data) for data in packed] == tails
    with pytest.raises(LogError):
        layout.tail_bytes(packed[1][:-1])


def test_the_names_are_as_many_as_the_kernel_shows():
    assert len(WORDS) == g.WORD_SHOWN and WORDS[g.WORD_SENT] == "sent_count" and WORDS[g.WORD_MISSED] == "missed"
    assert len(INPUT_WORDS) == g.INPUT_SIZE and INPUT_WORDS[g.INPUT_RAW] == "raw_count"
    assert len(WRENCHES) == g.WRENCH_ROWS and len(GUARD) == g.MEMORY_SHOWN_COUNT
    assert sum(size for _, size in POINTER) == DEVICE_SIZE
    assert len(TIMES) == g.TIME_WRITTEN and BODY.itemsize == 8 * g.BODY_SHOWN


def test_every_message_begins_with_its_tick():
    for topic, layout in CHANNELS.items():
        head = np.zeros((), layout.head)
        head["tick"] = -5
        packed = layout.pack(head.reshape(1))[0] if layout.tail is None else layout.pack_with(head, b"")
        assert tick_of(packed) == -5, topic
