"""`hapticd devices`: what is plugged in, which driver would take it, what is missing; the workspace of a device."""

import json
from pathlib import Path
from typing import Any

import click


@click.command()
@click.option("--workspace", type=click.Path(path_type=Path), help="Of this device file: what it can render where.")
@click.option("--plot", type=click.Path(path_type=Path), help="With --workspace: draw it into this PNG or SVG.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def devices(workspace: Path | None, plot: Path | None, as_json: bool) -> None:
    """List devices that are plugged in, the driver for each, and what is missing.

    \b
    hapticd devices
    hapticd devices --workspace configs/device/spidar_g6_x3r.toml --plot x3r.png

    Nothing is opened for writing: a device in use is not disturbed.
    """
    if workspace is None:
        rows = found_devices()
        click.echo(json.dumps(rows, indent=1)) if as_json else _say(rows)
        return
    from hapticd.drivers.workspace_map import draw, survey

    report = survey(workspace)
    if plot is not None:
        draw(report, plot)
    if as_json:
        click.echo(json.dumps({key: value for key, value in report.items() if key != "slices"}, indent=1))
        return
    for line in report["lines"]:
        click.echo(line)
    if plot is not None:
        click.echo(f"drawn into {plot}")


def found_devices() -> list[dict[str, Any]]:
    """One row per device and driver that would take it; a driver that cannot look is a row, too."""
    from hapticd.device import driver_names, find_driver
    from hapticd.errors import HapticdError

    rows = []
    for name in driver_names():
        try:
            seen = find_driver(name).scan()
        except (HapticdError, OSError) as error:
            rows.append({"driver": name, "path": "", "title": "", "problems": [f"cannot look for devices: {error}"]})
            continue
        for found in seen:
            problems = list(found.problems)
            rows.append({"driver": name, "path": found.path, "title": found.title, "problems": problems})
    return sorted(rows, key=lambda row: (str(row["path"]), str(row["driver"])))


def _say(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from hapticd.device import driver_names

    if rows:
        table = Table("path", "device", "driver", "missing", box=None, pad_edge=False)
        for row in rows:
            table.add_row(row["path"], row["title"], row["driver"], "\n".join(row["problems"]) or "nothing")
        Console(soft_wrap=False).print(table)
    else:
        click.echo("no device is plugged in that a driver would take")
    click.echo(f"drivers: {', '.join(driver_names())}; virtual needs no device")
