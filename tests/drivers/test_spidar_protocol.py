"""Handshake and lengths of the serial motor boards, against the published table and the emulated firmware."""

import contextlib

import pytest

from hapticd.drivers import spidar_protocol as protocol
from hapticd.drivers.serial_link import SerialLink
from hapticd.drivers.spidar_protocol import Board
from hapticd.errors import DeviceOpenError, DeviceTimeout
from tests.emulators import spidar_board as firmware
from tests.emulators.board_thread import Boards
from tests.emulators.rig import DISTURBABLE

pytestmark = DISTURBABLE  # a board that answers too late is not found

# model: (N, C, F), command lengths, length of the CURRENT reply old and new; devices.md 1.1
TABLE = {
    1: ((4, 0, 0), "1 1 13 21 1 17 9 12 12 18 3 2", 17, 17),
    2: ((3, 0, 2), "1 1 13 23 1 13 7 10 22 14 3 2", 13, 17),
    5: ((4, 4, 0), "1 1 13 21 1 17 9 12 12 18 3 2", 25, 17),
    6: ((3, 3, 2), "1 1 13 23 1 13 7 10 22 14 3 2", 19, 17),
    7: ((8, 0, 4), "1 1 13 85 1 33 17 20 84 34 3 2", 41, 41),
}


@pytest.mark.parametrize("model", TABLE)
def test_lengths_are_those_of_the_table(model):
    counts, commands, old, new = TABLE[model]
    board = Board(1, model, 12, *counts, 0)
    assert " ".join(map(str, board.command_lengths)) == commands
    lengths = [Board(1, model, 12, *counts, 0, extra).reply_length for extra in board.reply_extras]
    assert set(lengths) == {old, new}


def test_bytes_of_the_published_example():
    board = Board(1, 5, 12, 4, 4, 0, 0, 4)
    assert board.info.hex(" ") == "09 05 0c 04 04 00 00"
    announced = bytes((protocol.SET_LENGTHS << 3 | 1, *board.command_lengths))
    assert announced.hex(" ") == "11 01 01 0d 15 01 11 09 0c 0c 12 03 02"
    assert protocol.current_command(board, [1, -1, 1986, -4095]).hex(" ") == "31 01 00 ff ff c2 07 01 f0"


def test_wire_time_of_a_cycle():
    """Two B3M, old: 2 x 45 + 6 bytes, 480 us; new: 2 x 37 + 6; one B5M: 61 + 6."""
    old, new = Board(0, 5, 12, 4, 4, 0, 0, 4), Board(0, 5, 12, 4, 4, 0, 0, 0)
    assert len(protocol.cycle_frame([old, old], [0] * 8)) == 96
    assert len(protocol.cycle_frame([new, new], [0] * 8)) == 80
    assert len(protocol.cycle_frame([Board(0, 7, 12, 8, 0, 4, 0, 4)], [0] * 8)) == 67


@contextlib.contextmanager
def linked(*arguments, **options):
    with Boards(*arguments, **options) as emulated:
        emulated.link = SerialLink(emulated.path, 2_000_000)
        yield emulated
        emulated.link.drain()
        emulated.link.close()


@pytest.mark.parametrize("generation", ["old", "new"])
@pytest.mark.parametrize(
    ("models", "ids"), [("1,3", "0,1"), ("5,5", "2,7"), ("6,6,6", "0,3,5"), ("7", "4"), ("2,5,4", "1,2,3")]
)
def test_every_board_is_found_and_probed(models, ids, generation):
    with linked(models, ids, generation) as emulated:
        boards = [protocol.probe_reply(emulated.link, board) for board in protocol.find_boards(emulated.link)]
        counts = protocol.read_counts(emulated.link, boards)
    assert ",".join(str(board.model) for board in boards) == models
    assert ",".join(str(board.id) for board in boards) == ids
    for board in boards:
        if board.model in TABLE:
            assert board.reply_length == TABLE[board.model][2 if generation == "old" else 3]
    assert counts == [position for board in emulated.boards for position in board.positions]
    currents = [frame[1:] for frame in emulated.executed if frame[0] >> 3 == 6]
    assert currents and not any(map(any, currents)), "the probe put a current on"
    assert emulated.line.collisions == 0
    # every board now knows the lengths of all
    assert emulated.line.lengths == {b.id: firmware.COMMAND_LENGTHS[b.model] for b in emulated.boards}


def test_half_sent_frame_is_ended_before_the_handshake():
    """The host died in the middle of the longest command: its rest must not swallow our first words."""
    with linked("7", "0") as emulated:
        emulated.link.write(b"\x18\x03")  # ALL, 85 bytes, two of them sent
        assert [board.model for board in protocol.find_boards(emulated.link)] == [7]


def test_silent_line_times_out():
    with linked("5,5", "0,1", silent=True) as emulated, pytest.raises(DeviceTimeout, match="no motor board answers"):
        protocol.find_boards(emulated.link)


def test_wrong_generation_is_refused_by_name():
    with linked("5,5", "0,1", "new") as emulated:
        board = protocol.find_boards(emulated.link)[0]
        with pytest.raises(DeviceOpenError, match=r"answers CURRENT with .*17.* bytes; known are \[25\]"):
            protocol.probe_reply(emulated.link, board, "old")


def test_motor_offsets_point_at_the_currents():
    boards = [Board(0, 5, 12, 4, 4, 0, 0, 4), Board(1, 7, 12, 8, 0, 4, 0, 4)]
    units = list(range(1, 13))
    frame = protocol.cycle_frame(boards, units)
    offsets = protocol.motor_offsets(boards)
    assert [int.from_bytes(frame[at : at + 2], "little", signed=True) for at in offsets] == units
