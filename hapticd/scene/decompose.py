"""A mesh that is not convex as a set of convex parts: by CoACD, ahead of time, kept beside the mesh.

    decompose(Path("cup.obj"))               # writes cup.parts.obj, or finds it made from the same bytes and settings
    load_parts(Path("cup.obj"))              # what a scene does: fast, never decomposes, refuses parts of another mesh

CoACD takes seconds for small meshes (Wei et al., "Approximate convex decomposition for 3D meshes with collision-aware
concavity and tree search", 2022), so no scene waits for it. The same seed gives the same parts, on any
number of threads (tried with 1, 2 and 4). Corners move by about 1e-4 of the size.
"""

import importlib.metadata
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.scene.check import checked_points
from hapticd.scene.convex import ConvexShape
from hapticd.scene.mesh import Mesh, load_mesh
from hapticd.scene.parts_file import digest, parts_path, read_origin, read_parts, write_parts

Floats = npt.NDArray[np.float64]
Progress = Callable[[str, float], None]  # what it does, and how much of that is done (0 .. 1)


class Decomposition(NamedTuple):
    path: Path  # of the parts
    parts: list[ConvexShape]
    left_out: int  # slivers without a volume
    made: bool  # False: the file was there already


def load_parts(mesh: str | Path, *, name: str | None = None, scale: float = 1.0) -> list[ConvexShape]:
    """The parts that `decompose` has left beside a mesh, in metres."""
    mesh = Path(mesh)
    name = name or mesh.stem
    origin = read_origin(parts_path(mesh))
    if origin is None:
        raise SceneError(f"{name}: {parts_path(mesh)} is not there; make it with: hapticd decompose {mesh}")
    if origin.get("sha256") != digest(mesh):
        raise SceneError(f"{name}: {mesh} has changed since it was decomposed; run: hapticd decompose {mesh}")
    parts = read_parts(parts_path(mesh), name)
    return parts if scale == 1.0 else [part.moved(scale=scale) for part in parts]


def decompose(
    mesh: str | Path,
    *,
    threshold: float = 0.05,
    seed: int = 0,
    most_parts: int = -1,
    progress: Progress = lambda what, share: None,
) -> Decomposition:
    """Make the parts of a mesh file, unless they are there; `threshold` is the concavity a part may keep, 0.01 .. 1."""
    path = Path(mesh)
    name = path.stem
    if not 0.01 <= threshold <= 1.0:
        raise SceneError(f"{name}: threshold = {threshold!r}; allowed is 0.01 (many parts) to 1 (few)")
    if not (most_parts == -1 or most_parts >= 1):
        raise SceneError(
            f"{name}: most_parts = {most_parts!r}; allowed is a positive number, or -1 for as many as it takes"
        )
    origin = {
        "source": path.name,
        "sha256": digest(path),
        "coacd": _version(name),
        "threshold": threshold,
        "seed": seed,
        "most_parts": most_parts,
    }
    if read_origin(parts_path(path)) == origin:
        return Decomposition(parts_path(path), read_parts(parts_path(path), name), 0, made=False)
    whole = load_mesh(path)
    checked_points(whole.vertices, name)  # CoACD would make a solid of a flat sheet
    solids = _run(whole, origin, progress)
    parts, left_out = _shapes(solids, name)
    write_parts(parts_path(path), origin, parts)
    return Decomposition(parts_path(path), parts, left_out, made=True)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version("coacd")
    except importlib.metadata.PackageNotFoundError as error:
        raise SceneError(f"{name}: decomposing needs CoACD; install it with: pip install 'hapticd[mesh]'") from error


def _run(mesh: Mesh, settings: dict[str, Any], progress: Progress) -> list[Floats]:
    """CoACD in a process of its own; the corners of each part."""
    with tempfile.TemporaryDirectory(prefix="hapticd-") as folder:
        source, target = Path(folder) / "mesh.npz", Path(folder) / "parts.npz"
        np.savez(source, vertices=mesh.vertices, triangles=mesh.triangles.astype(np.int32))
        numbers = [str(settings[key]) for key in ("threshold", "seed", "most_parts")]
        command = [sys.executable, "-m", "hapticd.scene.coacd_child", str(source), str(target), *numbers]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
            try:
                last = _follow(child, progress)
            except BaseException:  # Ctrl-C above all
                child.kill()
                raise
        if child.returncode != 0 or not target.exists():
            raise SceneError(f"{mesh.name}: CoACD failed (exit code {child.returncode}): {last or 'without a word'}")
        with np.load(target) as parts:
            return [np.asarray(parts[f"part{i}"], dtype=np.float64) for i in range(len(parts))]


def _follow(child: "subprocess.Popen[str]", progress: Progress) -> str:
    """Turn CoACD's lines into progress; gives back the last line."""
    assert child.stdout is not None
    what, line = "preparing", ""
    progress(what, 0.0)
    for line in child.stdout:
        if found := re.search(r"iter (\d+) ---- waiting pool: (\d+)", line):
            what = f"cutting, round {int(found[1]) + 1}, {found[2]} pieces"
            progress(what, 0.0)
        elif found := re.search(r"Processing \[([\d.]+)%\]", line):
            progress(what, float(found[1]) / 100)
        elif "Merge Convex Hulls" in line:
            what = "merging"
            progress(what, 0.0)
    progress("done", 1.0)
    return line.strip()


def _shapes(solids: list[Floats], name: str) -> tuple[list[ConvexShape], int]:
    """Shapes of the parts; pieces that are too thin to have a volume are left out and counted."""
    parts = []
    for i, corners in enumerate(solids):
        try:
            parts.append(ConvexShape(np.unique(corners, axis=0), name=f"{name}/{i}"))
        except SceneError:
            continue
    if not parts:
        raise SceneError(f"{name}: no part with a volume came out; is the mesh closed?")
    return parts, len(solids) - len(parts)
