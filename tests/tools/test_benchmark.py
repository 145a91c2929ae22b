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


def test_a_ratio_is_of_neighbours_so_that_a_slow_spell_cancels(benchmark):
    ours = benchmark.Timing("ours", [1.0, 10.0, 1.0])
    peer = benchmark.Timing("peer", [2.0, 20.0, 2.0])
    assert benchmark.ratio(ours, peer) == 0.5
    assert benchmark.ratio(ours, benchmark.Timing("peer", [2.0, 2.0, 4.0])) == 0.5  # of 0.5, 5 and 0.25


def test_every_subject_runs_once_per_repeat_and_in_turn(benchmark):
    calls = []
    subjects = [benchmark.Subject(name, lambda n, name=name: _busy(calls, name, n)) for name in ("a", "b")]
    times = benchmark.interleave(subjects, repeats=3, seconds=0.004)
    assert [len(times[name].medians) for name in ("a", "b")] == [3, 3]
    assert len(times["a"].chunks) == 3 * benchmark.CHUNKS
    turns = [name for name, before in zip(calls, [None, *calls], strict=False) if name != before]
    assert turns[-6:] == ["a", "b"] * 3


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
    assert report.missed == ["twice", "nothing to go by"]
    assert found["missing"] == {"drake": "ImportError: none here"}
    assert found["about"]["numba"] == "1" and found["about"]["cores"] >= 1


def test_a_fit_gives_the_line_and_how_well_it_fits(benchmark):
    report = benchmark.Report("trial")
    assert report.fit("straight", [1, 2, 3], [5.0, 7.0, 9.0]) == pytest.approx(1.0)
    assert report.data["fits"]["straight"] == {
        "offset": pytest.approx(3.0), "slope": pytest.approx(2.0), "r2": pytest.approx(1.0),
    }  # fmt: skip
    assert report.fit("bent", [1, 2, 3], [1.0, 0.0, 1.0]) == pytest.approx(0.0)
