"""The command line: fast help, exit codes, grouped commands, completion."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hapticd import __version__, cli
from hapticd.errors import ConfigError, DeviceOpenError, HapticdError, Problem

HAPTICD = Path(sys.executable).with_name("hapticd")


def call(*arguments: str, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([HAPTICD, *arguments], capture_output=True, text=True, env=os.environ | options)


def test_help_groups_the_commands_and_imports_none_of_them() -> None:
    program = (
        "import sys, hapticd.cli\n"
        "try: hapticd.cli.main()\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'numpy', 'numba', 'zmq', 'rich', 'msgspec'} | {'hapticd.command'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, row in cli.COMMANDS.items():
        assert f"{row.group}:" in done.stdout and f"  {name} " in done.stdout
    assert "Examples:" in done.stdout


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_row_of_the_table_leads_to_a_command_with_help(name: str) -> None:
    module, _, attribute = cli.COMMANDS[name].home.partition(":")
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command) and command.name == name
    assert CliRunner().invoke(cli.hapticd, [name, "--help"]).exit_code == 0


def test_version() -> None:
    assert call("--version").stdout == f"hapticd {__version__}\n"


def test_a_mistyped_command_is_corrected() -> None:
    done = call("chekc")
    assert done.returncode == 2 and "Did you mean 'check'?" in done.stderr
    assert call("nonsense").returncode == 2


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (HapticdError("it failed"), 1, ["hapticd: it failed"]),
        (DeviceOpenError("no device"), 3, ["hapticd: no device"]),
        (ConfigError("two", (Problem("a", 1, "", "x", "bad"), Problem("a", 2, "", "y", "worse"))), 2,
         ["hapticd: a:1: x bad", "hapticd: a:2: y worse"]),
        (KeyboardInterrupt(), 130, []),
    ],
)  # fmt: skip
def test_errors_are_lines_and_exit_codes(
    error: BaseException,
    code: int,
    lines: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(cli.hapticd, "main", fail)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == code
    assert capsys.readouterr().err.splitlines() == lines


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([HAPTICD, "completion", "bash"], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.stderr == "" and done.returncode == 1


def test_the_shell_completes_commands_and_options() -> None:
    bash = {"_HAPTICD_COMPLETE": "bash_complete"}
    assert call(COMP_WORDS="hapticd ch", COMP_CWORD="1", **bash).stdout == "plain,check\n"
    assert "plain,--json" in call(COMP_WORDS="hapticd check --", COMP_CWORD="2", **bash).stdout.splitlines()
