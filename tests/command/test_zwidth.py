"""`hapticd zwidth` as a user calls it, on the emulated SPIDAR."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hapticd.cli import hapticd
from tests.drivers.test_string_calibration import device_file
from tests.emulators.process import Emulator


def test_table_plot_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hapticd.zwidth.TRIES", 4)  # coarse: the search itself is tried in tests/test_zwidth.py
    with Emulator("spidar", tmp_path, "--free") as emulator:
        path = device_file(tmp_path, emulator.path)
        path.write_text("simulated = true\n" + path.read_text())
        words = ["zwidth", str(path), "--damping", "0", "--plot", str(tmp_path / "z.svg"), "--json"]
        result = CliRunner().invoke(hapticd, words)
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.output)
    assert 150 < row["stiffness"] < 500 and row["predicted"] == pytest.approx(0.5 / (0.0005 + 0.00148))
    assert (tmp_path / "z.svg").stat().st_size > 5000


def test_hardware_is_refused(tmp_path: Path) -> None:
    with Emulator("spidar", tmp_path) as emulator:
        result = CliRunner().invoke(hapticd, ["zwidth", str(device_file(tmp_path, emulator.path))])
    assert result.exit_code != 0 and "not simulated" in str(result.exception)
