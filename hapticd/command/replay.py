"""`hapticd replay`: a log again, exactly, or against a changed world."""

import dataclasses
import json
import time
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
DIFFERENT = 1  # exit code


@click.command()
@click.argument("log", type=FILE)
@click.option("--from", "start", type=int, help="Tick to start before: at the last snapshot in front of it.")
@click.option("--to", "end", type=int, help="Tick to stop in front of.")
@click.option("--no-driver", is_flag=True, help="Try the kernel only: for a driver that is not installed here.")
@click.option("--scene", type=FILE, help="What if: another scene.")
@click.option(
    "--set", "sets", multiple=True, metavar="KEY=VALUE", help="What if: friction.mu=0.3, material.wood.damping=2"
)
@click.option("--solver", help="What if: another solver.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="What if: draw the difference.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def replay(log: Path, as_json: bool, **options: Any) -> None:
    """Replay LOG by tick, as fast as it goes, and compare every wrench and state hash with the record.

    \b
    hapticd replay session.mcap
    hapticd replay session.mcap --set friction.mu=0.3 --plot softer.png

    Exit code 0: identical; 1: not, and the first tick and field that differ are named. With --scene, --set or --solver
    the recorded hand meets a changed world, and the difference in force and energy is told; exit code 0.
    """
    from hapticd.warmup import shown

    with shown():
        if options["scene"] or options["sets"] or options["solver"]:
            _what_if(log, as_json, options)
        else:
            _exact(log, as_json, options)


def _exact(log: Path, as_json: bool, options: dict[str, Any]) -> None:
    from hapticd.logfile import LogReader
    from hapticd.replay import Replay

    reader = LogReader(log)
    run = Replay(reader, options["start"], options["end"], driver=not options["no_driver"])
    begin = time.monotonic()
    verdict = run.run()
    seconds = time.monotonic() - begin
    speed = verdict.ticks / reader.header["rate_hz"] / seconds
    if as_json:
        found = {**dataclasses.asdict(verdict), "identical": verdict.identical, "seconds": seconds, "speed": speed}
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo(str(verdict))
        for difference in verdict.differences[1:6]:
            click.echo(f"  then {difference}")
        for cause in verdict.causes:
            click.echo(f"  likely: {cause}")
        if verdict.damage:
            click.echo(f"  the log ends early: {verdict.damage}")
        click.echo(f"{seconds:.2f} s, {speed:.1f} times real time")
    if not verdict.identical:
        raise SystemExit(DIFFERENT)


def _what_if(log: Path, as_json: bool, options: dict[str, Any]) -> None:
    from hapticd.logfile import LogReader
    from hapticd.whatif import FELT, Changes, compare, plot

    found = compare(LogReader(log), Changes(options["scene"], options["sets"], options["solver"]))
    table, share = found.table(), found.felt_share()
    if options["picture"]:
        plot(found, options["picture"])
    if as_json:
        report = {"ticks": len(found.t), "table": table, "felt_share": share, "threshold": FELT, "until": found.until}
        click.echo(json.dumps(report, indent=1))
        return
    _print_table(table)
    click.echo(f"felt (more than {FELT:.0%} apart) in {share:.1%} of the ticks with force; {len(found.t)} ticks")
    if found.until:
        click.echo(f"compared up to {found.t[-1]:.3f} s: {found.until}")


def _print_table(table: dict[str, dict[str, float]]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table("", "recorded", "changed", "difference")
    for name, row in table.items():
        shown.add_row(name, *(f"{row[key]:.4g}" for key in ("recorded", "changed", "difference")))
    Console().print(shown)
