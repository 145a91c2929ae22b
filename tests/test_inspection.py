"""What kind a file is, and whose problems are reported."""

from pathlib import Path

import pytest

from hapticd.config import Device
from hapticd.errors import ConfigError
from hapticd.inspection import inspect, shipped_configs, try_driver
from hapticd.schema import Section

PLUGIN = Path(__file__).parent / "emulators/plugin"


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third party's driver, called bench, that wants a path."""
    monkeypatch.syspath_prepend(str(PLUGIN))


def written(folder: Path, text: str) -> Path:
    path = folder / "file.toml"
    path.write_text(text)
    return path


def test_a_run_config_is_checked_down_to_its_driver(tmp_path: Path) -> None:
    path = written(tmp_path, '[device]\ndriver = "bench"\npath = "/dev/null"\n')
    assert inspect(path) == ("run config", ())
    path = written(tmp_path, '# a\n[device]\ndriver = "bnch"\n')
    kind, (problem,) = inspect(path)
    assert kind == "run config"
    assert (problem.file, problem.line, problem.table, problem.key) == (str(path), 3, "device", "driver")
    assert "'bnch'" in problem.message and "bench" in problem.message


def test_a_device_file_is_known_by_its_driver(tmp_path: Path) -> None:
    assert inspect(written(tmp_path, 'driver = "bench"\npath = "/dev/null"\n')) == ("device", ())
    kind, (problem,) = inspect(written(tmp_path, "driver = 3\n"))
    assert kind == "device" and "is 3; allowed is a text" in problem.message


def test_what_a_driver_says_about_its_options_gets_the_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        try_driver(Device(driver="none", options=Section()))
    (problem,) = caught.value.problems
    assert problem.key == "driver"


def test_a_file_that_is_no_toml_has_no_kind(tmp_path: Path) -> None:
    kind, (problem,) = inspect(written(tmp_path, "x = \n"))
    assert kind == "unreadable" and problem.line == 1


def test_a_string_geometry_is_read_by_its_own_reader(tmp_path: Path) -> None:
    kind, problems = inspect(written(tmp_path, 'name = "x"\nexits_m = [[0, 0, 5000]]\n'))
    assert kind == "string geometry" and problems


def test_shipped_configs_are_found() -> None:
    assert {path.suffix for path in shipped_configs()} == {".toml"}
