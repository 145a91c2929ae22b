"""The command: a report for people, one for scripts, errors as exit codes."""

import json
from pathlib import Path

import trimesh
from click.testing import CliRunner

from hapticd.cli import hapticd


def test_reports(tmp_path: Path) -> None:
    mesh = tmp_path / "box.stl"
    trimesh.creation.box((1, 1, 1)).export(mesh)
    told = CliRunner().invoke(hapticd, ["decompose", str(mesh)])
    assert told.exit_code == 0 and "box.parts.obj: 1 parts of 6 to 6 faces, 1 cubic units in all\n" in told.stdout
    again = CliRunner().invoke(hapticd, ["decompose", str(mesh), "--json"])
    report = json.loads(again.stdout)
    assert report["faces"] == [6] and not report["made"] and report["file"].endswith("box.parts.obj")


def test_no_such_file(tmp_path: Path) -> None:
    told = CliRunner().invoke(hapticd, ["decompose", str(tmp_path / "none.obj")])
    assert told.exit_code != 0 and "none: cannot read" in str(told.exception)
