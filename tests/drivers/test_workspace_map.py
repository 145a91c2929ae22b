"""The survey of a device's workspace and its picture."""

import itertools
from pathlib import Path

import pytest

from hapticd.drivers.workspace_map import PLANES, draw, survey
from hapticd.errors import ConfigError

FOLDER = Path(__file__).parents[2] / "configs" / "device"


@pytest.fixture(scope="module")
def x3r():
    return survey(FOLDER / "spidar_g6_x3r.toml")


def test_numbers_of_x3r(x3r):
    assert x3r["force_n"] == pytest.approx(28.8, abs=0.5) and x3r["torque_nm"] == pytest.approx(0.512, abs=0.01)
    assert x3r["share"][0][0] == 1.0  # near home, unturned
    assert all(a >= b - 0.05 for row in x3r["share"] for a, b in itertools.pairwise(row))
    assert x3r["lines"][0] == "SPIDAR-G6 X3R: 8 strings, 0.3 to 20 N"


def test_slices_are_full_at_home_and_empty_in_the_corner(x3r):
    for name in PLANES:
        values = x3r["slices"][name]
        assert values[20, 20] == 1.0 and values[0, 0] == 0.0


def test_picture(x3r, tmp_path):
    draw(x3r, tmp_path / "x3r.png")
    assert (tmp_path / "x3r.png").read_bytes().startswith(b"\x89PNG")


def test_three_degrees_of_freedom():
    four = survey(FOLDER / "spidar_4.toml")
    assert four["turns_deg"] == [0] and four["torque_nm"] == 0


def test_only_string_devices():
    with pytest.raises(ConfigError, match="string devices only"):
        survey(FOLDER / "hapi_2diy.toml")
