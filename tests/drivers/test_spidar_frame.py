"""The boards' byte stream: every cut, header values in payloads, garbage, duplicates, and the currents going out."""

import struct

import numba
import numpy as np
import pytest

from hapticd.drivers import spidar_frame as sf

pytestmark = pytest.mark.kernel

# two B3M boards of the old firmware: 25 bytes each, then the first one's seven constant bytes
REPLIES = np.array([[0x30, 25, 4], [0x31, 25, 4]], np.int64)
INFO = np.array([0x08, 5, 12, 4, 4, 0, 0], np.uint8)
CYCLE = 57
SAMPLES = 20 if numba.config.DISABLE_JIT else 300


def cycle(positions, rest=None):
    """The bytes of one cycle, by plain packing."""
    rest = [0] * 16 if rest is None else rest
    first = struct.pack("<B4h8h", 0x30, *positions[:4], *rest[:8])
    second = struct.pack("<B4h8h", 0x31, *positions[4:], *rest[8:])
    return first + second + INFO.tobytes()


class Stream:
    """Keeps what is left between ticks, as the driver does."""

    def __init__(self, size=1024):
        self.data, self.have = np.zeros(size, np.uint8), 0
        self.raw = np.zeros(8, np.int64)

    def tick(self, data):
        """(cycles found, their newest positions as signed words)"""
        self.have = sf.append_bytes(np.frombuffer(data, np.uint8), len(data), self.data, self.have)
        found, keep, _ = sf.newest_cycle(self.data, self.have, REPLIES, INFO, self.raw)
        self.have = sf.keep_from(self.data, keep, self.have)
        return found, [(int(word) ^ 0x8000) - 0x8000 for word in self.raw]


def test_positions_of_a_whole_cycle():
    rng = np.random.default_rng(1)
    stream = Stream()
    for _ in range(SAMPLES):
        positions = rng.integers(-32768, 32768, 8).tolist()
        assert stream.tick(cycle(positions, rng.integers(-32768, 32768, 16).tolist())) == (1, positions)
        assert stream.have == 0


@pytest.mark.parametrize("cut", range(1, CYCLE))
def test_cycle_that_comes_in_two_ticks(cut):
    stream = Stream()
    data = cycle([1, 2, 3, 4, 5, 6, 7, 8])
    assert stream.tick(data[:cut])[0] == 0
    assert stream.tick(data[cut:]) == (1, [1, 2, 3, 4, 5, 6, 7, 8])


@pytest.mark.parametrize("cut", range(1, CYCLE))
def test_cut_cycle_loses_itself_and_at_most_the_next(cut):
    """The bytes after `cut` never come; then whole cycles follow."""
    stream = Stream()
    assert stream.tick(cycle([9] * 8)[:cut])[0] == 0
    results = [stream.tick(cycle([k] * 8)) for k in range(3)]
    assert results[1] == (1, [1] * 8) and results[2] == (1, [2] * 8)
    assert results[0] in ((1, [0] * 8), (0, [0] * 8), (0, [9] * 8))


@pytest.mark.parametrize("cut", range(1, CYCLE))
def test_first_bytes_lost(cut):
    stream = Stream()
    assert stream.tick(cycle([9] * 8)[cut:])[0] == 0
    assert stream.tick(cycle([1] * 8)) == (1, [1] * 8)


def test_header_values_inside_payloads_make_no_frame():
    """Payloads full of header bytes and of BOARD_INFO's: only true cycles count, whatever the cut."""
    words = [0x3030, 0x3130, 0x0830, 0x0C05, 0x0404, 0x3131, 0x3030, 0x3031]
    data = cycle(words, [0x3130] * 16)
    for cut in range(CYCLE):
        stream = Stream()
        stream.tick(data[cut:])
        assert stream.tick(data) == (1, words)


def test_newest_of_several_wins_and_all_are_counted():
    stream = Stream()
    assert stream.tick(b"".join(cycle([k] * 8) for k in range(5))) == (5, [4] * 8)


def test_zeros_between_replies_are_padding():
    data = cycle([1] * 8)
    stream = Stream()
    assert stream.tick(bytes(3) + data[:25] + bytes(4) + data[25:50] + bytes(2) + data[50:]) == (1, [1] * 8)


def test_flipped_bit_in_a_known_byte_refuses_the_cycle():
    data = bytearray(cycle([300] * 8))
    for at in (0, 25, *range(50, 57)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            stream = Stream()
            found = stream.tick(bytes(flipped))[0]
            assert found == 0
            assert stream.tick(bytes(data))[0] + stream.tick(bytes(data))[0] >= 1


def test_garbage_is_bounded_and_forgotten():
    """64 KiB in pieces as large as a tick may read: no cycle, no growth, and the next cycles are found."""
    rng = np.random.default_rng(2)
    stream = Stream()
    for _ in range(8 if numba.config.DISABLE_JIT else 128):
        assert stream.tick(rng.bytes(512))[0] == 0
        assert stream.have <= 1024
    found = [stream.tick(cycle([k] * 8)) for k in range(3)]
    assert found[1] == (1, [1] * 8) and found[2] == (1, [2] * 8)


def test_buffer_keeps_the_newest_bytes():
    data = np.zeros(10, np.uint8)
    have = sf.append_bytes(np.arange(8, dtype=np.uint8), 8, data, 0)
    have = sf.append_bytes(np.arange(8, 14, dtype=np.uint8), 6, data, have)
    assert have == 10 and data.tolist() == list(range(4, 14))
    have = sf.append_bytes(np.arange(100, 130, dtype=np.uint8), 30, data, have)
    assert have == 10 and data.tolist() == list(range(120, 130))


def test_currents_are_written_where_they_belong():
    template = np.frombuffer(bytes(range(20)), np.uint8)
    out = np.zeros(24, np.uint8)
    count = sf.write_currents(template, np.array([1, 9]), np.array([-4095.0, 1986.0]), out)
    assert count == 20
    assert struct.unpack_from("<h", out, 1) == (-4095,) and struct.unpack_from("<h", out, 9) == (1986,)
    untouched = [k for k in range(20) if k not in (1, 2, 9, 10)]
    assert out[untouched].tolist() == untouched
