"""`hapticd devices` as a user and as a script call it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hapticd.cli import hapticd
from hapticd.device import Found
from hapticd.drivers.hapi import Hapi
from hapticd.errors import DeviceError

CONFIGS = Path(__file__).parents[2] / "configs" / "device"


def devices(*arguments: str | Path) -> Result:
    return CliRunner().invoke(hapticd, ["devices", *map(str, arguments)])


def test_drivers_are_named_even_without_devices() -> None:
    result = devices()
    assert result.exit_code == 0
    assert "drivers: " in result.output
    for name in ("hapi", "hid_pid", "spidar", "virtual"):
        assert name in result.output.splitlines()[-1]


def test_found_device_is_a_row_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Found("/dev/ttyACM7", "Arduino Due [2341:003e]", ("no permission: join the group",))
    monkeypatch.setattr(Hapi, "scan", classmethod(lambda cls: [found]))
    result = devices()
    assert "/dev/ttyACM7" in result.output and "hapi" in result.output and "no permission" in result.output
    rows = json.loads(devices("--json").output)
    assert rows == [
        {
            "driver": "hapi",
            "path": "/dev/ttyACM7",
            "title": "Arduino Due [2341:003e]",
            "problems": ["no permission: join the group"],
        }
    ]


def test_driver_that_cannot_look_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(cls: type) -> list[Found]:
        raise DeviceError("the bus is on fire")

    monkeypatch.setattr(Hapi, "scan", classmethod(broken))
    assert "cannot look for devices: the bus is on fire" in " ".join(devices().output.split())


def test_workspace_as_table_picture_and_json(tmp_path: Path) -> None:
    path = tmp_path / "x3r.svg"
    result = devices("--workspace", CONFIGS / "spidar_g6_x3r.toml", "--plot", path)
    assert result.exit_code == 0, result.output
    assert "largest force at home, weakest axis: 28.8 N" in result.output
    assert path.stat().st_size > 10_000
    report = json.loads(devices("--workspace", CONFIGS / "spidar_4.toml", "--json").output)
    assert report["name"] == "SPIDAR-4"


def test_other_files_are_refused(tmp_path: Path) -> None:
    assert devices("--workspace", tmp_path / "absent.toml").exit_code != 0
