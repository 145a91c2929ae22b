"""`hapticd log` as a user and as a script call it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hapticd.cli import hapticd
from tests.oracle.testlog import record


def log(*arguments: object) -> Result:
    return CliRunner().invoke(hapticd, ["log", *map(str, arguments)])


@pytest.fixture
def path(tmp_path):
    return record(tmp_path, "a.mcap", 700)


def test_info(path):
    result = log("info", path)
    assert result.exit_code == 0 and "700 ticks" in result.output and "0..699, 0.700 s" in result.output
    assert json.loads(log("info", "--json", path).stdout)["ticks"] == 700


def test_recover_says_what_is_lost(path, tmp_path):
    path.write_bytes(path.read_bytes()[:-20_000])
    result = log("recover", path, tmp_path / "new.mcap")
    assert result.exit_code == 0 and "damage: byte" in result.output
    assert json.loads(log("info", "--json", tmp_path / "new.mcap").stdout)["closed"]
    assert json.loads(log("recover", "--json", path, tmp_path / "b.mcap").stdout)["ticks"] > 0


def test_cut_export_plot_diff(path, tmp_path):
    assert (
        json.loads(log("cut", path, tmp_path / "c.mcap", "--from", 0.55, "--to", 0.6, "--json").stdout)["ticks"] == 99
    )
    assert log("export", path, tmp_path / "a.npz").exit_code == 0
    assert len(np.load(tmp_path / "a.npz")["tick.tick"]) == 700
    assert "700 of /tick" in log("export", path, tmp_path / "a.csv").output
    assert log("plot", path, tmp_path / "a.png").exit_code == 0
    same = log("diff", path, tmp_path / "c.mcap")
    assert same.exit_code == 0 and "identical" in same.output
    assert json.loads(log("diff", "--json", path, tmp_path / "c.mcap").stdout)["common_ticks"] == 99


def test_what_is_not_a_log_is_one_line(tmp_path):
    (tmp_path / "x").write_text("hello")
    result = log("info", tmp_path / "x")
    assert result.exit_code != 0 and "not a log" in str(result.exception)
