"""The log file: MCAP with small compressed chunks, every byte of which is covered by a checksum.

    | magic | Header | attachments: header.json, config.toml, scene.toml ... | chunk | index | chunk | index | ...
    ... | DataEnd | summary | Footer | magic |         the last line only when the file was closed

The recorder writes it (`LogWriter`), every tool reads it through `LogReader`. Messages are those of channel.py, packed
by cdr.py; any MCAP reader opens the file. What is ours is how damage is found:

 1. A chunk's content has a CRC (MCAP's own); attachments have one; the data section and the summary have one each.
 2. Messages are numbered through all channels (MCAP's `sequence`), so a chunk that is skipped because its record type
    was damaged shows as a gap.
 3. Lengths are compared with what is left of the file before anything is read or unpacked.

A reader gives all messages before the first damage, then stops and says where and why (`damage`). A file that was not
closed (killed recorder, power cut) ends in such a damage: "ends without its closing records".
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Chunk, Footer
from mcap.writer import CompressionType, IndexType, Writer

from hapticd.cdr import Layout
from hapticd.channel import CHANNELS
from hapticd.errors import LogError

FORMAT = 1  # a reader refuses another one
PROFILE = "hapticd"
MAGIC = b"\x89MCAP0\r\n"
CHUNK_SIZE = 1 << 16  # bytes before compression: small, since a crash costs at most the chunk being filled
LARGEST_CHUNK = 1 << 28  # bytes after unpacking; a snapshot with the largest capacities stays well below
HEADER_NAME = "header.json"

_RECORD = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<HIQQ")


class Message(NamedTuple):
    """One message as it lies in the file; `topic` names its channel."""

    topic: str
    time: int  # ns since 1970
    data: bytes


@dataclass(frozen=True)
class Damage:
    """Where reading stopped and why; `lost_bytes` is what follows."""

    offset: int
    reason: str
    lost_bytes: int

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}; {self.lost_bytes} bytes after it were not read"


class LogWriter:
    """Writes a log into a stream that has write, tell and flush."""

    def __init__(self, stream: IO[bytes], header: Mapping[str, Any], files: Mapping[str, bytes | str]) -> None:
        self.stream = stream
        self.count = 0
        self._writer = Writer(
            stream,
            chunk_size=CHUNK_SIZE,
            compression=CompressionType.ZSTD,
            index_types=IndexType.ALL,
            enable_data_crcs=True,
        )
        self._writer.start(profile=PROFILE, library=f"hapticd log {FORMAT}")
        head = {**header, "format": FORMAT, "files": list(files)}
        self._attach(HEADER_NAME, json.dumps(head, indent=1).encode())
        for name, content in files.items():
            self._attach(name, content if isinstance(content, bytes) else content.encode())
        self._channel = {topic: self._register(topic, layout) for topic, layout in CHANNELS.items()}

    def _attach(self, name: str, content: bytes) -> None:
        kinds = {".json": "application/json", ".toml": "application/toml"}
        self._writer.add_attachment(0, 0, name, kinds.get(Path(name).suffix, "application/octet-stream"), content)

    def _register(self, topic: str, layout: Layout) -> int:
        schema: int = self._writer.register_schema(layout.name, "ros2msg", layout.schema.encode())
        return self._writer.register_channel(topic, "cdr", schema)

    def add(self, topic: str, time: int, data: bytes) -> None:
        """One packed message; `time` in ns since 1970."""
        self._writer.add_message(self._channel[topic], time, data, time, self.count & 0xFFFFFFFF)
        self.count += 1

    def flush(self) -> None:
        """End the chunk: what was added so far can be read after a crash."""
        self._writer.flush()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Write the index and the closing records; the stream stays open."""
        self._writer.finish()  # type: ignore[no-untyped-call]
        self.stream.flush()


class LogReader:
    """Reads a log from its beginning, as often as asked for; `damage` is set when a pass met one."""

    def __init__(self, source: Path | str | bytes) -> None:
        self.source = Path(source) if isinstance(source, str) else source
        self.path = Path("log in memory") if isinstance(source, bytes) else Path(source)
        try:
            with self._open() as file:
                self.size = file.seek(0, 2)
                file.seek(0)
                self.files, self._data_start = self._read_head(file)
        except OSError as error:
            raise LogError(f"{self.path}: cannot be read: {error.strerror}") from error
        self.header = self._checked_header()
        self.damage: Damage | None = None
        self.closed = False
        self.position = 0  # bytes of this pass so far

    def messages(self, skip_damage: bool = False) -> Iterator[Message]:
        """All messages up to the first damage; with `skip_damage` also what whole chunks follow it."""
        for chunk in self.chunks(skip_damage):
            yield from chunk

    def chunks(self, skip_damage: bool = False) -> Iterator[list[Message]]:
        """The same, chunk by chunk."""
        self.damage, self.closed = None, False
        with self._open() as file:
            yield from _Pass(self, file, skip_damage).chunks()

    def _open(self) -> IO[bytes]:
        return BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def _checked_header(self) -> dict[str, Any]:
        if HEADER_NAME not in self.files:
            raise LogError(f"{self.path}: is MCAP, but not a log of hapticd (no {HEADER_NAME})")
        header: dict[str, Any] = json.loads(self.files[HEADER_NAME])
        if header.get("format") != FORMAT:
            raise LogError(f"{self.path}: is a log of format {header.get('format')}; this hapticd reads {FORMAT}")
        if missing := [name for name in header["files"] if name not in self.files]:
            raise LogError(f"{self.path}: is cut or damaged before its first tick: {', '.join(missing)} missing")
        return header

    def _read_head(self, file: IO[bytes]) -> tuple[dict[str, bytes], int]:
        """The attachments in front of the first chunk, and where they end."""
        files: dict[str, bytes] = {}
        if file.read(len(MAGIC)) != MAGIC:
            raise LogError(f"{self.path}: is not a log (MCAP): its first bytes are others")
        start = file.tell()
        try:
            for opcode, content in _records(file, self.size):
                if opcode == Opcode.ATTACHMENT:
                    name, data = _attachment(content)
                    files[name] = data
                elif opcode != Opcode.HEADER:
                    return files, start
                start = file.tell()
        except _Broken as broken:
            if broken.reason != _Broken.END:
                raise LogError(f"{self.path}: is damaged in its header: {broken}") from broken
        return files, start


class _Broken(Exception):
    """What ends a pass."""

    END = "ends without its closing records (the recorder was killed, or is still writing)"

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"byte {offset}: {reason}")
        self.offset, self.reason = offset, reason


class _Pass:
    """One walk through the data section."""

    def __init__(self, reader: LogReader, file: IO[bytes], skip_damage: bool) -> None:
        self.reader, self.file, self.skip_damage = reader, file, skip_damage
        # Channel number -> topic: as the writer counts them, so that a lost first chunk does not cost the others.
        self.names = dict(enumerate(CHANNELS, start=1))
        self.next_sequence = 0

    def chunks(self) -> Iterator[list[Message]]:
        file, reader = self.file, self.reader
        crc = zlib.crc32(file.read(reader._data_start))
        try:
            for opcode, content in _records(file, reader.size):
                if opcode == Opcode.CHUNK:
                    reader.position = file.tell()
                    found = self._chunk_or_damage(content, reader.position - len(content) - _RECORD.size)
                    if found:
                        yield found
                elif opcode == Opcode.DATA_END:
                    self._check_end(content, crc)
                    return
                elif opcode != Opcode.MESSAGE_INDEX:
                    raise _Broken(file.tell() - len(content) - _RECORD.size, f"record of unknown type {opcode}")
                crc = zlib.crc32(content, zlib.crc32(_RECORD.pack(opcode, len(content)), crc))
        except _Broken as broken:
            self._note(broken)

    def _chunk_or_damage(self, content: bytes, offset: int) -> list[Message]:
        try:
            return self._split(_chunk_data(content, offset), offset)
        except _Broken as broken:
            if not self.skip_damage:
                raise
            self._note(broken)
            self.next_sequence = -1
            return []

    def _note(self, broken: _Broken) -> None:
        if self.reader.damage is None:
            self.reader.damage = Damage(broken.offset, broken.reason, self.reader.size - broken.offset)

    def _split(self, data: bytes, offset: int) -> list[Message]:
        """The messages of a chunk whose checksum was right."""
        found, at, sequence = [], 0, self.next_sequence
        while at < len(data):
            opcode, length = _RECORD.unpack_from(data, at)
            at += _RECORD.size
            if opcode == Opcode.MESSAGE:
                channel, number, time, _ = _MESSAGE.unpack_from(data, at)
                if sequence < 0:
                    sequence = number
                if number != sequence & 0xFFFFFFFF:
                    raise _Broken(offset, f"message {number} follows message {sequence - 1}: a part is missing")
                sequence += 1
                found.append(Message(self.names[channel], time, data[at + _MESSAGE.size : at + length]))
            elif opcode == Opcode.CHANNEL:
                number, _, size = struct.unpack_from("<HHI", data, at)
                self.names[number] = data[at + 8 : at + 8 + size].decode()
            at += length
        self.next_sequence = sequence
        return found

    def _check_end(self, content: bytes, crc: int) -> None:
        """The checksums of the data section and of the summary: behind them nothing is left unchecked."""
        file = self.file
        start = file.tell()
        if content != crc.to_bytes(4, "little"):  # all that DataEnd holds
            raise _Broken(start, "the index between the chunks is damaged; all messages are whole")
        rest = file.read()
        footer_size = _RECORD.size + 20
        if rest[-len(MAGIC) :] != MAGIC or len(rest) < footer_size + len(MAGIC):
            raise _Broken(start, "the closing records are cut; all messages are whole")
        footer = rest[-footer_size - len(MAGIC) : -len(MAGIC)]
        wanted = Footer.read(ReadDataStream(BytesIO(footer[_RECORD.size :]))).summary_crc
        if zlib.crc32(rest[: -4 - len(MAGIC)]) != wanted:
            raise _Broken(start, "the summary is damaged; all messages are whole")
        self.reader.closed = self.reader.damage is None


def _records(file: IO[bytes], size: int) -> Iterator[tuple[int, bytes]]:
    """Type and content of the records from here on; _Broken at the first that is not whole."""
    while True:
        offset = file.tell()
        if offset == size:
            raise _Broken(offset, _Broken.END)
        start = file.read(_RECORD.size)
        if len(start) < _RECORD.size:
            raise _Broken(offset, _Broken.END)
        opcode, length = _RECORD.unpack(start)
        if length > size - file.tell():
            raise _Broken(offset, f"{_Broken.END}, or a length is damaged")
        yield opcode, file.read(length)


def _attachment(content: bytes) -> tuple[str, bytes]:
    if zlib.crc32(content[:-4]).to_bytes(4, "little") != content[-4:]:
        raise _Broken(0, "an attachment's checksum is wrong")
    found = Attachment.read(ReadDataStream(BytesIO(content)))
    return found.name, found.data


def _chunk_data(content: bytes, offset: int) -> bytes:
    """A chunk's messages, unpacked and checked."""
    try:
        chunk = Chunk.read(ReadDataStream(BytesIO(content)))
        size = zstandard.frame_content_size(chunk.data)
        # Before unpacking: a damaged size would ask for any amount of memory.
        if chunk.compression != "zstd" or size != chunk.uncompressed_size or size > LARGEST_CHUNK:
            raise _Broken(offset, "a chunk's head is damaged")
        data = zstandard.ZstdDecompressor().decompress(chunk.data)
    except (struct.error, ValueError, OverflowError, McapError, zstandard.ZstdError) as error:
        raise _Broken(offset, f"a chunk cannot be unpacked: {error}") from error
    if zlib.crc32(data) != chunk.uncompressed_crc:
        raise _Broken(offset, "a chunk's checksum is wrong")
    return data
