"""What a scene consists of, for those who look at it: names, kinds, colours and shapes, as `hello` carries them.

    builder:    describe(plan) ─► text beside the model in its arena        names, kinds, colours, materials
    publisher:  inventory(model, text) ─► hello["scene"]                    the same with shapes and gains

The shapes are read off the arena's own arrays, so that what is shown is what is simulated.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from hapticd.kernel import layout as k

KINDS = {k.DYNAMIC: "dynamic", k.STATIC: "static", k.KINEMATIC: "kinematic", k.POINTER: "pointer"}
GAINS = ("stiffness", "damping", "stick_stiffness", "stick_damping", "mu_static", "mu", "viscosity", "stribeck_speed")
MATERIALS_SHOWN = 12  # gains are a table of materials by materials


def write_text(target: NDArray[np.uint8], description: dict[str, Any]) -> None:
    """The description as JSON into an arena's text, zero-padded. One that is too long gives up names, not the scene."""
    raw = json.dumps(description).encode()
    if len(raw) > len(target):
        raw = json.dumps({"name": str(description.get("name", ""))[:100]}).encode()
    target[:] = 0
    target[: len(raw)] = np.frombuffer(raw, np.uint8)


def read_text(text: NDArray[np.uint8]) -> dict[str, Any]:
    """What `write_text` wrote; empty when there is nothing."""
    raw = text.tobytes().partition(b"\0")[0]
    description = json.loads(raw) if raw else {}
    return description if isinstance(description, dict) else {}


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
    """One row per pair of materials; the pointer is the last one."""
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
