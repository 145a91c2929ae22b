"""`hapticd view`: the running daemon in a browser."""

from pathlib import Path

import click


@click.command()
@click.option("--state", help="tcp://HOST:PORT of a daemon elsewhere, or the folder of a local one.")
@click.option("--control-address", help="tcp://HOST:PORT of its commands, for the stop button.")
@click.option("--keys", type=click.Path(path_type=Path, exists=True), help="The client's secret file.")
@click.option("--port", default=8080, show_default=True, help="Of the page; 0: any that is free.")
@click.option("--control", is_flag=True, help="Let who types the printed token arm, pause, reset and load.")
@click.option("--open/--no-open", "browse", default=False, help="Open the page in the default browser.")
def view(
    state: str | None, control_address: str | None, keys: Path | None, port: int, control: bool, browse: bool
) -> None:
    """Show the running daemon in a browser, on this machine only.

    Bodies, pointer, contact polygons coloured by pressure, forces, and a stop button that is always there.
    Needs `pip install 'hapticd[view]'`.
    """
    import secrets
    import signal
    import threading
    import webbrowser

    from hapticd.client import Client
    from hapticd.errors import HapticdError

    try:
        from hapticd.viewer import Viewer
    except ImportError as error:
        raise HapticdError(f"view: {error}; install it with pip install 'hapticd[view]'") from error
    token = secrets.token_urlsafe(12) if control else None
    viewer = Viewer(lambda: Client(state, control_address, keys), port, token)
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    click.echo(f"view: {viewer.url}" + (f"   token for the controls: {token}" if token else ""))
    if browse:
        webbrowser.open(viewer.url)
    try:
        viewer.serve(stopped.is_set)
    finally:
        viewer.close()
