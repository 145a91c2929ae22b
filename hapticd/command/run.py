"""`hapticd run` and `hapticd demo`: the daemon itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hapticd.daemon import Daemon
    from hapticd.supervisor import Service


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--allow-non-rt", is_flag=True, help="Render force without real-time priority. Expect jerks.")
@click.option("--folder", type=click.Path(path_type=Path), help="For sockets, shared memory and status; on tmpfs.")
@click.option("--record", type=click.Path(path_type=Path), help="Record every tick into a new log in this folder.")
@click.option("--inject", default="", hidden=True)
def run(config: Path, allow_non_rt: bool, folder: Path | None, record: Path | None, inject: str) -> None:
    """Run the daemon with CONFIG, until Ctrl-C or SIGTERM.

    \b
    hapticd run my_lab.toml
    hapticd view                 in another terminal

    Starts in FAULT and is armed by a person (`hapticd view --control`, `hapticd.Client`), but for simulated devices
    that say arm_on_start. Exit code 0: stopped on request; 1: the servo was lost, and the device silenced.
    """
    raise SystemExit(start(config, allow_non_rt, folder, inject, record))


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), help="For sockets, shared memory and status; on tmpfs.")
@click.option("--record", type=click.Path(path_type=Path), help="Record every tick into a new log in this folder.")
def demo(folder: Path | None, record: Path | None) -> None:
    """Run without hardware: six blocks, and a simulated hand that pushes, topples, lifts and drags them.

    \b
    hapticd demo
    hapticd view                 in another terminal
    """
    from hapticd.inspection import config_folder

    raise SystemExit(start(config_folder() / "demo.toml", True, folder, "", record))


def start(path: Path, allow_non_rt: bool, folder: Path | None, inject: str, record: Path | None = None) -> int:
    from hapticd.config import load_config
    from hapticd.daemon import Daemon, Options
    from hapticd.inspection import config_folder
    from hapticd.warmup import shown

    config = load_config(path)
    logs = record or config.record.folder

    def start_services(daemon: Daemon) -> list[Service]:
        return [*services(daemon), *([recorder(daemon, logs, path)] if logs is not None else [])]

    options = Options(allow_non_rt, folder, config_folder() / "scene", start_services, inject)
    with shown():  # the first start after an update compiles kernels
        daemon = Daemon(config, options)
        daemon.warm_up()
    click.echo(f"hapticd: {daemon.have.title}, {config.loop.rate_hz} Hz, {daemon.folder}; stop with Ctrl-C", err=True)
    return daemon.run()


def services(daemon: Daemon) -> list[Service]:
    """The helper processes of a whole daemon."""
    from hapticd.services import stream_services

    ring, sockets = daemon.ring.memory.path, daemon.config.sockets
    return [*stream_services(ring, sockets, daemon.folder, daemon.builder, daemon.options.scene_folder)]


def recorder(daemon: Daemon, logs: Path, path: Path) -> Service:
    """Another process, with a log of its own in the folder `logs`."""
    from hapticd.recording import config_files, new_path, service
    from hapticd.supervisor import Service

    new_path(logs)  # a folder that cannot be made is told now, not by a service that ends
    files = config_files(daemon.config, path)
    return Service("recorder", service(daemon.ring.memory.path, logs, daemon.config.record, files))
