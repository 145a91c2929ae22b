"""`hapticd decompose`: a mesh that is not convex into convex parts, kept beside it."""

import json
from pathlib import Path

import click


@click.command()
@click.argument("mesh", type=click.Path(path_type=Path))
@click.option("--threshold", default=0.05, show_default=True, help="Concavity a part may keep: 0.01 (many parts) to 1.")
@click.option("--most-parts", default=-1, show_default=True, help="The most parts; -1: as many as the threshold takes.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same parts.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def decompose(mesh: Path, threshold: float, most_parts: int, seed: int, as_json: bool) -> None:
    """Split MESH (OBJ, STL, GLB, PLY) into convex parts and keep them beside it: cup.obj -> cup.parts.obj.

    \b
    hapticd decompose cup.obj
    hapticd decompose cup.obj --threshold 0.02        finer

    Parts made from the same file with the same settings are kept as they are. A scene that names the mesh finds them.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from hapticd.scene.decompose import decompose as run

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{mesh.name}: preparing", total=1.0)
        result = run(
            mesh,
            threshold=threshold,
            seed=seed,
            most_parts=most_parts,
            progress=lambda what, share: bar.update(task, description=f"{mesh.name}: {what}", completed=share),
        )
    volume = sum(part.volume for part in result.parts)
    faces = [len(part.planes) for part in result.parts]
    if as_json:
        report = {"file": str(result.path), "faces": faces, "volume": volume}
        click.echo(json.dumps(report | {"left_out": result.left_out, "made": result.made}))
        return
    click.echo(
        f"{result.path}: {len(result.parts)} parts of {min(faces)} to {max(faces)} faces, "
        f"{volume:.6g} cubic units in all{'' if result.made else ' (made before, the mesh has not changed)'}"
    )
    if result.left_out:
        click.echo(f"{result.left_out} slivers without a volume were left out")
