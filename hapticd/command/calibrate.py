"""`hapticd calibrate`: a guided step that tells a string device where home is, and writes it down."""

from pathlib import Path

import click


@click.command()
@click.argument("device_file", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--output", type=click.Path(path_type=Path), help="Where to write; default: DEVICE_FILE's name + .home.toml"
)
@click.option("--yes", is_flag=True, help="Do not ask: the grip is held at the centre already.")
def calibrate(device_file: Path, output: Path | None, yes: bool) -> None:
    """Find the encoder counts of the grip at the centre and unturned, for the device of DEVICE_FILE.

    \b
    hapticd calibrate configs/device/spidar_g6_x3r.toml

    The strings are pulled with their least tension; hold the grip at the centre, unturned, and press Enter. The counts
    are valid until the motor boards lose power.
    """
    from hapticd.drivers.string_calibration import Session

    target = output or device_file.with_suffix(".home.toml")
    with Session(device_file) as session:
        click.echo(f"{session.title}: the strings pull with {session.tension:g} N each")
        session.pull(1.0)
        if not yes:
            click.echo("hold the grip at the centre, unturned, and press Enter")
            session.pull_until(lambda: _pressed())
        home = session.measure()
        click.echo(f"held within {home.spread_counts:.1f} counts ({1e3 * home.spread_m:.2f} mm)")
        session.write(target, home)
    click.echo(f'written to {target}; put calibration = "{target.name}" into the device file')


def _pressed() -> bool:
    import select
    import sys

    if select.select([sys.stdin], [], [], 0)[0]:
        sys.stdin.readline()
        return True
    return False
