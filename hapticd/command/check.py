"""`hapticd check`: all errors of config and scene files, for people or, with --json, for scripts."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from hapticd.errors import ConfigError, Problem


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def check(files: tuple[Path, ...], as_json: bool) -> None:
    """List all errors of FILES: run configs and scenes. Without FILES: of those that hapticd brings along.

    \b
    hapticd check my_lab.toml
    hapticd check --json scenes/*.toml

    Exit code 0: all can be used; 2: an error was found.
    """
    from hapticd.inspection import inspect, shipped_configs

    found = [(path, *inspect(path)) for path in files or shipped_configs()]
    if as_json:
        click.echo(json.dumps([_as_json(*row) for row in found], indent=1))
    else:
        for path, kind, problems in found:
            _say(path, kind, problems)
    if any(problems for _, _, problems in found):
        raise SystemExit(ConfigError.exit_code)


def _say(path: Path, kind: str, problems: tuple[Problem, ...]) -> None:
    if not problems:
        click.echo(f"{path}: {kind}, no errors")
        return
    for problem in problems:
        click.echo(problem)
    click.echo(f"{path}: {kind}, {len(problems)} error{'s' if len(problems) > 1 else ''}")


def _as_json(path: Path, kind: str, problems: tuple[Problem, ...]) -> dict[str, Any]:
    return {"file": str(path), "kind": kind, "errors": [dataclasses.asdict(problem) for problem in problems]}
