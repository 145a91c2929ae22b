"""`hapticd zwidth`: the stiffness that an emulated device can hold, as table and plot."""

import dataclasses
import json
from pathlib import Path

import click


@click.command()
@click.argument("device_file", type=click.Path(path_type=Path, exists=True))
@click.option("--damping", "dampings", multiple=True, type=float, help="Virtual damping, Ns/m; may be given again.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw it into this PNG or SVG.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def zwidth(device_file: Path, dampings: tuple[float, ...], plot: Path | None, as_json: bool) -> None:
    """Find the largest stable stiffness of the emulated device in DEVICE_FILE, for some virtual dampings.

    \b
    python -m tests.emulators.spidar --link /tmp/hapticd-spidar --free      in another terminal
    hapticd zwidth configs/device/spidar_emulated.toml --damping 0 --damping 0.2

    Emulated devices only: on hardware it would drive a hand into instability.
    """
    from hapticd.device import open_device
    from hapticd.document import load
    from hapticd.schema import Section
    from hapticd.zwidth import Bench, search

    document = load(device_file)
    table = {key: value for key, value in document.data.items() if key not in ("driver", "arm_on_start")}
    device, descriptor = open_device(str(document.data.get("driver")), Section(table, (document, ())))
    try:
        rows = search(Bench(device, descriptor, 1.0 / float(table.get("rate_hz", 1000.0))), dampings or (0.0, 0.2, 0.5))
    finally:
        device.close()
    if plot is not None:
        draw([(row.damping, row.stiffness, row.predicted) for row in rows], plot)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(row) for row in rows], indent=1))
        return
    click.echo("damping Ns/m   stable up to N/m   b / (T/2 + t_d) N/m")
    for row in rows:
        click.echo(f"{row.damping:12.2f}   {row.stiffness:16.0f}   {row.predicted:19.0f}")


def draw(rows: list[tuple[float, float, float]], path: Path) -> None:
    from hapticd.errors import ConfigError

    try:
        import matplotlib
    except ImportError as error:
        raise ConfigError("plots need matplotlib: pip install 'hapticd[report]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, place = pyplot.subplots(figsize=(6, 4), layout="constrained")
    damping, stiffness, predicted = zip(*rows, strict=True)
    place.plot(damping, stiffness, "o-", label="found")
    place.plot(damping, predicted, "--", label="b / (T/2 + t_d)")
    place.set_xlabel("virtual damping / Ns/m")
    place.set_ylabel("stable stiffness / N/m")
    place.set_ylim(bottom=0)
    place.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
