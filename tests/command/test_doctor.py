"""`hapticd doctor`: a report for people and for scripts, and the witness test on request."""

import json

from click.testing import CliRunner

from hapticd.command.doctor import doctor


def test_findings_as_json():
    result = CliRunner().invoke(doctor, ["--seconds", "0", "--json"])
    report = json.loads(result.stdout)
    assert {one["what"] for one in report["findings"]} >= {"real-time priority", "locked memory", "kernel"}
    assert result.exit_code == any(one["grade"] == "bad" for one in report["findings"])
    assert all(one["remedy"] for one in report["findings"] if one["grade"] != "ok")


def test_witness_in_the_terminal_and_as_a_plot(tmp_path):
    result = CliRunner().invoke(doctor, ["--seconds", "0.3", "--rate", "500", "--plot", str(tmp_path / "late.png")])
    assert "150 ticks" in result.output and "overruns:" in result.output and "#" in result.output
    assert (tmp_path / "late.png").read_bytes().startswith(b"\x89PNG")
