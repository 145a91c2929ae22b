"""`hapticd calibrate` as a user calls it, on emulated boards."""

from pathlib import Path

from click.testing import CliRunner

from hapticd.cli import hapticd
from tests.drivers.test_string_calibration import device_file
from tests.emulators.board_thread import Boards


def test_writes_a_file_and_says_what_to_do_with_it(tmp_path: Path) -> None:
    with Boards("5,5", "0,1") as boards:
        path = device_file(tmp_path, boards.path)
        result = CliRunner().invoke(hapticd, ["calibrate", str(path), "--yes"])
    assert result.exit_code == 0, result.output
    assert "held within 0.0 counts" in result.output
    assert 'put calibration = "mine.home.toml" into the device file' in result.output
    assert (tmp_path / "mine.home.toml").is_file()


def test_absent_device_is_one_line(tmp_path: Path) -> None:
    path = device_file(tmp_path, "/dev/nowhere")
    result = CliRunner().invoke(hapticd, ["calibrate", str(path), "--yes"])
    assert result.exit_code != 0 and not (tmp_path / "mine.home.toml").exists()
