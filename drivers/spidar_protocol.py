"""The serial motor boards ("UART motor driver") of today's SPIDARs: frames, lengths, handshake.

Used by the SPIDAR driver's `open`; the frames of the tick are built here once and filled by `spidar_frame`. 2 Mbaud,
half duplex, several boards on one line. A frame is a header byte, command << 3 | board, and a payload of agreed length:
no checksum, no length, no number. Where a header is expected, zeros and bytes from 0x60 on are skipped, so zeros pad
the time in which a board answers. Source: firmware StuffedV3 (PIC, PIC32MK) and Springhead's DRUartMotorDriver.

The reply to CURRENT exists in two generations: positions, velocities, then motor currents (old) or forces (new). No
version is sent, so one zero-current command is asked and the answer is measured. The boards have no watchdog: the last
current is held for ever when the host falls silent.
"""

import dataclasses
import struct
from dataclasses import dataclass

from hapticd.errors import DeviceError, DeviceOpenError, DeviceTimeout

from .serial_link import SerialLink

BOARD_INFO, SET_LENGTHS, SENSOR, CURRENT = 1, 2, 4, 6
MOST_BOARDS = 8  # ids 0..7
REPLY_TIME = 0.03  # s; the makers' own host waits 15 ms
PASSES = 6  # over the ids, at most: a host under load may miss an answer (two were too few beside eight busy processes)
PROBES = 12  # at most, until two agree: beside busy processes answers come late, into the next probe
LATE_TIME = 0.1  # s, of quiet before the next probe after a bad one: what comes late is thrown away
INFO_REPLY = 7  # bytes
LONGEST_FRAME = 85  # bytes, of any command of any board; one less in zeros ends a half-sent frame
FULL_SCALE = 4095  # current command, 12-bit converter
FULL_SCALE_PWM = 1024  # of the 8-motor board: its command is a share of full PWM, and it clips there
MODEL_PWM = 7
MODEL_NAMES = {1: "B1M", 2: "B1F", 3: "B2M", 4: "B2F", 5: "B3M", 6: "B3F", 7: "B5M"}
BYTE_TIME = 10 / 2e6  # s on the wire


@dataclass(frozen=True)
class Board:
    """One board as it described itself, and the generation of its CURRENT reply (extra: words after the velocities)."""

    id: int
    model: int
    n_target: int
    n_motor: int
    n_current: int
    n_force: int
    n_touch: int
    extra: int = 0

    @property
    def name(self) -> str:
        return MODEL_NAMES.get(self.model, f"model {self.model}")

    @property
    def full_scale(self) -> int:
        return FULL_SCALE_PWM if self.model == MODEL_PWM else FULL_SCALE

    @property
    def info(self) -> bytes:
        """The reply to BOARD_INFO: always these bytes, so it marks the end of a cycle in the stream."""
        fields = (self.model, self.n_target, self.n_motor, self.n_current, self.n_force, self.n_touch)
        return bytes((BOARD_INFO << 3 | self.id, *fields))

    @property
    def command_lengths(self) -> tuple[int, ...]:
        """Total length of each of the twelve commands, which every board on the line must know."""
        n, f = self.n_motor, self.n_force
        jacobian = 2 * f * n
        return (
            1, 1, 13, 5 + 2 * n + max(2 * n, jacobian), 1, 1 + 4 * n, 1 + 2 * n, 4 + 2 * n, 4 + 2 * n + jacobian,
            2 + 4 * n, 3, 2,
        )  # fmt: skip

    @property
    def current_length(self) -> int:
        return 1 + 2 * self.n_motor

    @property
    def reply_length(self) -> int:
        return 1 + 4 * self.n_motor + 2 * self.extra

    @property
    def reply_extras(self) -> tuple[int, ...]:
        """What may follow the velocities: currents (old) or forces (new); one value where both are alike."""
        return tuple(dict.fromkeys((self.n_current, self.n_force))) if self.model != MODEL_PWM else (self.n_force,)

    @property
    def padding(self) -> int:
        """Zeros after the command, in which the board answers."""
        return max(5, self.reply_length - self.current_length + 20)


def find_boards(link: SerialLink, n_motor: int = 1) -> list[Board]:
    """Ask all eight ids who is there, again while fewer than `n_motor` motors have answered; boards by id.

    Then tells every board all lengths. Their replies are not yet probed.
    """
    link.write(bytes(LONGEST_FRAME - 1))  # whatever was half sent ends here
    link.drain()
    found: dict[int, Board] = {}
    for _ in range(PASSES):
        for board_id in sorted(set(range(MOST_BOARDS)) - set(found)):
            link.write(bytes(40) + bytes((BOARD_INFO << 3 | board_id,)) + bytes(26))
            board = _board_from(board_id, link.read(INFO_REPLY, REPLY_TIME))
            if board is not None:
                found[board_id] = board
            link.drain()
        if sum(board.n_motor for board in found.values()) >= n_motor:
            break
    boards = [found[board_id] for board_id in sorted(found)]
    if not boards:
        raise DeviceTimeout(
            f"{link.path}: no motor board answers on any of the ids 0-7; check power, cable and baud rate"
        )
    for board in boards:
        link.write(bytes((SET_LENGTHS << 3 | board.id, *board.command_lengths)))
    link.write(bytes(5))
    link.drain()
    return boards


def _board_from(board_id: int, reply: bytes) -> Board | None:
    if len(reply) != INFO_REPLY or reply[0] != (BOARD_INFO << 3 | board_id):
        return None
    board = Board(board_id, *reply[1:])
    plausible = board.model > 0 and board.n_motor > 0 and board.n_motor + board.n_current + board.n_force < 100
    return board if plausible else None


def probe_reply(link: SerialLink, board: Board, generation: str = "auto") -> Board:
    """The board with its reply length: as the option says, or measured until two zero-current commands agree."""
    choices = {"auto": board.reply_extras, "old": (board.n_current,), "new": (board.n_force,)}[generation]
    lengths = {1 + 4 * board.n_motor + 2 * extra: extra for extra in choices}
    command = current_command(board, [0] * board.n_motor)
    seen: list[int] = []
    while len(seen) < PROBES:
        link.write(command + bytes(max(lengths) + 20))
        reply = link.read(max(lengths) + 1, REPLY_TIME)
        seen.append(len(reply) if reply[:1] == command[:1] else 0)
        link.drain(0.002 if seen[-1] in lengths else LATE_TIME)
        if seen[-2:] == [seen[-1]] * 2 and seen[-1] in lengths:
            return dataclasses.replace(board, extra=lengths[seen[-1]])
    raise DeviceOpenError(
        f"{link.path}: board {board.id} ({board.name}) answers CURRENT with {sorted(set(seen))} bytes; "
        f"known are {sorted(lengths)}; set device.reply to old or new if the line is noisy"
    )


def read_counts(link: SerialLink, boards: list[Board]) -> list[int]:
    """All encoder counters, by the SENSOR command: no current changes."""
    counts: list[int] = []
    for board in boards:
        length = 1 + 2 * (board.n_motor + board.n_current + board.n_force + board.n_touch)
        header = bytes((SENSOR << 3 | board.id,))
        for _ in range(PROBES):
            link.write(header + bytes(length + 20))
            reply = link.read(length, REPLY_TIME)
            link.drain()
            if len(reply) == length and reply[:1] == header:
                break
        else:
            raise DeviceError(f"{link.path}: board {board.id} does not answer SENSOR ({len(reply)} of {length} bytes)")
        counts += struct.unpack_from(f"<{board.n_motor}h", reply, 1)
    return counts


def current_command(board: Board, units: list[int]) -> bytes:
    return struct.pack(f"<B{board.n_motor}h", CURRENT << 3 | board.id, *units)


def cycle_frame(boards: list[Board], units: list[int]) -> bytes:
    """One tick's output: every board's currents with padding, then BOARD_INFO to the first.

    That last answer holds a zero byte, the event character at which an FTDI chip hands its buffer over at once.
    """
    frame, start = b"", 0
    for board in boards:
        frame += current_command(board, units[start : start + board.n_motor]) + bytes(board.padding)
        start += board.n_motor
    return frame + bytes((BOARD_INFO << 3 | boards[0].id,)) + bytes(5)


def motor_offsets(boards: list[Board]) -> list[int]:
    """Byte offset of every motor's current in `cycle_frame`."""
    offsets, at = [], 0
    for board in boards:
        offsets += [at + 1 + 2 * k for k in range(board.n_motor)]
        at += board.current_length + board.padding
    return offsets
