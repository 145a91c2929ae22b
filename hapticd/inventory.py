"""What a scene consists of, for those who look at it: names, kinds, colours and shapes, as `hello` carries them.

    arena: the scene's text ─► describe ─► names, colours, materials ─┐
           the model                                                 ─┴─► inventory ─► hello["scene"]

The shapes are read off the arena's own arrays, so that what is shown is what is simulated. The text is the scene file
or a table of the same form as JSON; meshes and other files that it names are not opened here.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from hapticd.control import ARENA
from hapticd.kernel import layout as k
from hapticd.ring import Ring

KINDS = {k.DYNAMIC: "dynamic", k.STATIC: "static", k.KINEMATIC: "kinematic", k.POINTER: "pointer"}
GAINS = ("stiffness", "damping", "stick_stiffness", "stick_damping", "mu_static", "mu", "viscosity", "stribeck_speed")
MATERIALS_SHOWN = 12  # gains are a table of materials by materials
STACKS = ("tower", "pyramid")  # tables that stand for many bodies: name1, name2, ...
TEXT_LENGTH = 1  # word of an arena


def arena_in_force(ring: Ring) -> tuple[k.Model, dict[str, Any]] | None:
    """Model and description of the scene that runs; None in a ring without scenes."""
    arena = ring.memory.tree.get(f"arena{int(ring.control[ARENA, 0])}")
    if arena is None:
        return None
    return arena["model"], describe(arena["text"][: int(arena["word"][TEXT_LENGTH])].tobytes())


def describe(text: bytes) -> dict[str, Any]:
    """Name, bodies and materials of a scene's text, in the order of the arrays; what cannot be read is left out."""
    try:
        table = _parsed(text.decode())
    except (ValueError, RecursionError):
        return {}
    bodies = [_told(body) for body in _tables(table.get("body"))]
    for kind in STACKS:
        for stack in _tables(table.get(kind)):
            count = stack.get("count", 0)
            names = [f"{stack.get('name', 'block')}{i + 1}" for i in range(count if isinstance(count, int) else 0)]
            bodies += [{**_told(stack), "name": name} for name in names]
    materials = table.get("material", {})
    return {
        "name": str(table.get("name", "")),
        "bodies": bodies,
        "materials": [str(name) for name in materials] if isinstance(materials, dict) else [],
    }


def _parsed(text: str) -> dict[str, Any]:
    table = json.loads(text) if text.startswith("{") else tomllib.loads(text)
    return table if isinstance(table, dict) else {}


def _tables(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _told(table: dict[str, Any]) -> dict[str, Any]:
    return {key: table[key] for key in ("name", "material", "colour") if key in table}


def inventory(model: k.Model, description: dict[str, Any]) -> dict[str, Any]:
    """The scene in an arena, ready for `hello`; equal shapes are listed once."""
    bodies, parts = int(model.option[k.OPTION_BODIES]), int(model.option[k.OPTION_PARTS])
    shapes: dict[bytes, tuple[int, dict[str, Any]]] = {}
    shape_of: list[list[int]] = [[] for _ in range(bodies)]
    for part in range(parts):
        first, end = model.shapes.vertex_start[part : part + 2]
        corners = model.shapes.vertex[first:end]
        key = corners.tobytes()
        if key not in shapes:
            shapes[key] = (len(shapes), mesh(corners))
        shape_of[model.part_body[part]].append(shapes[key][0])
    told = description.get("bodies", [])
    return {
        "name": description.get("name", ""),
        "pointer": int(model.option[k.OPTION_POINTER]),
        "gravity": model.world[k.WORLD_GRAVITY : k.WORLD_GRAVITY + 3].tolist(),
        "bodies": [_body(i, told[i] if i < len(told) else {}, int(model.kind[i]), shape_of[i]) for i in range(bodies)],
        "shapes": [shape for _, shape in shapes.values()],
        "materials": description.get("materials", []),
        "gains": _gains(model, description.get("materials", [])),
    }


def _body(i: int, told: dict[str, Any], kind: int, shapes: list[int]) -> dict[str, Any]:
    return {
        "name": told.get("name", f"body{i}"),
        "kind": KINDS.get(kind, "dynamic"),
        "colour": told.get("colour"),
        "material": told.get("material", ""),
        "shapes": shapes,
    }


def mesh(corners: NDArray[np.float64]) -> dict[str, Any]:
    """A convex part as triangles, counter-clockwise seen from outside, in the frame of its body."""
    faces: NDArray[np.int64] = ConvexHull(corners).simplices
    a, b, c = corners[faces[:, 0]], corners[faces[:, 1]], corners[faces[:, 2]]
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - corners.mean(axis=0)) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return {"vertices": corners.astype("<f4").tobytes(), "faces": faces.astype("<i4").tobytes()}


def _gains(model: k.Model, materials: list[str]) -> list[dict[str, Any]]:
    """One row per pair of materials; the pointer's is the last one."""
    names = [*materials, "pointer"]
    if len(names) > MATERIALS_SHOWN or not materials:
        return []
    table = model.gain[: len(names) ** 2].reshape(len(names), len(names), k.GAIN_SIZE)
    return [
        {"materials": [one, names[j]], **dict(zip(GAINS, table[i, j].tolist(), strict=False))}
        for i, one in enumerate(names)
        for j in range(i, len(names))
        if not (i == j == len(names) - 1)
    ]
