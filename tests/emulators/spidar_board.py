"""Firmware of the serial motor boards, emulated: several boards on one half-duplex line.

Written from the protocol description; shares no code with the driver. Bytes in by `feed`, bytes out as its result.

A board sees every byte on the line. Where it expects a header, 0x00 and values from 0x60 on are skipped. The answer is
built when the header has come (the state before this command) and sent after about five byte times; the command itself
runs when its last byte has come. Answers of two boards that would overlap are lost, and counted. There is no watchdog:
currents stay as they are until the next command.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# model: motors, current sensors, force sensors
MODELS = {1: (4, 0, 0), 2: (3, 0, 2), 3: (4, 0, 0), 4: (3, 0, 2), 5: (4, 4, 0), 6: (3, 3, 2), 7: (8, 0, 4)}
COMMAND_LENGTHS = {
    1: (1, 1, 13, 21, 1, 17, 9, 12, 12, 18, 3, 2), 2: (1, 1, 13, 23, 1, 13, 7, 10, 22, 14, 3, 2),
    3: (1, 1, 13, 21, 1, 17, 9, 12, 12, 18, 3, 2), 4: (1, 1, 13, 23, 1, 13, 7, 10, 22, 14, 3, 2),
    5: (1, 1, 13, 21, 1, 17, 9, 12, 12, 18, 3, 2), 6: (1, 1, 13, 23, 1, 13, 7, 10, 22, 14, 3, 2),
    7: (1, 1, 13, 85, 1, 33, 17, 20, 84, 34, 3, 2),
}  # fmt: skip
BYTE_TIME = 5e-6  # s
ANSWER_DELAY = 5  # byte times between header and answer


@dataclass
class Board:
    id: int
    model: int
    generation: str = "old"  # of the CURRENT reply: motor currents (old) or forces (new) after the velocities
    currents: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    velocities: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.model == 7:
            self.generation = "new"  # younger than the old firmware
        self.n_motor, self.n_current, self.n_force = MODELS[self.model]
        self.currents = self.currents or [0] * self.n_motor
        self.positions = self.positions or [0] * self.n_motor
        self.velocities = self.velocities or [0] * self.n_motor

    def answer(self, command: int) -> bytes:
        """What the board says to a command, from its state now."""
        header = bytes([command * 8 + self.id])
        if command == 1:
            return header + bytes([self.model, 12, self.n_motor, self.n_current, self.n_force, 0])
        if command == 4:
            return header + words(self.positions) + words(self.currents[: self.n_current]) + words([7] * self.n_force)
        if command == 6:
            tail = words(self.currents[: self.n_current]) if self.generation == "old" else words([7] * self.n_force)
            return header + words(self.positions) + words(self.velocities) + tail
        return b""

    def run(self, command: int, payload: bytes) -> None:
        if command == 6:
            self.currents = list(struct.unpack(f"<{self.n_motor}h", payload))


def words(values: list[int]) -> bytes:
    return b"".join(struct.pack("<H", value & 0xFFFF) for value in values)


class Line:
    """All boards on one line, and the host's byte stream into them."""

    def __init__(self, boards: list[Board], sense: Callable[[], None], act: Callable[[Board, bytes], None]) -> None:
        self.boards = {board.id: board for board in boards}
        self.lengths: dict[int, tuple[int, ...]] = {}  # of boards that were announced by SET_CMDLEN
        self.sense, self.act = sense, act  # read the encoders before an answer; a command has been executed
        self.pending = b""  # of the command that is coming in
        self.time = 0  # the line's clock, in byte times: bytes that have come, and pauses
        self.last = time.monotonic()
        self.busy_until = -1
        self.collisions = 0
        self.unknown = 0  # header-like bytes for boards that nobody announced

    def feed(self, data: bytes) -> bytes:
        """Bytes from the host; the answers that they cause."""
        answers = b""
        self.time += int((time.monotonic() - self.last) / BYTE_TIME)
        for byte in data:
            self.time += 1
            if not self.pending and (byte == 0 or byte >= 0x60):
                continue
            self.pending += bytes([byte])
            if len(self.pending) == 1:
                answers += self.header(byte)
            if self.pending and len(self.pending) >= self.wanted():
                self.finish()
        self.last = time.monotonic()
        return answers

    def wanted(self) -> int:
        command, board = self.pending[0] >> 3, self.pending[0] & 7
        if command == 2:
            return 13  # every board reads SET_CMDLEN
        if board in self.boards:
            return COMMAND_LENGTHS[self.boards[board].model][command]
        return self.lengths.get(board, (1,) * 12)[command]

    def header(self, byte: int) -> bytes:
        command, board = byte >> 3, self.boards.get(byte & 7)
        if board is None:
            self.unknown += byte & 7 not in self.lengths
            return b""
        self.sense()
        answer = board.answer(command)
        if not answer:
            return b""
        start = self.time + ANSWER_DELAY
        if start <= self.busy_until:
            self.collisions += 1
            return b""
        self.busy_until = start + len(answer)
        return answer

    def finish(self) -> None:
        command, board, payload = self.pending[0] >> 3, self.boards.get(self.pending[0] & 7), self.pending[1:]
        frame, self.pending = self.pending, b""
        if command == 2:
            self.lengths[frame[0] & 7] = tuple(payload)
        elif board is not None:
            board.run(command, payload)
            self.act(board, frame)
