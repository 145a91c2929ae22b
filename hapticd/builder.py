"""From a scene to an arena: at the start of the daemon, and while it runs, on the command service's behalf.

    load     another scene: from the scene folder or as text           everything begins anew
    add      one [[body]] more, remove one                             the others keep moving as they do

The description beside the model holds where the scene came from and what was changed since, so that any process can
build upon it, and names and colours for those who look. Never in the servo.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from hapticd import config
from hapticd.areas import GENERATION, KEEP, Arena
from hapticd.control import ARENA
from hapticd.device import Capabilities
from hapticd.document import Document, from_text
from hapticd.errors import SceneError
from hapticd.kernel.layout import OPTION_POINTER, WORLD_STEP
from hapticd.requests import Build
from hapticd.ring import Ring
from hapticd.scene.arrays import Capacity, World, allocate
from hapticd.scene.build import Settings, clear, fill
from hapticd.scene.file import Scene, load_scene, scene_from_text
from hapticd.scene.material import PointerLimit
from hapticd.scene.plan import Plan, plan
from hapticd.scene.stability import check
from hapticd.schema import Section

PART_PLANES = 256  # faces of the largest convex part
PART_VERTICES = 256  # and its corners
MATERIALS = 32
EMPTY: dict[str, Any] = {"table": {}}  # the source of a world without bodies


def capacity_of(most: config.Capacity) -> Capacity:
    """[capacity] in the kernel's terms. A polyhedron of v corners has at most 2 v faces and 3 v edges (Euler)."""
    v = most.vertices
    return Capacity(
        bodies=most.bodies, parts=most.parts, pairs=most.pairs, materials=MATERIALS, vertices=v, planes=2 * v,
        nodes=4 * v, edge_ends=6 * v, part_planes=PART_PLANES,
        part_vertices=PART_VERTICES,
    )  # fmt: skip


class SceneBuilder:
    """Fills arenas of one daemon; as a function it serves the command service (`scenes.Builder`)."""

    def __init__(self, settings: config.RunConfig, have: Capabilities, folder: Path | None = None) -> None:
        self.capacity = capacity_of(settings.capacity)
        self.dt = 1.0 / settings.loop.rate_hz
        self.folder = folder
        # A simulated hand bears what a device does: the same bound, so that what works there works on hardware.
        mount = settings.mount
        self.limit = PointerLimit(have.damping, have.delay, mount.motion_scale, mount.force_scale)

    def __call__(self, ring: Ring, build: Build) -> tuple[int, tuple[float, ...]]:
        """Fill the idle arena; which one it is."""
        used = int(ring.control[ARENA, 0])
        now, idle = Arena.of(ring.memory, used), Arena.of(ring.memory, 1 - used)
        if build.kind == "load":
            source = {"text": build.text} if build.text else {"file": str(self._path(build.name))}
        else:
            source = _changed(now.description.get("source", {}), build)
        self.fill(idle, source, now.generation + 1)
        if build.kind != "load":
            _carry(idle, now.description, idle.description)
        return 1 - used, ()

    def fill(self, arena: Arena, source: dict[str, Any], generation: int) -> None:
        """A scene into an arena that is not in force; a scene that cannot be used changes nothing in the servo."""
        scratch = allocate(self.capacity)
        world = World(arena.model, arena.start, scratch.work, scratch.solid)
        if source == EMPTY:
            clear(world)  # the device moves, nothing is felt
            arena.model.world[WORLD_STEP], arena.model.option[OPTION_POINTER] = self.dt, -1
            arena.describe({"name": "empty", "body": [], "source": source})
        else:
            made = plan(read_scene(source))
            check(made, self.dt, None, self.limit)
            fill(world, made, Settings(self.dt, limit=self.limit))
            arena.describe({**describe(made), "source": source})
        arena.carry_body[:] = -1
        arena.carry_part[:] = -1
        arena.word[GENERATION], arena.word[KEEP] = generation, 0

    def _path(self, name: str) -> Path:
        if self.folder is None:
            raise SceneError("this daemon has no scene folder")
        return self.folder / f"{name}.toml"


def read_scene(source: dict[str, Any]) -> Scene:
    """A scene from where it came: a file, a text or a table, with bodies added at its end and others left out."""
    if "file" in source:
        scene = load_scene(Path(source["file"]))
    elif "text" in source:
        scene = scene_from_text(source["text"])
    else:
        table, folder = source.get("table", {}), source.get("folder")
        document = Document(source.get("name", ""), None if folder is None else Path(folder), table, {})
        scene = load_scene(Section(table, (document, ())))
    left = [body for body in scene.bodies if body.name not in source.get("removed", [])]
    for text in source.get("added", []):
        # Read together with the materials that it may name; a body of its own for the names of the mistakes.
        table = {"material": {name: dataclasses.asdict(m) for name, m in scene.materials.items()}}
        left += load_scene({**from_text(text, "body").data, "material": _plain(table["material"])}).bodies
    names = [body.name for body in left]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SceneError(f"there is already a body called {twice[0]!r}; choose another name")
    return dataclasses.replace(scene, bodies=tuple(left))


def _plain(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Without what was left open: TOML knows no null."""
    return {name: {key: value for key, value in row.items() if value is not None} for name, row in table.items()}


def _changed(source: dict[str, Any], build: Build) -> dict[str, Any]:
    """The source of this scene with one body more or less."""
    if not source:
        raise SceneError("the description of this scene was too long to be kept; load a scene instead")
    if build.kind == "add":
        return {**source, "added": [*source.get("added", []), build.text]}
    scene = read_scene(source)
    body = next((body for body in scene.bodies if body.name == build.name), None)
    if body is None:
        raise SceneError(f"there is no body called {build.name!r}")
    if body.kind == "pointer":
        raise SceneError("the pointer cannot be removed")
    added = source.get("added", [])
    kept = [text for text in added if build.name not in {b["name"] for b in from_text(text, "body").data["body"]}]
    if len(kept) < len(added):
        return {**source, "added": kept}
    return {**source, "removed": [*source.get("removed", []), build.name]}


def describe(made: Plan) -> dict[str, Any]:
    """A scene table with what people look at: names, kinds, colours, materials; stacks written out (inventory.py)."""
    return {
        "name": made.scene.name,
        "material": {name: {} for name in made.scene.materials},
        "body": [
            {
                "name": body.table.name,
                "kind": body.table.kind,
                "colour": getattr(body.table, "colour", None),
                "material": body.table.material,
                "parts": len(body.parts),
            }
            for body in made.bodies
        ],
    }


def _carry(idle: Arena, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Which bodies and parts the two scenes share, by name (kernel/swap.py)."""
    starts = np.concatenate([[0], np.cumsum([body["parts"] for body in new["body"]])])
    index = {body["name"]: i for i, body in enumerate(new["body"])}
    part = 0
    for i, body in enumerate(old["body"]):
        j = index.get(body["name"], -1)
        if j >= 0:
            idle.carry_body[j] = i
            idle.carry_part[part : part + body["parts"]] = starts[j] + np.arange(body["parts"])
        part += body["parts"]
    idle.word[KEEP] = 1
