"""Scene files and dicts of the same form into a checked Scene: `load_scene`.

Names are resolved and stacks are written out here, so that what is wrong between tables is found at once and with its
place: unknown materials, names given twice, a second pointer, more bodies than can be simulated.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hapticd.document import Document, Route, from_text, load
from hapticd.errors import ConfigError, SceneError
from hapticd.scene.schema import MOST_BODIES, Body, Material, SceneTable
from hapticd.scene.stack import pyramid, tower
from hapticd.schema import Section, read_table


@dataclasses.dataclass(frozen=True)
class Scene:
    """A scene as written, its stacks expanded; give it to `Simulation` or to `build`."""

    name: str
    table: SceneTable
    bodies: tuple[Body, ...]

    @property
    def materials(self) -> dict[str, Material]:
        return self.table.material


def load_scene(source: str | Path | Mapping[str, Any]) -> Scene:
    """A scene from a TOML file, or from a dict (or table of a run config) of the same form."""
    try:
        section = source if isinstance(source, Section) else _section(source)
        table = read_table(SceneTable, section)
    except SceneError:
        raise
    except ConfigError as error:
        raise SceneError(str(error), error.problems) from error
    scene = Scene(table.name or _stem(section.document), table, tuple(_bodies(table)))
    problems = tuple(section.document.problem((*section.route, *route), text) for route, text in _mistakes(scene))
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise SceneError(f"{problems[0]}{more}", problems)
    return scene


def scene_from_text(text: str, name: str = "text") -> Scene:
    """A scene that came from outside as text; it may name no files."""
    try:
        document = from_text(text, name)
    except ConfigError as error:
        raise SceneError(str(error), error.problems) from error
    return load_scene(Section(document.data, (document, ())))


def check_file(path: Path) -> None:
    """All that can be wrong with a scene file, its shapes and its stability included: what `hapticd check` runs."""
    from hapticd.scene.plan import plan
    from hapticd.scene.stability import check

    scene = load_scene(path)
    check(plan(scene), scene.table.step)


def _section(source: str | Path | Mapping[str, Any]) -> Section:
    if isinstance(source, Mapping):
        data = _plain(source)
        return Section(data, (Document("scene", Path(), data, {}), ()))
    document = load(Path(source))
    return Section(document.data, (document, ()))


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as Python's: a dict made by a program may well have them."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _stem(document: Document) -> str:
    return Path(document.name).stem or "scene"


def _bodies(table: SceneTable) -> Iterator[Body]:
    yield from table.body
    if sum(stack.count for stack in (*table.tower, *table.pyramid)) > MOST_BODIES:
        return  # said by _mistakes
    for each in table.tower:
        yield from tower(each)
    for stack in table.pyramid:
        yield from pyramid(stack)


def _mistakes(scene: Scene) -> Iterator[tuple[Route, str]]:
    """What is wrong between the tables, each with its route."""
    table = scene.table
    total = len(table.body) + sum(stack.count for stack in (*table.tower, *table.pyramid))
    if total == 0:
        yield ("body",), "is missing; a scene needs at least one body"
    if total > MOST_BODIES:
        yield ("body",), f"has {total} bodies, stacks included; allowed are {MOST_BODIES}"
        return
    for kind in ("body", "tower", "pyramid"):
        for i, entry in enumerate(getattr(table, kind)):
            if entry.material not in table.material:
                yield (kind, i, "material"), _unknown(entry.material, table)
    for i, pair in enumerate(table.pair):
        for name in pair.materials:
            if name not in table.material:
                yield ("pair", i, "materials"), _unknown(name, table)
    yield from _name_mistakes(scene)


def _name_mistakes(scene: Scene) -> Iterator[tuple[Route, str]]:
    seen: dict[str, int] = {}
    for i, body in enumerate(scene.bodies):
        if body.name in seen:
            route: Route = ("body", i, "name") if i < len(scene.table.body) else ("tower",)
            yield route, f"is {body.name!r}, like body {seen[body.name]}; every body needs a name of its own"
        seen.setdefault(body.name, i)
    pointers = [i for i, body in enumerate(scene.bodies) if body.kind == "pointer"]
    for i in pointers[1:]:
        yield ("body", i, "kind"), f"is 'pointer', like that of {scene.bodies[pointers[0]].name!r}; allowed is one"
    for i in pointers:
        body = scene.bodies[i]
        if scene.table.pointer.coupling is not None and body.mass is None and body.density is None:
            yield ("body", i, "mass"), "is missing; a pointer on a virtual coupling needs a mass or a density"


def _unknown(name: str, table: SceneTable) -> str:
    known = ", ".join(sorted(table.material)) or "none"
    return f"is {name!r}, which is no material of this scene; known are {known}; add [material.{name}]"
