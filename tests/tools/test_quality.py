"""tools/bench_quality.py and motions.py: who is called best, what is left out, and the motions with our own engine."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def quality(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    import bench_quality

    return bench_quality


@pytest.fixture
def motions(quality):
    import motions

    return motions


@pytest.fixture
def ours(quality):
    makers, missing = quality.load(("hapticd", "hapticd_area"))
    assert not missing
    return makers


def test_best_is_the_smallest_and_what_nobody_can_tell_from_it(quality):
    assert quality.best({"a": 1.0, "b": 1.04, "c": 1.2}, 0.1) == ["a", "b"]
    assert quality.best({"a": 1e-9, "b": 0.09, "c": 1.2}, 0.1) == ["a", "b"]  # both below what counts
    assert quality.best({"a": 1e-9, "b": 1e-12}, 0.1) == ["all"]
    assert quality.best({"a": 0.0, "b": 2.0}, 0.1) == ["a"]


def test_numbers_are_written_without_exponents(quality):
    cells = [quality.said(value, 0.1) for value in (None, 0.0, 0.009, 0.05, 1.0, 8744.3)]
    assert cells == ["-", "~0", "~0", "0.050", "1.0", "8744"]


def test_verdict_puts_every_measure_in_one_list(quality):
    class Kept:
        data: dict = {}  # noqa: RUF012

    values = {row.title: {"hapticd": 1.0, "MuJoCo": 2.0} for row in quality.MEASURES}
    first, second = quality.MEASURES[0].title, quality.MEASURES[1].title
    values[first] = {"hapticd": 3e3, "MuJoCo": 2e3}
    values[second] = {"hapticd": 0.0, "MuJoCo": 0.0}
    quality.verdict(Kept, values, ["hapticd", "MuJoCo"])
    lists = Kept.data["verdict"]
    assert lists["beaten"] == [f"{first} (by MuJoCo)"] and second in lists["as good as the best"]
    assert sum(map(len, lists.values())) == len(quality.MEASURES)


def test_rows_have_names_of_their_own_units_and_nothing_unknown_is_left_out(quality):
    titles = [row.title for row in quality.MEASURES]
    assert len(set(titles)) == len(titles) and all(row.unit and row.floor > 0 for row in quality.MEASURES)
    assert {title for _, title in quality.LEFT_OUT} <= set(titles)


def test_largest_step_is_of_neighbours(motions):
    wrenches = [np.zeros(6), np.array([3.0, 4.0, 0, 0, 0, 1]), np.array([3.0, 4.0, 0, 0, 2, 1])]
    assert motions.largest_step(wrenches) == (5.0, 2.0)


def test_rigid_landing_is_the_momentum_that_ends_in_a_step(motions):
    force, torque = motions.Rock(3.0, 0.03).landing
    omega = 0.2 / 3.0
    assert force == pytest.approx(1.0 * omega * math.hypot(0.5, 0.5) / 1e-3)
    assert torque == pytest.approx(omega * (1.0 + 1.0) / 12 / 1e-3)


def test_our_motions_are_near_what_is_exact(motions, ours):
    maker = ours["hapticd"]
    assert motions.sliding_force(maker, 1.5, 0.3) < 1.0
    assert motions.spinning_torque(maker) < 1.0
    assert motions.stop_distance(maker) == pytest.approx(2.0**2 / (2 * 0.5 * 9.8), rel=0.01)
    assert motions.sinking(maker) == pytest.approx(1e3 * 9.8 / 2e4, rel=1e-3)


def test_gains_per_area_are_the_same_spring_on_a_face_and_both_are_smooth_over_a_seam(motions, ours):
    assert motions.sinking(ours["hapticd area"]) == pytest.approx(motions.sinking(ours["hapticd"]), rel=1e-3)
    assert motions.seam(ours["hapticd area"]) < 0.2  # N in 1 ms
    assert motions.seam(ours["hapticd"]) < 1.0  # with a stiffness for each tile 27 (2026-11-18)


def test_bars_are_drawn_for_zeros_and_decades(quality, monkeypatch):
    import plots

    panels = {"none": {"a": 0.0, "b": 0.0}, "wide": {"a": 0.0, "b": 500.0}, "narrow": {"a": 1.0, "b": 3.0}}
    drawn = []
    monkeypatch.setattr(plots, "_saved", lambda figure, name: drawn.append(figure))
    plots.bars("q", "title", panels, dict.fromkeys(panels, 0.1))
    none, wide, narrow, rest = drawn[0].axes
    assert [len(axes.texts) for axes in (none, wide, narrow)] == [2, 1, 0]  # "~0" where no bar is to be seen
    assert [axes.get_yscale() for axes in (none, wide, narrow)] == ["linear", "log", "linear"] and not rest.axison
    plots.plt.close(drawn[0])
