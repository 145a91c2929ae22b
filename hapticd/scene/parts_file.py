"""The file that keeps the convex parts of a mesh: an OBJ that any viewer opens, with its origin in the first lines.

    # hapticd parts 1
    # {"source": "cup.obj", "sha256": "...", "coacd": "1.0.14", "threshold": 0.05, "seed": 0, "most_parts": -1}
    o part0
    v 0.1 0.2 0.3
    f 1 2 3 4

Written by `decompose`, beside the mesh (cup.obj -> cup.parts.obj), and read when a scene is built. Numbers have all
their digits, so that the same parts come back. The digest is that of the mesh file: parts of another are refused.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape

FIRST_LINE = "# hapticd parts 1"
MOST_PARTS = 4096  # in one file


def parts_path(mesh: Path) -> Path:
    return mesh.with_suffix(".parts.obj")


def digest(mesh: Path) -> str:
    try:
        with mesh.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SceneError(f"{mesh.stem}: cannot read {mesh}: {error.strerror}") from error


def write_parts(path: Path, origin: dict[str, Any], parts: list[ConvexShape]) -> None:
    """All or nothing: the file appears under its name when it is complete."""
    lines, start = [FIRST_LINE, f"# {json.dumps(origin)}"], 1
    for i, part in enumerate(parts):
        lines.append(f"o part{i}")
        lines += ["v " + " ".join(repr(float(x)) for x in vertex) for vertex in part.vertices]
        lines += ["f " + " ".join(str(start + int(v)) for v in face) for face in part.faces]
        start += len(part.vertices)
    draft = path.with_name(path.name + f".{os.getpid()}")
    try:
        draft.write_text("\n".join(lines) + "\n", encoding="ascii")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise SceneError(f"{path.stem}: cannot write {path}: {error.strerror}") from error


def read_origin(path: Path) -> dict[str, Any] | None:
    """What the parts were made of; None when there is no such file or it is not one of ours."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            if file.readline().rstrip() != FIRST_LINE:
                return None
            origin = json.loads(file.readline(10_000).lstrip("# "))
    except (OSError, ValueError):
        return None
    return origin if isinstance(origin, dict) else None


def read_parts(path: Path, name: str) -> list[ConvexShape]:
    """The parts, named name/0, name/1 ..."""
    groups: list[list[list[float]]] = []
    number = 0
    try:
        for line in path.read_text(encoding="ascii").splitlines():
            number += 1
            kind, *rest = line.split() or [""]
            if kind == "o":
                groups.append([])
            elif kind == "v":
                groups[-1].append([float(x) for x in rest])
    except OSError as error:
        raise SceneError(f"{name}: cannot read {path}: {error.strerror}") from error
    except (ValueError, IndexError) as error:
        raise SceneError(f"{name}: line {number} of {path} is no vertex of a part; decompose the mesh again") from error
    if not 0 < len(groups) <= MOST_PARTS:
        raise SceneError(f"{name}: {path} holds {len(groups)} parts; allowed are 1 to {MOST_PARTS}")
    return [ConvexShape(group, name=f"{name}/{i}") for i, group in enumerate(groups)]
