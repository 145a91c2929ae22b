"""The log file: what was written comes back, and no damage ever makes the reader give something else."""

import io

import numpy as np
import pytest

from hapticd.channel import BODIES, BODY, CHANNELS, CONTACTS, EVENT, INPUTS, TICK
from hapticd.errors import LogError
from hapticd.logfile import LogReader, LogWriter, Message

HEADER = {"seed": 7}
FILES = {"config.toml": '[device]\ndriver = "virtual"\n', "scene.toml": "# größe\n"}


def random_rows(dtype: np.dtype, count: int, random: np.random.Generator) -> np.ndarray:
    rows = np.zeros(count, dtype)
    for name in dtype.names:
        shape = (count, *dtype[name].shape)
        rows[name] = random.integers(0, 100, shape) + (random.random(shape) if dtype[name].base.kind == "f" else 0)
    return rows


def write_ticks(writer: LogWriter, first: int, count: int) -> list[Message]:
    """Ticks with random contents, one of each channel kind; what was written."""
    random = np.random.default_rng(first)
    written = []
    for topic in (INPUTS, TICK):
        layout = CHANNELS[topic]
        rows = random_rows(layout.head, count, random)
        rows["tick"] = np.arange(first, first + count)
        written += [Message(topic, 10**18 + first, data) for data in layout.pack_bytes(rows, [bytes(21)] * count)]
    bodies = CHANNELS[BODIES]
    head = random_rows(bodies.head, 1, random)[0]
    written.append(Message(BODIES, 10**18 + first, bodies.pack_with(head, random_rows(BODY, 3, random))))
    event = CHANNELS[EVENT]
    written.append(Message(EVENT, 10**18, event.pack_with(random_rows(event.head, 1, random)[0], b"armed")))
    for message in written:
        writer.add(*message)
    return written


def small_log(chunks: int = 3, ticks: int = 2, close: bool = True) -> tuple[bytes, list[Message]]:
    stream = io.BytesIO()
    writer, written = LogWriter(stream, HEADER, FILES), []
    for k in range(chunks):
        written += write_ticks(writer, k * ticks, ticks)
        writer.flush()
    if close:
        writer.close()
    return stream.getvalue(), written


def read(content: bytes) -> tuple[list[Message], LogReader]:
    reader = LogReader(content)
    return list(reader.messages()), reader


def test_messages_and_files_come_back():
    content, written = small_log()
    found, reader = read(content)
    assert found == written and reader.damage is None and reader.closed
    assert reader.header["seed"] == 7 and reader.files["scene.toml"].decode() == FILES["scene.toml"]
    assert list(reader.messages()) == written  # a second pass


def test_a_log_that_was_not_closed_is_read_to_its_end():
    content, written = small_log(close=False)
    found, reader = read(content)
    assert found == written and not reader.closed and "closing records" in reader.damage.reason


def test_cut_at_every_byte_gives_a_prefix():
    content, written = small_log()
    ends, refused = set(), 0
    for size in range(len(content)):
        try:
            found, reader = read(content[:size])
        except LogError:
            refused += 1  # inside the header
            continue
        assert found == written[: len(found)] and reader.damage is not None and not reader.closed, size
        ends.add(len(found))
    assert ends == {0, 6, 12, 18} and 0 < refused < len(content) / 2


def test_every_flipped_byte_is_found_and_gives_no_wrong_message():
    content, written = small_log()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= (0xFF, 1 << place // 3 % 8, content[place] or 0x55)[place % 3]  # all bits, one, none left
        try:
            found, reader = read(bytes(damaged))
        except LogError:
            continue
        assert found == written[: len(found)] and reader.damage is not None, place


def test_whole_chunks_behind_a_damage_can_be_read():
    content, written = small_log(chunks=5)
    for place in (1, 2, 4):
        hits = [i for i in range(len(content)) if content.startswith(b"zstd", i)]
        damaged = bytearray(content)
        damaged[hits[place] + 60] ^= 0x10  # inside the compressed data of that chunk
        reader = LogReader(bytes(damaged))
        assert list(reader.messages(skip_damage=True)) == written[: 6 * place] + written[6 * place + 6 :]
        assert reader.damage is not None and not reader.closed


def test_what_is_not_a_log_is_refused(tmp_path):
    for content in (b"", b"hello", small_log()[0][:8], np.random.default_rng(1).bytes(5000)):
        with pytest.raises(LogError):
            read(content)
    with pytest.raises(LogError, match="cannot be read"):
        LogReader(tmp_path / "absent")
    (tmp_path / "log").write_bytes(small_log()[0])
    assert len(list(LogReader(tmp_path / "log").messages())) == 18
    other = small_log()[0].replace(b'"format": 1', b'"format": 9')
    with pytest.raises(LogError):
        read(other)


def test_someone_elses_reader_reads_equal_values():
    """mcap-ros2-support decodes CDR by our schema; it shares no code with cdr.py."""
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    stream = io.BytesIO()
    writer = LogWriter(stream, HEADER, FILES)
    written = write_ticks(writer, 0, 4)
    contacts = CHANNELS[CONTACTS]
    for count in (0, 1, 3):  # sequences, the empty one included
        rows = random_rows(contacts.tail.dtype, count, np.random.default_rng(count))
        data = contacts.pack_with(np.zeros((), contacts.head), rows)
        written.append(Message(CONTACTS, 5, data))
        writer.add(CONTACTS, 5, data)
    writer.close()
    reader = make_reader(io.BytesIO(stream.getvalue()), decoder_factories=[DecoderFactory()])
    by_topic: dict[str, list] = {}
    for _, channel, _, ros in reader.iter_decoded_messages(log_time_order=False):
        by_topic.setdefault(channel.topic, []).append(ros)
    assert sum(map(len, by_topic.values())) == len(written)
    for topic, layout in CHANNELS.items():
        ours = [m.data for m in written if m.topic == topic]
        for row, data, ros in zip(layout.unpack(ours), ours, by_topic.get(topic, []), strict=True):
            assert_equal(layout.head, row, ros)
            if layout.tail is None:
                continue
            tail = getattr(ros, layout.tail.name)
            if layout.tail.is_text:
                assert tail == layout.text(data)
            else:
                elements = layout.unpack_tail(data)
                assert len(tail) == len(elements)
                for element, other in zip(elements, tail, strict=True):
                    assert other == element if layout.tail.dtype.names is None else True
                    assert_equal(layout.tail.dtype, element, other)


def assert_equal(dtype: np.dtype, row: np.ndarray, ros: object) -> None:
    for name in dtype.names or ():
        theirs = getattr(ros, name)
        values = np.frombuffer(theirs, np.uint8) if isinstance(theirs, bytes) else np.asarray(theirs)
        assert np.array_equal(values.reshape(-1), np.asarray(row[name]).reshape(-1)), name


def test_a_chunk_that_looks_like_an_index_is_missed():
    """The one damage that no checksum in front of it shows: a chunk's type turned into one that is skipped."""
    content, written = small_log(close=False)
    for place, hit in enumerate(i for i in range(len(content)) if content.startswith(b"zstd", i)):
        start = hit - 4 - 28 - 9
        assert content[start] == 6  # a chunk
        found, reader = read(content[:start] + b"\x07" + content[start + 1 :])
        assert found == written[: 6 * place] and reader.damage is not None
