"""`hapticd log`: look into recorded logs, repair, cut, export, plot and compare them."""

import dataclasses
import datetime
import json
from pathlib import Path
from typing import Any

import click

LOG = click.Path(path_type=Path, exists=True, dir_okay=False)
NEW = click.Path(path_type=Path, dir_okay=False)
DIFFERENT = 1  # exit code of `diff` when the logs differ


@click.group()
def log() -> None:
    """Look into recorded logs, repair, cut, export, plot and compare them.

    \b
    hapticd log info session.mcap
    hapticd log recover session.mcap whole.mcap
    hapticd log cut session.mcap part.mcap --from 10 --to 12.5
    hapticd log export session.mcap session.npz
    hapticd log diff monday.mcap tuesday.mcap
    """


def as_json(command: Any) -> Any:
    return click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")(command)


@log.command()
@click.argument("file", type=LOG)
@as_json
def info(file: Path, as_json: bool) -> None:
    """Say what FILE holds: length, run, device, events, dropouts, damage.

    Exit code 0 also for a damaged file, if it could be read up to the damage.
    """
    from hapticd.logfile import LogReader
    from hapticd.logtool.info import describe

    found = describe(LogReader(file))
    click.echo(json.dumps(found, indent=1)) if as_json else _print_info(found)


def _print_info(found: dict[str, Any]) -> None:
    click.echo(f"{found['file']}: {found['bytes'] / 1e6:.2f} MB, {found['ticks']} ticks")
    if found["ticks"]:
        started = datetime.datetime.fromtimestamp(found["started"]).isoformat(" ", "seconds")
        click.echo(f"  ticks      {found['first_tick']}..{found['last_tick']}, {found['seconds']:.3f} s from {started}")
        click.echo(f"  size       {found['bytes_per_minute'] / 1e6:.1f} MB per minute")
        click.echo(f"  force      up to {found['force_peak']:.3f} N, {found['torque_peak']:.4f} Nm")
        click.echo(f"  modes      {', '.join(f'{mode} {n}' for mode, n in found['modes'].items())}")
        click.echo(f"  limits     {', '.join(found['limits']) or 'none active'}")
        wake, tick = found["wake_us"], found["tick_us"]
        click.echo(f"  wake       p50 {wake['p50']:g}, p99 {wake['p99']:g}, max {wake['max']:g} us late")
        click.echo(f"  tick       p50 {tick['p50']:g}, p99 {tick['p99']:g}, max {tick['max']:g} us")
        click.echo(
            f"  lost       {found['overruns']} overruns, {found['skipped']} periods, "
            f"{found['missed_samples']} samples missed, {found['refused_samples']} refused"
        )
    click.echo(
        f"  replay     {len(found['snapshots'])} snapshots, {found['hashes']} hashes, {found['commands']} commands"
    )
    device = found["device"]
    if device:
        names = (device.get(key) for key in ("title", "driver", "identity"))
        click.echo(f"  device     {', '.join(str(name) for name in names if name)}")
    if found["build"]:
        click.echo(f"  build      {', '.join(f'{k} {v}' for k, v in found['build'].items())}")
    for dropout in found["dropouts"]:
        click.echo(f"  dropout    {dropout['ticks']} ticks from {dropout['tick']}: {dropout['why']}")
    for event in found["events"]:
        words = " ".join(f"{key} {value}" for key, value in event.items() if key not in ("tick", "kind"))
        click.echo(f"  event      tick {event['tick']}: {event['kind']} {words}")
    if found["damage"]:
        click.echo(f"  damage     {found['damage']}; `hapticd log recover` keeps what is whole")


@log.command()
@click.argument("file", type=LOG)
@click.argument("new", type=NEW)
@as_json
def recover(file: Path, new: Path, as_json: bool) -> None:
    """Write what is whole in FILE, a damaged or cut log, into NEW, and say what is lost."""
    from hapticd.logfile import LogReader
    from hapticd.logtool.rewrite import recover as rewrite

    done = rewrite(LogReader(file), new)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(done), indent=1))
        return
    lost = f", {done.lost_ticks} ticks in between are lost" if done.lost_ticks else ""
    click.echo(f"{new}: {done.ticks} ticks, {done.first_tick}..{done.last_tick}{lost}")
    click.echo(f"damage: {done.damage}" if done.damage else "there was no damage")


@log.command()
@click.argument("file", type=LOG)
@click.argument("new", type=NEW)
@click.option("--from", "start", type=float, default=0.0, help="s since the first tick")
@click.option("--to", "end", type=float, default=None, help="s since the first tick; default: the end")
@as_json
def cut(file: Path, new: Path, start: float, end: float | None, as_json: bool) -> None:
    """Write a part of FILE into NEW. It begins at the last snapshot before --from, so that it can be replayed."""
    from hapticd.logfile import LogReader
    from hapticd.logtool.rewrite import cut as rewrite

    reader = LogReader(file)
    rate = reader.header["rate_hz"]
    last = 2**62 if end is None else round(end * rate) - 1
    done = rewrite(reader, new, round(start * rate), last)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(done), indent=1))
    else:
        click.echo(f"{new}: {done.ticks} ticks, {done.first_tick}..{done.last_tick}")


@log.command()
@click.argument("file", type=LOG)
@click.argument("new", type=NEW)
@click.option("--topic", "topics", multiple=True, help="Only this channel, as /tick; may be repeated for npz.")
@as_json
def export(file: Path, new: Path, topics: tuple[str, ...], as_json: bool) -> None:
    """Write FILE as arrays (NEW ends in .npz) or as a table of one channel (.csv, default /tick).

    \b
    np.load("session.npz")["tick.wrench_sent"]     (n, 6) N, Nm
    """
    from hapticd.logfile import LogReader
    from hapticd.logtool.export import export as write

    done = write(LogReader(file), new, topics)
    if as_json:
        click.echo(json.dumps({"file": str(new), "records": done}, indent=1))
    else:
        click.echo(f"{new}: {', '.join(f'{count} of {topic}' for topic, count in done.items())}")


@log.command()
@click.argument("file", type=LOG)
@click.argument("picture", type=NEW)
def plot(file: Path, picture: Path) -> None:
    """Draw FILE into PICTURE (.png, .svg, .pdf): pointer, forces, mode, punctuality."""
    from hapticd.logfile import LogReader
    from hapticd.logtool.plot import plot as draw

    click.echo(f"{picture}: {draw(LogReader(file), picture)} ticks")


@log.command()
@click.argument("one", type=LOG)
@click.argument("other", type=LOG)
@as_json
def diff(one: Path, other: Path, as_json: bool) -> None:
    """Compare two logs tick by tick, bit by bit. Exit code 0: equal where both have ticks; 1: they differ."""
    from hapticd.logfile import LogReader
    from hapticd.logtool.difference import diff as compare

    found = compare(LogReader(one), LogReader(other))
    differ = bool(found["inputs"] or found["outputs"])
    if as_json:
        for key in ("inputs", "outputs"):
            found[key] = [dataclasses.asdict(d) for d in found[key]]
        click.echo(json.dumps(found, indent=1))
    else:
        _print_diff(found)
    if differ:
        raise SystemExit(DIFFERENT)


def _print_diff(found: dict[str, Any]) -> None:
    click.echo(f"{found['ticks'][0]} and {found['ticks'][1]} ticks, {found['common_ticks']} in both")
    for key, (a, b) in found["header"].items():
        click.echo(f"  {key}: {a} | {b}")
    if not found["inputs"] and not found["outputs"]:
        click.echo("identical in all ticks that both have")
        return
    for key in ("inputs", "outputs"):
        for d in found[key]:
            click.echo(f"  {key[:-1]} {d}; {d.ticks} ticks differ")
    click.echo("  largest: " + ", ".join(f"{name} {value:.3g}" for name, value in found["largest"].items()))
