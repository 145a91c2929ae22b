"""The messages: what goes in comes out, and whatever comes in gives a message or a WireError, within bounds."""

import random
import struct
import tracemalloc

import hypothesis
import msgpack
import numpy as np
import pytest
from hypothesis import strategies as st

from hapticd import wire
from hapticd.errors import WireError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard import states
from hapticd.ring import SlotSize, slot_dtype
from hapticd.wire import Reply, Request

LIMIT = 1 << 20  # bytes that one refused message may cost while it is read
plain = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=20)
nested = st.recursive(plain | st.binary(max_size=40), lambda x: st.lists(x) | st.dictionaries(plain, x), max_leaves=30)


def filled_slot(bodies: int = 5, contacts: int = 3, points: int = 12) -> np.ndarray:
    slot = np.zeros((), slot_dtype(SlotSize(bodies=8, input_size=8, output_size=8)))
    random = np.random.default_rng(1)
    for name in ("body", "pointer", "wrench", "guard", "contact", "point"):
        slot[name] = random.normal(size=slot[name].shape)
    slot["contact_of"] = random.integers(0, 8, size=slot["contact_of"].shape)
    slot["tick"], slot["time"][g.TIME_WOKE] = 77, 2**60 + 1
    word = slot["word"]
    word[g.WORD_MODE], word[g.WORD_CAUSE] = states.ACTIVE, states.CAUSE_RAMPED
    word[g.WORD_BODIES], word[g.WORD_CONTACTS], word[g.WORD_POINTS] = bodies, contacts, points
    return slot


def test_state_comes_back_bit_for_bit():
    slot = filled_slot()
    topic, message = wire.decode(wire.encode_state(slot, 9, 2**60 + 5))
    assert topic == wire.STATE
    assert (message["seq"], message["sent_ns"], message["tick"], message["t_ns"]) == (9, 2**60 + 5, 77, 2**60 + 1)
    assert (message["mode"], message["cause"]) == ("ACTIVE", "RAMPED")
    found = wire.arrays(message)
    counts = {"body": 5, "contact": 3, "contact_of": 3, "point": 12, "wrench": 4, "pointer": 1, "guard": 1}
    for name, rows in counts.items():
        want = slot[name].reshape(-1, found[name].shape[1])[:rows]
        assert found[name].dtype == want.dtype and np.array_equal(found[name], want), name
        assert not found[name].flags.writeable


def test_blobs_describe_the_slot():
    """The columns in `hello` are those of the kernel's layout: a change there must show here."""
    sizes = {"body": g.BODY_SHOWN, "contact": g.SHOWN_SIZE, "contact_of": g.OF_SIZE, "guard": g.MEMORY_SHOWN_COUNT}
    dtype = slot_dtype(SlotSize(bodies=2, input_size=8, output_size=8))
    for name, blob in wire.BLOBS.items():
        assert dtype[name].base == np.dtype(blob.dtype) and dtype[name].shape[-1] == len(blob.columns), name
        assert sizes.get(name, len(blob.columns)) == len(blob.columns)
    of = wire.BLOBS["contact_of"].columns
    assert (of[g.OF_BODY_A], of[g.OF_STATUS], of[g.OF_POINT], of[g.OF_POINTS]) == (
        "body_a",
        "status",
        "point",
        "points",
    )
    shown = wire.BLOBS["contact"].columns
    assert (shown[g.SHOWN_DEPTH], shown[g.SHOWN_NORMAL], shown[g.SHOWN_CENTRE]) == ("depth", "nx", "cx")
    assert shown[g.SHOWN_WRENCH] == "fx"


@hypothesis.given(st.integers(0, 2**53 - 1), st.text(min_size=1, max_size=40), st.dictionaries(st.text(), st.text()))
def test_requests_come_back(number, command, args):
    request = Request(number, command, dict(list(args.items())[:60]))
    assert wire.decode_request(wire.encode_request(request)) == request


@hypothesis.given(st.none() | st.integers(0, 2**53), st.text(), st.text(), st.none() | st.integers(-(2**63), 2**63))
def test_replies_come_back(number, code, reason, tick):
    reply = Reply(number, code, reason, tick, {"mode": "IDLE"})
    assert wire.decode_reply(wire.encode_reply(reply)) == reply


@hypothesis.given(nested, nested, nested, nested)
def test_any_msgpack_is_a_request_or_a_wire_error(v, number, command, args):
    for message in ({"v": 1, "id": number, "cmd": command, "args": args}, {"v": v, "id": 1, "cmd": "arm"}, args):
        try:
            request = wire.decode_request(msgpack.packb(message))
        except WireError as error:
            assert len(str(error)) < 300
        else:
            assert type(request.id) is int and isinstance(request.command, str) and isinstance(request.args, dict)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), [1.0, float("-inf")], {"a": [float("nan")]}])
def test_numbers_must_be_finite(bad):
    with pytest.raises(WireError, match="finite"):
        wire.decode_request(msgpack.packb({"v": 1, "id": 1, "cmd": "set", "args": {"value": bad}}))


def test_another_version_is_refused():
    for v in (0, 2, True, "1", None, 1.0):
        with pytest.raises(WireError, match="version"):
            wire.decode_request(msgpack.packb({"v": v, "id": 1, "cmd": "arm"}))


def bombs() -> dict[str, bytes]:
    size = wire.COMMAND_BYTES
    sixteen = b"\x9f" + b"\x80" * 15  # a list of fifteen empty maps
    return {
        "empty maps": b"\xdd" + struct.pack(">I", size - 5) + b"\x80" * (size - 5),
        "nested lists of empty maps": (b"\x9f" * 4 + sixteen * 4000)[:size],
        "well-formed, with four thousand maps": msgpack.packb(
            {"v": 1, "id": 1, "cmd": "arm", "args": {"x": [[{}] * 63] * 63}}
        ),
        "map that promises 2^32 entries": b"\xdf\xff\xff\xff\xff",
        "list that promises 2^32 entries": b"\xdd\xff\xff\xff\xff",
        "text that promises 2^32 bytes": b"\xdb\xff\xff\xff\xff",
        "blob that promises 2^32 bytes": b"\xc6\xff\xff\xff\xff",
        "depth": b"\x91" * size,
        "depth of maps": b"\x81\xa1a" * (size // 3),
        "extension": b"\xc9\x00\x00\xff\x00\x01" + b"\0" * (size - 6),
        "timestamp": b"\xd6\xff\x00\x00\x00\x00",
        "too long": b"\xa1a" * size,
        "list as a key": b"\x81\x90\x01",
        "not UTF-8": b"\x81\xa1\xff\x01",
        "nothing": b"",
    }


@pytest.mark.parametrize("name", bombs())
def test_bombs_are_refused_within_bounds(name):
    raw = bombs()[name]
    tracemalloc.start()
    with pytest.raises(WireError):
        wire.decode_request(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < LIMIT


def test_every_cut_of_a_message_is_refused():
    command = wire.encode_request(Request(5, "wrench", {"body": "block3", "force": [1.0, 2.0, 3.0], "ticks": 5}))
    for cut in range(len(command)):
        with pytest.raises(WireError):
            wire.decode_request(command[:cut])
    state = wire.encode_state(filled_slot(1, 1, 3), 1, 2)
    for cut in range(len(state)):
        with pytest.raises(WireError):
            wire.arrays(wire.decode(state[:cut])[1])


def fuzz(seed: int, count: int) -> None:
    """Valid messages with flipped, cut, doubled and inserted bytes, and random bytes, against every decoder."""
    rng = random.Random(seed)
    seeds = [
        wire.encode_request(Request(5, "wrench", {"body": "block3", "force": [1.0, 2.0, 3.0], "ticks": 5})),
        wire.encode_request(Request(2**53 - 1, "load", {"text": "gravity = [0, 0, -9.8]\n" * 4})),
        wire.encode_reply(Reply(7, "done", "", 12, {"mode": "IDLE"})),
        wire.encode_state(filled_slot(1, 1, 3), 1, 2),
        wire.encode(wire.EVENT, {"kind": "MODE", "text": "stop"}),
    ]
    readers = (wire.decode_request, wire.decode_reply, lambda raw: wire.arrays(wire.decode(raw)[1]))
    for _ in range(count):
        raw = bytearray(rng.choice(seeds))
        for _ in range(rng.randrange(1, 6)):
            _spoil(raw, rng)
        for read in readers:
            try:
                read(bytes(raw))
            except WireError:
                continue


def _spoil(raw: bytearray, rng: random.Random) -> None:
    place = rng.randrange(len(raw) + 1)
    match rng.randrange(5):
        case 0 if place < len(raw):
            raw[place] ^= 1 << rng.randrange(8)
        case 1:
            del raw[place:]
        case 2:
            raw[place:place] = rng.randbytes(rng.randrange(1, 9))
        case 3:
            raw[place:place] = raw[place : place + rng.randrange(64)]
        case _:
            raw[:] = rng.randbytes(rng.randrange(200))


def test_spoilt_messages_are_read_or_refused():
    fuzz(seed=1, count=3000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_million_spoilt_messages_are_read_or_refused(seed):
    fuzz(seed, count=100_000)
