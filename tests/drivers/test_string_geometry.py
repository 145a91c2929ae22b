"""The shipped device files: they load, hold the grip at home, and bad ones are refused by name."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from hapticd.drivers import string_kinematics as sk
from hapticd.drivers import string_tension as st
from hapticd.drivers.string_geometry import load_geometry
from hapticd.errors import ConfigError

pytestmark = pytest.mark.kernel

FOLDER = Path(__file__).parents[2] / "configs" / "device"
FILES = sorted(path for path in FOLDER.glob("spidar*.toml") if path.stem != "spidar_emulated")


def margin(geometry, pose=(0, 0, 0, 0, 0, 0, 1)):
    strings = geometry.rows()
    n = len(strings)
    A, length = np.zeros((n, 6)), np.zeros(n)
    sk.string_rows(strings, np.array(pose, dtype=float), A, length)
    weight = 1 / geometry.knot_radius() ** 2
    Q = np.zeros((n, n))
    st.quadratic(A, geometry.n_dof, weight, st.SMOOTH, Q)
    return st.workspace_margin(
        A, geometry.n_dof, weight, Q, 1.0, np.zeros((st.WORK_ROWS, n)), np.zeros((n, n)), np.zeros(n), np.zeros(6)
    )


def test_all_geometries_are_shipped():
    assert [path.stem for path in FILES] == [
        "spidar_4", "spidar_g6_45", "spidar_g6_c", "spidar_g6_x3l", "spidar_g6_x3r", "spidar_g6_x4", "spidar_i7"
    ]  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_strings_hold_the_grip_at_home(path):
    geometry = load_geometry(path)
    lowest = geometry.tension_min_n / geometry.tension_max_n
    assert margin(geometry) > 4 * lowest


def test_published_x4_knots_do_not_hold_it():
    """devices.md: with the knots of 2, 3, 6, 7 elsewhere, no tension closes the frame."""
    geometry = load_geometry(FOLDER / "spidar_g6_x4.toml")
    knots = list(geometry.knots_m)
    knots[1], knots[5] = (0.0225, 0.0, 0.0), (0.0225, 0.0, 0.0)
    assert margin(dataclasses.replace(geometry, knots_m=tuple(knots))) < 1e-3


@pytest.mark.parametrize("name", ["x3l", "x3r"])
def test_home_lengths(name):
    lengths = load_geometry(FOLDER / f"spidar_g6_{name}.toml").home_lengths()
    wanted = np.array([103.838, 103.838, 100.311, 100.311] * 2) * 1e-3
    assert np.abs(lengths - wanted).max() < 1e-6


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("n_dof = 6", "n_dof = 5", "is 5; allowed are 3 and 6"),
        ("tension_min_n = 0.3", "tension_min_n = 30.0", "tension_min_n is 30"),
        ("tension_min_n = 0.3", "tension_mn = 30.0", "tension_mn is not a known key"),
        ("[0.06, -0.076, 0.06]", "[60.0, -76.0, 60.0]", "in metres"),
        ("[0.06, -0.076, 0.06],", "", "entries"),
        ("0.3\n", "0.0\n", "more than 0"),
        ("metres_per_pulse = [", "metres_per_pulse = [nan, ", "finite"),
        ("n_dof = 6", "n_dof = ", "nvalid value"),
    ],
)
def test_bad_file_is_refused_by_name(tmp_path, old, new, says):
    text = (FOLDER / "spidar_g6_x3r.toml").read_text()
    assert old in text
    path = tmp_path / "bad.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError, match=says) as caught:
        load_geometry(path)
    assert str(path) in str(caught.value)
