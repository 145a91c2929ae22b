"""Completion scripts that the shells themselves accept."""

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from hapticd.cli import hapticd
from hapticd.errors import ConfigError


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_our_command_and_variable(shell: str) -> None:
    script = CliRunner().invoke(hapticd, ["completion", shell]).output
    assert "_HAPTICD_COMPLETE" in script and "hapticd" in script
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=script, text=True, check=True)


def test_the_shell_is_guessed_from_the_environment() -> None:
    runner = CliRunner()
    assert "fish_complete" in runner.invoke(hapticd, ["completion"], env={"SHELL": "/usr/bin/fish"}).output
    result = runner.invoke(hapticd, ["completion"], env={"SHELL": "/bin/tcsh"})
    assert isinstance(result.exception, ConfigError) and "name one of bash" in str(result.exception)
