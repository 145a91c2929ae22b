"""Calibration against the emulated boards: what is written is what the driver then uses; the tension ends with it."""

import pytest

from hapticd.drivers.spidar import Calibration
from hapticd.drivers.string_calibration import Session, _near, _signed
from hapticd.errors import ConfigError, DeviceError
from hapticd.schema import read_file
from tests.drivers.test_spidar import FOLDER
from tests.emulators.board_thread import Boards


def device_file(folder, port):
    """A device file of one's own: the shipped one with another port."""
    path = folder / "mine.toml"
    path.write_text((FOLDER / "spidar_g6_x3r.toml").read_text().replace("/dev/ttyUSB0", port))
    return path


def currents(boards):
    return [frame[1:] for frame in boards.executed if frame[0] >> 3 == 6]


def test_counts_are_measured_and_written(tmp_path):
    with Boards("5,5", "0,1") as boards:
        boards.boards[0].positions = [32767, -32768, 5, -5]  # at the wrap
        with Session(device_file(tmp_path, boards.path)) as session:
            session.pull(0.05)
            home = session.measure()
            session.write(tmp_path / "home.toml", home)
            assert any(any(data) for data in currents(boards)), "no tension while measuring"
        assert not any(currents(boards)[-1]) and not any(currents(boards)[-2]), "the tension stayed on"
    kept = read_file(Calibration, tmp_path / "home.toml")
    assert kept.home_counts == (32767, -32768, 5, -5, -1001, -1002, -1003, -1004)
    assert kept.boards == ((0, 5), (1, 5)) and kept.geometry == "SPIDAR-G6 X3R" and kept.spread_counts == 0


def test_tension_ends_when_something_goes_wrong(tmp_path):
    with Boards("5,5", "0,1") as boards:
        with pytest.raises(KeyboardInterrupt), Session(device_file(tmp_path, boards.path)) as session:
            session.pull(0.02)
            raise KeyboardInterrupt
        session_end = currents(boards)[-2:]
    assert not any(map(any, session_end))


def test_grip_that_moves_is_refused(tmp_path):
    with Boards("5,5", "0,1") as boards:
        first = boards.boards[0]
        boards.line.sense = lambda: first.positions.__setitem__(0, first.positions[0] + 1)
        with Session(device_file(tmp_path, boards.path)) as session, pytest.raises(DeviceError, match="hold it still"):
            session.measure()


def test_other_drivers_are_refused():
    with pytest.raises(ConfigError, match="only string devices"):
        Session(FOLDER / "hapi_2diy.toml")


def test_wrapped_readings():
    assert _near(-32768, 32767) == 32768 and _near(32767, -32768) == -32769 and _near(7, 5) == 7
    assert _signed(32768) == -32768 and _signed(-32769) == 32767
