"""`hapticd record`: record a daemon that runs."""

from pathlib import Path

import click


@click.command()
@click.argument("target", type=click.Path(path_type=Path), default=Path())
@click.option("--seconds", type=float, help="Stop after so long; default: Ctrl-C, or the daemon's end.")
@click.option("--folder", type=click.Path(path_type=Path), help="The daemon's folder, if it is not the usual one.")
def record(target: Path, seconds: float | None, folder: Path | None) -> None:
    """Record the running daemon into TARGET: a new file (.mcap), or a folder for one.

    \b
    hapticd record logs/                  logs/2026-11-18_10-32-05.mcap, until Ctrl-C
    hapticd record push.mcap --seconds 10

    The servo does not notice. `hapticd run --record FOLDER` records from the first tick on.
    """
    from hapticd.config import Record
    from hapticd.recording import attach, new_path, running_ring

    path = target if target.suffix == ".mcap" else new_path(target)
    ring = running_ring(folder)
    click.echo(f"recording into {path}; stop with Ctrl-C", err=True)
    done = attach(ring, path, Record(), seconds)
    lost = f", {done.dropped} dropped" if done.dropped else ""
    click.echo(f"{path}: {done.recorded} ticks{lost}, {path.stat().st_size / 1e6:.2f} MB")
