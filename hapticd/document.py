"""A TOML file and where each of its values stands: file and line; included files merged in.

    include = ["common.toml"]      # at the top: their tables first, this file's values over them, table by table

`schema.py` turns a document into typed structs. File names in a document are relative to the file they stand in. Text
that came from outside (`from_text`) may name no files at all.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hapticd.errors import ConfigError, Problem

LARGEST_FILE = 16 * 2**20  # bytes; a scene with a million numbers has 10 MB, and more would be a mistake
Route = tuple[str | int, ...]  # keys and indices from the top of the document: ("body", 2, "mass")

HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]")
KEY = re.compile(r"^\s*([A-Za-z0-9_\-\"'. ]+?)\s*=")


@dataclass(frozen=True)
class Document:
    """The values, and file and line of those that begin a line of their own."""

    name: str  # the file as the user gave it, for messages
    folder: Path | None  # for the files it names; None: it may name none
    data: dict[str, Any]
    lines: dict[Route, tuple[str, int]]
    stack: tuple[Path, ...] = ()  # the files being read, from the outermost to this one

    def place(self, route: Route) -> tuple[str, int | None]:
        """File and line of the value, or of the nearest table around it."""
        for end in range(len(route), 0, -1):
            if route[:end] in self.lines:
                return self.lines[route[:end]]
        return self.name, None

    def problem(self, route: Route, message: str) -> Problem:
        file, line = self.place(route)
        table, key = (route_text(route[:-1]), str(route[-1])) if route else ("", "")
        if route and isinstance(route[-1], int):
            table, key = route_text(route[:-2]), route_text(route[-2:])
        return Problem(file, line, table, key, message)

    def path(self, text: str, route: Route) -> Path:
        """The file that a value names, relative to the file the value stands in."""
        if self.folder is None:
            raise ConfigError(f"names the file {text!r}; text from outside may not name files")
        return (Path(self.place(route)[0]).parent / text) if route else self.folder / text

    def open(self, text: str, route: Route) -> "Document":
        """The other document that a value names."""
        return load(self.path(text, route), self.stack)


def route_text(route: Route) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in route).removeprefix(".")


def load(path: Path, stack: tuple[Path, ...] = ()) -> Document:
    """Read a file and what it includes; a ConfigError says which file cannot be used and why."""
    real = path.resolve()
    if real in stack:
        circle = " -> ".join(step.name for step in (*stack[stack.index(real) :], real))
        raise ConfigError(f"{path}: includes itself: {circle}")
    document = parse(_text(path), str(path), path.parent, (*stack, real))
    included = document.data.pop("include", [])
    names = [included] if isinstance(included, str) else included
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _error(document.problem(("include",), f"is {included!r}; allowed is a file name or a list of them"))
    data: dict[str, Any] = {}
    lines: dict[Route, tuple[str, int]] = {}
    for name in names:
        other = _included(document, name)
        data = _merged(data, other.data)
        lines |= other.lines
    return Document(
        document.name, document.folder, _merged(data, document.data), lines | document.lines, document.stack
    )


def _included(document: Document, name: str) -> Document:
    try:
        return document.open(name, ("include",))
    except ConfigError as error:
        if error.problems:
            raise
        raise _error(document.problem(("include",), str(error))) from error


def from_text(text: str, name: str) -> Document:
    """A document from outside, without a file: it can include nothing."""
    document = parse(text, name, None)
    if "include" in document.data:
        raise _error(document.problem(("include",), "text from outside may not include files"))
    return document


def parse(text: str, name: str, folder: Path | None, stack: tuple[Path, ...] = ()) -> Document:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        problem = Problem(name, int(line[1]) if line else None, "", "", f"is not TOML: {error}")
        raise _error(problem) from error
    return Document(name, folder, data, {route: (name, line) for route, line in _lines(text).items()}, stack)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigError(f"{path}: is larger than {LARGEST_FILE >> 20} MiB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: byte {error.start}") from error


def _error(problem: Problem) -> ConfigError:
    return ConfigError(str(problem), (problem,))


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _lines(text: str) -> dict[Route, int]:
    """Lines of the keys and table headers. tomllib does not tell, and a scan by line misses only inline tables."""
    lines: dict[Route, int] = {}
    table: Route = ()
    count: dict[Route, int] = {}  # tables seen so far of each [[array]]
    for number, line in enumerate(text.splitlines(), start=1):
        if header := HEADER.match(line):
            table = _indexed(_keys(header[2]), count)
            if header[1] == "[[":
                lines.setdefault(table, number)
                count[table] = count.get(table, -1) + 1
                table = (*table, count[table])
            lines.setdefault(table, number)
        elif key := KEY.match(line):
            lines.setdefault(table + _keys(key[1]), number)
    return lines


def _keys(dotted: str) -> Route:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _indexed(keys: Route, count: Mapping[Route, int]) -> Route:
    """[a.b] after [[a]] means the newest a: put its index in."""
    route: Route = ()
    for i, key in enumerate(keys):
        route = (*route, key)
        if route in count and i < len(keys) - 1:
            route = (*route, count[route])
    return route
