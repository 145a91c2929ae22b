"""tools/benchmark.py: the arithmetic that every benchmark rests on; no clock is judged."""

import json
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def benchmark(monkeypatch, tmp_path):
    """The module as the scripts import it, writing into a folder of this test."""
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    monkeypatch.delitem(sys.modules, "benchmark", raising=False)
    import benchmark

    monkeypatch.setattr(benchmark, "OUT", tmp_path / "out" / "bench")
    return benchmark


def test_a_cost_is_that_of_the_quickest_repeat_so_that_a_slow_spell_does_not_count(benchmark):
    ours = benchmark.Timing("ours", [1.1, 10.0, 1.0])
    peer = benchmark.Timing("peer", [2.0, 20.0, 2.2])
    assert (ours.cost, peer.cost) == (1.0, 2.0)
    assert benchmark.ratio(ours, peer) == 0.5


def test_subjects_take_turns_chunk_by_chunk_and_cases_repeat_by_repeat(benchmark):
    calls, made = [], []

    def case(*names):
        made.append(names)
        return [benchmark.Subject(name, lambda n, name=name: calls.append((name, n)), 7) for name in names]

    times = benchmark.interleave({"one": lambda: case("a", "b"), "two": lambda: case("c")}, repeats=2, chunks=3)
    assert made == [("a", "b"), ("c",)] * 2  # anew for every repeat
    assert calls == ([("a", 7), ("b", 7)] * 3 + [("c", 7)] * 3) * 2
    assert len(times["one"]["a"].medians) == 2 and len(times["one"]["a"].chunks) == 6
    assert list(times["two"]) == ["c"]


def test_a_subject_that_names_no_count_gets_one(benchmark):
    calls = []
    times = benchmark.interleave({"one": lambda: [benchmark.Subject("a", lambda n: _busy(calls, "a", n))]}, 1, 2)
    assert times["one"]["a"].cost > 0 and len(calls) > 2


def test_a_second_run_says_which_ratios_have_moved(benchmark, capsys):
    for tower, pyramid in ((0.4, 0.2), (0.44, 0.26)):
        report = benchmark.Report("trial")
        report.ratio("tower / ODE", tower)
        report.ratio("pyramid / ODE", pyramid)
        path = report.save()
    said = capsys.readouterr().out
    assert "1 of 2 ratios within 25%" in said and "1.30 x the run before: pyramid / ODE" in said
    assert json.loads(path.read_text())["changes"] == {
        "tower / ODE": pytest.approx(1.1), "pyramid / ODE": pytest.approx(1.3),
    }  # fmt: skip


def _busy(calls, name, n):
    calls.append(name)
    sum(range(1000 * n))


def test_the_p99_is_of_all_chunks(benchmark):
    timing = benchmark.Timing("ours", [1.0], [float(k) for k in range(101)])
    assert timing.p99 == 99.0


def test_a_missed_target_is_in_the_json(benchmark):
    report = benchmark.Report("trial")
    report.judge("half", 0.5, 1.0)
    report.judge("twice", 2.0, 1.0)
    report.judge("nothing to go by", float("nan"), 1.0)
    report.missing({"drake": "ImportError: none here"})
    found = json.loads(report.save(numba="1").read_text())
    assert [target["met"] for target in found["targets"]] == [True, False, False]
    assert found["missing"] == {"drake": "ImportError: none here"}
    assert found["about"]["numba"] == "1" and found["about"]["cores"] >= 1


def test_a_fit_gives_the_line_and_how_well_it_fits(benchmark):
    report = benchmark.Report("trial")
    assert report.fit("straight", [1, 2, 3], [5.0, 7.0, 9.0]) == pytest.approx(1.0)
    assert report.data["fits"]["straight"] == {
        "offset": pytest.approx(3.0), "slope": pytest.approx(2.0), "r2": pytest.approx(1.0),
    }  # fmt: skip
    assert report.fit("bent", [1, 2, 3], [1.0, 0.0, 1.0]) == pytest.approx(0.0)
