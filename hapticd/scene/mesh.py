"""Triangle meshes from files (OBJ, STL, GLB, PLY), and the check that one is convex as it stands.

Gives `ConvexShape.load` its corners and `decompose` its input. Read by trimesh (extra `mesh`), imported on first use.
A mesh meant as one convex part is refused when it has a dent, a hole or a face turned over, and the message says where:
its hull would be another solid than the one drawn.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SUFFIXES = (".obj", ".stl", ".glb", ".ply")
MOST_BYTES = 500_000_000  # of a file: what one may wait for at start-up
DENT = 1e-5  # of the size: single-precision files are uneven by about 1e-7, and drawn dents are deeper
SLIVER = 1e-12  # of the size squared: smaller triangles have no direction
CHUNK = 2_000_000  # heights computed at a time


class Mesh(NamedTuple):
    """Triangles over different corners; `vertices` keeps the order of the file, equal ones only once."""

    name: str
    vertices: Floats  # (n, 3) m
    triangles: Ints  # (m, 3), counter-clockwise from outside if the file is right


def load_mesh(path: str | Path, *, name: str | None = None, scale: float = 1.0) -> Mesh:
    """Read a file; `scale` turns its unit into metres (0.001 for a drawing in mm)."""
    path = Path(path)
    name = name or path.stem
    vertices, triangles = _read(path, name)
    if len(triangles) == 0:
        raise SceneError(f"{name}: {path} has no faces; a solid needs a closed surface")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        bad = int(np.argmax((triangles.min(axis=1) < 0) | (triangles.max(axis=1) >= len(vertices))))
        raise SceneError(f"{name}: triangle {bad} of {path} names a vertex that is not there")
    if not (fine := np.isfinite(vertices).all(axis=1)).all():
        bad = int(np.argmin(fine))
        raise SceneError(f"{name}: vertex {bad} of {path} is {vertices[bad].tolist()}; every coordinate must be finite")
    if not 0.0 < scale < np.inf:
        raise SceneError(f"{name}: scale = {scale!r}; allowed is a positive number")
    return _welded(name, vertices * scale, triangles)


def _read(path: Path, name: str) -> tuple[Floats, Ints]:
    if path.suffix.lower() not in SUFFIXES:
        raise SceneError(f"{name}: {path} is no mesh file; allowed are {', '.join(SUFFIXES)}")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise SceneError(f"{name}: cannot read {path}: {error.strerror}") from error
    if size > MOST_BYTES:
        raise SceneError(f"{name}: {path} has {size} bytes; allowed are {MOST_BYTES}; simplify the mesh first")
    try:
        import trimesh
    except ImportError as error:
        raise SceneError(f"{name}: mesh files need trimesh; install it with: pip install 'hapticd[mesh]'") from error
    try:
        mesh = trimesh.load_mesh(path, process=False)
        return np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except Exception as error:  # trimesh raises whatever its parser trips over
        raise SceneError(f"{name}: {path} is no mesh that can be read: {type(error).__name__}: {error}") from error


def _welded(name: str, vertices: Floats, triangles: Ints) -> Mesh:
    """Equal vertices become one (an STL repeats each for every triangle); triangles that vanish by it are dropped."""
    used = np.unique(triangles)
    _, first, inverse = np.unique(vertices[used], axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    number = np.full(len(vertices), -1, dtype=np.int64)
    number[used] = rank[inverse.reshape(-1)]
    triangles = number[triangles]
    a, b, c = triangles.T
    return Mesh(name, vertices[used][first[order]], triangles[(a != b) & (b != c) & (c != a)])


def check_convex(mesh: Mesh, planes: Floats) -> None:
    """Refuse a mesh whose surface is not that of its hull, given by planes n . x <= d."""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    _check_dents(mesh, planes, DENT * size)
    _check_turned(mesh, planes, size)
    _check_closed(mesh)


def _check_dents(mesh: Mesh, planes: Floats, allowed: float) -> None:
    """The corners, the edges' middles and the faces' middles must all lie on the hull.

    A triangle whose corners lie on the hull is part of it or passes inside, and then so does one of these points.
    """
    depth, _ = _depths(mesh.vertices, planes)
    worst = int(np.argmax(depth))
    where = f"vertex {worst}"
    place, deepest = mesh.vertices[worst], float(depth[worst])
    if deepest <= allowed:
        corners = mesh.vertices[mesh.triangles]
        middles = np.concatenate([corners.mean(axis=1), *((corners + np.roll(corners, 1, axis=1)) / 2).swapaxes(0, 1)])
        depth, _ = _depths(middles, planes)
        worst = int(np.argmax(depth))
        where = f"triangle {worst % len(mesh.triangles)}"
        place, deepest = middles[worst], float(depth[worst])
    if deepest > allowed:
        at = ", ".join(f"{x:.6g}" for x in place)
        raise SceneError(
            f"{mesh.name}: not convex: a dent {deepest:.3g} m deep at {where}, ({at}); "
            "split the mesh with `hapticd decompose`, or take its hull on purpose (hull = true)"
        )


def _check_turned(mesh: Mesh, planes: Floats, size: float) -> None:
    corners = mesh.vertices[mesh.triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    _, nearest = _depths(corners.mean(axis=1), planes)
    inwards = np.einsum("ij,ij->i", area, planes[nearest, :3]) < -SLIVER * size**2
    if inwards.any():
        bad = int(np.argmax(inwards))
        share = "all faces are" if inwards.all() else f"{np.count_nonzero(inwards)} faces are"
        raise SceneError(
            f"{mesh.name}: {share} inverted: triangle {bad} (vertices {', '.join(map(str, mesh.triangles[bad]))}) runs "
            "clockwise seen from outside; flip it in the mesh"
        )


def _check_closed(mesh: Mesh) -> None:
    n = len(mesh.vertices)
    start, end = mesh.triangles.ravel(), np.roll(mesh.triangles, -1, axis=1).ravel()
    lonely = ~np.isin(start * n + end, end * n + start)
    if lonely.any():
        bad = int(np.argmax(lonely))
        at = ", ".join(f"{x:.6g}" for x in mesh.vertices[start[bad]])
        raise SceneError(
            f"{mesh.name}: the surface is open along the edge of vertices {start[bad]} and {end[bad]}, at ({at}); "
            "close it, or take its hull on purpose (hull = true)"
        )


def _depths(points: Floats, planes: Floats) -> tuple[Floats, Ints]:
    """How deep each point lies under the surface of the hull, and under which plane."""
    depth, nearest = np.empty(len(points)), np.empty(len(points), dtype=np.int64)
    step = max(1, CHUNK // len(planes))
    for i in range(0, len(points), step):
        heights = points[i : i + step] @ planes[:, :3].T - planes[:, 3]
        nearest[i : i + step] = np.argmax(heights, axis=1)
        depth[i : i + step] = -np.max(heights, axis=1)
    return depth, nearest
