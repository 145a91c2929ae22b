"""`hapticd check` as a user and as a script call it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hapticd.cli import hapticd

FIVE_MISTAKES = """[device]
driver = "virtual"
[loop]
rate_hz = 50
prority = 3
[safety]
force = nan
[mount]
position = [0, 0]
[sockets]
state = [7]
"""


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(hapticd, ["check", *map(str, arguments)])


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.toml"
    path.write_text(FIVE_MISTAKES)
    return path


def test_five_mistakes_are_five_errors_with_their_places(broken: Path) -> None:
    result = check(broken)
    assert result.exit_code == 2
    assert result.output.splitlines() == [
        f"{broken}:4: [loop] rate_hz is 50; allowed is an integer, 100 to 4000",
        f"{broken}:5: [loop] prority is not a known key; did you mean 'priority'?",
        f"{broken}:7: [safety] force is nan; allowed is a finite number",
        f"{broken}:9: [mount] position has 2 values; allowed is a list of 3; each value is a number",
        f"{broken}:11: [sockets] state[0] is 7; allowed is a text",
        f"{broken}: run config, 5 errors",
    ]


def test_json_has_the_same_in_fields(broken: Path) -> None:
    result = check("--json", broken)
    assert result.exit_code == 2
    (report,) = json.loads(result.stdout)
    assert report["file"] == str(broken) and report["kind"] == "run config"
    assert [(e["line"], e["table"], e["key"]) for e in report["errors"]] == [
        (4, "loop", "rate_hz"),
        (5, "loop", "prority"),
        (7, "safety", "force"),
        (9, "mount", "position"),
        (11, "sockets", "state[0]"),
    ]


def test_good_and_bad_files_together(broken: Path, tmp_path: Path) -> None:
    result = check(tmp_path / "none.toml", broken)
    assert result.exit_code == 2
    assert "none.toml: cannot be read: No such file or directory" in result.output
    assert f"{broken}: run config, 5 errors" in result.output


def test_everything_that_comes_along_can_be_used() -> None:
    result = check()
    assert result.exit_code == 0, result.output
    assert "demo.toml: run config, no errors" in result.output
