"""`hapticd hil`: a recorded motion through the real driver in real time, for CI."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

FAILED = 1  # exit code


@click.command()
@click.argument("log", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--player", required=True, help="Program that moves the handle; {motion} stands for the motion file.")
@click.option("--inactive", type=float, help="Limit: share of ticks without force where the recording had it.")
@click.option("--force-rms", type=float, help="Limit: share of the recorded peak force.")
@click.option("--force-peak", type=float, help="Limit: share of the recorded peak force.")
@click.option("--position-rms", type=float, help="Limit: m.")
@click.option("--missed", type=float, help="Limit: share of ticks without a sample.")
@click.option("--wake-p99", type=float, help="Limit: s.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the new log as this file.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw both runs.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def hil(log: Path, player: str, keep: Path | None, picture: Path | None, as_json: bool, **bounds: Any) -> None:
    """Play LOG's motion through the real driver in real time, and compare force and timing with the recording.

    The player is an emulator, which prints `ready PORT`, or a rig that moves a real handle and prints `ready`.

    \b
    hapticd hil session.mcap --player "python -m tests.emulators.spidar --motion {motion}"

    Exit code 0: within all limits; 1: not.
    """
    from hapticd.hil import Limits, plot, run
    from hapticd.logfile import LogReader
    from hapticd.warmup import shown

    limits = Limits(**{name: value for name, value in bounds.items() if value is not None})
    reader = LogReader(log)
    with shown():
        result, a, b = run(reader, player, limits, keep)
    if picture:
        plot(a, b, reader.header["rate_hz"], picture)
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(result), "passed": result.passed}, indent=1))
    else:
        click.echo(f"{result.ticks} ticks compared, {result.lag} ticks later")
        for name, value in result.values.items():
            mark = "FAIL" if name in result.failed else "ok  "
            click.echo(f"  {mark} {name:13} {value:.4g}, allowed {result.limits[name]:g}")
    if not result.passed:
        raise SystemExit(FAILED)
