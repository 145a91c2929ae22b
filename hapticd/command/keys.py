"""`hapticd keys`: CURVE keys for sockets beyond this machine."""

from pathlib import Path

import click


@click.group()
def keys() -> None:
    """Make the keys that state beyond 127.0.0.1, and any control over TCP, need.

    \b
    hapticd keys server ~/.config/hapticd/keys             once, on the daemon's machine
    hapticd keys client ~/.config/hapticd/keys desk        for every client; desk.secret goes to it
    hapticd keys list ~/.config/hapticd/keys

    Then name the folder in the run config: [sockets] keys = "...". The daemon reads the list when it starts.
    """


@keys.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def server(folder: Path) -> None:
    """Make the daemon's pair of keys in FOLDER; one that is there is kept."""
    from hapticd.keys import make_server

    click.echo(f"{make_server(folder)} holds the daemon's keys; name the folder as [sockets] keys")


@keys.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("name")
@click.option("--role", type=click.Choice(["observer", "control"]), default="observer", help="Look and stop, or all.")
@click.option("--output", type=click.Path(path_type=Path), help="The secret file; default NAME.secret here.")
def client(folder: Path, name: str, role: str, output: Path | None) -> None:
    """Let the client NAME in, and make its secret file."""
    from hapticd.keys import make_client

    path = make_client(folder, name, "control" if role == "control" else "observer", output or Path(f"{name}.secret"))
    click.echo(f"{path} is for {name} ({role}): move it there; hapticd.Client(..., keys={str(path)!r})")


@keys.command(name="list")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def list_keys(folder: Path, as_json: bool) -> None:
    """Who may come in, and as what."""
    import json

    from hapticd.keys import read_guests

    guests = read_guests(folder)
    if as_json:
        click.echo(json.dumps([{"name": g.name, "role": g.role, "public": key} for key, g in guests.items()], indent=1))
        return
    for key, guest in guests.items():
        click.echo(f"{guest.name:20} {guest.role:10} {key}")
    if not guests:
        click.echo("nobody; add one with `hapticd keys client`")
