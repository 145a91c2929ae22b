"""`hapticd experiment`: run one of the papers' experiments and draw it beside what the paper says."""

import json
from pathlib import Path

import click

from hapticd.experiment import EXPERIMENTS


@click.command()
@click.argument("name", required=False, type=click.Choice(list(EXPERIMENTS)))
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw it into this file (png, svg, pdf).")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def experiment(name: str | None, plot: Path | None, as_json: bool) -> None:
    """Run the experiment NAME and print its figures; without NAME, list all.

    \b
    hapticd experiment cube_drop --plot cube_drop.png
    """
    import importlib

    if name is None:
        for each, about in EXPERIMENTS.items():
            click.echo(f"{each:16s} {about}")
        return
    from hapticd.warmup import shown

    module = importlib.import_module(f"hapticd.experiment.{name}")
    with shown():
        outcome = module.run()
    if as_json:
        click.echo(
            json.dumps({"experiment": name, "statement": module.STATEMENT, "figures": outcome.figures}, indent=1)
        )
    else:
        click.echo(f"{EXPERIMENTS[name]}\nThe paper: {module.STATEMENT}")
        for what, figure in outcome.figures.items():
            click.echo(f"  {what:60s} {figure:12.5g}")
    if plot is not None:
        _draw(module, outcome, name, plot)


def _draw(module, outcome, name: str, plot: Path) -> None:  # type: ignore[no-untyped-def]  # a module of experiment/
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise click.ClickException("plots need matplotlib: pip install hapticd[report]") from error
    figure = Figure(figsize=(10, 6), layout="constrained")
    module.draw(outcome, figure)
    figure.suptitle(f"{EXPERIMENTS[name]}\nThe paper: {module.STATEMENT}", fontsize=9, wrap=True)
    figure.savefig(plot, dpi=120)
    click.echo(f"drawn: {plot}", err=True)
