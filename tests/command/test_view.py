"""`hapticd view` as a user calls it."""

import sys

from click.testing import CliRunner

from hapticd.cli import hapticd


def test_help_names_the_extra_and_the_stop_button():
    result = CliRunner().invoke(hapticd, ["view", "--help"])
    assert result.exit_code == 0 and "hapticd[view]" in result.output and "stop button" in result.output


def test_without_viser_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hapticd.viewer", None)
    result = CliRunner().invoke(hapticd, ["view", "--port", "0"])
    assert result.exit_code != 0 and "pip install 'hapticd[view]'" in str(result.exception)
