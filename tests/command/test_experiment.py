"""`hapticd experiment`: list, figures, a drawing."""

import json

import pytest
from click.testing import CliRunner

from hapticd.cli import hapticd
from hapticd.experiment import EXPERIMENTS


def call(*arguments):
    result = CliRunner().invoke(hapticd, ["-q", "experiment", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_without_a_name_all_are_listed():
    listed = call()
    assert all(name in listed for name in EXPERIMENTS)


@pytest.mark.parametrize("name", ["joystick", "hysteresis"])
def test_figures_beside_the_papers_statement(name):
    told = json.loads(call(name, "--json"))
    assert told["statement"] and told["figures"]
    assert "The paper:" in call(name)


def test_joystick_and_hysteresis_keep_their_statements():
    joystick = json.loads(call("joystick", "--json"))["figures"]
    assert joystick["M = 0 kg: largest force, N"] <= 4.0 < joystick["M = 1 kg: largest force, N"]
    # of 55 N; what is left is the dampers' share at the reversals, 100 Ns/m at up to 3 mm/s
    assert json.loads(call("hysteresis", "--json"))["figures"]["largest gap of a loop, N"] < 0.5


def test_it_draws(tmp_path):
    path = tmp_path / "joystick.png"
    call("joystick", "--plot", str(path))
    assert path.read_bytes()[:4] == b"\x89PNG"
