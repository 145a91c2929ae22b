"""`hapticd top`: the running daemon in a terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from hapticd.client import Client
    from hapticd.top import Top

PERIOD = 0.1  # s


@click.command()
@click.option("--state", help="tcp://HOST:PORT of a daemon elsewhere, or the folder of a local one.")
@click.option("--keys", type=click.Path(path_type=Path, exists=True), help="The client's secret file.")
@click.option("--json", "as_json", is_flag=True, help="One look as JSON on stdout.")
def top(state: str | None, keys: Path | None, as_json: bool) -> None:
    """Watch the running daemon: state, rate, latency, forces, limits, contacts. Ctrl-C ends it."""
    import json

    from hapticd import top as view
    from hapticd.client import Client

    with Client(state, None, keys) as client:
        if as_json:
            client.wait_scene()
            for newest in client.states():
                if client.timing:
                    click.echo(json.dumps(view.as_json(newest, client.scene, client.timing), indent=1))
                    return
        _watch(client, view.Top())


def _watch(client: "Client", screen: "Top") -> NoReturn:
    import time

    from rich.live import Live
    from rich.text import Text

    from hapticd.client import Silence

    with Live(Text("waiting for a daemon"), screen=True, auto_refresh=False) as live:
        while True:
            try:
                newest = client.state(timeout=1.0)
                screen.add(newest, client.events())
                live.update(screen.draw(newest, client.scene, client.timing), refresh=True)
            except Silence as error:
                live.update(Text(str(error)), refresh=True)
            time.sleep(PERIOD)
