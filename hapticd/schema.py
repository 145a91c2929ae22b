"""TOML tables into frozen dataclasses; all the mistakes of a file at once, each with its place.

    @dataclass(frozen=True, kw_only=True)
    class Wall:
        stiffness: Annotated[float, Above(0), AtMost(1e5)]             # N/m; required, since it has no default
        name: str = "wall"
        position: tuple[float, float, float] = (0.0, 0.0, 0.0)         # m
        kind: Literal["rigid", "soft"] = "rigid"
        mesh: InputFile | None = None                                  # must exist; relative to the file that names it
        layers: tuple[Layer, ...] = ()                                 # [[layers]]; Layer is such a class, too
        shape: Box | Ball                                              # a table; `type: Literal["box"]` tells which
        materials: dict[str, Material] = field(default_factory=dict)   # [materials.wood]
        device: Annotated[Device, OrFile()]                            # a table, or the name of a file that holds it
        options: Annotated[Section, Rest()]                            # every key that is not known; read by others

        def complaints(self) -> Iterator[tuple[str, str]]:             # what the fields alone cannot say
            if self.kind == "soft" and self.stiffness > 1e3:
                yield "stiffness", "is 5000; a soft wall takes at most 1000 N/m"

    wall = read_file(Wall, path)       # or read_text(Wall, text, name), read_table(Wall, section or dict)

Numbers must be finite and of the right type (an integer will do for a float, never the reverse; true is no number). A
ConfigError carries `problems`. Bounds are rules of `rule.py` in Annotated.
"""

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union

from hapticd.document import Document, Route, from_text, load
from hapticd.errors import ConfigError, Problem
from hapticd.rule import Existing, Norm, OrFile, Rest

T = TypeVar("T")
BAD: Any = object()  # what a value that had a problem is read as
NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}


InputFile = Annotated[Path, Existing()]
Vector = tuple[float, float, float]
UnitQuaternion = Annotated[tuple[float, float, float, float], Norm(1.0)]


class Section(dict[str, Any]):
    """A table that somebody else reads, with its place, so that messages can still say where a mistake is."""

    def __init__(
        self, table: Mapping[str, Any] = types.MappingProxyType({}), place: tuple[Document, Route] | None = None
    ):
        super().__init__(table)
        self.document, self.route = place or (Document("", None, dict(table), {}), ())


def read_file(schema: type[T], path: Path | str) -> T:
    """The struct that a file describes."""
    document = load(Path(path))
    return _finished(schema, document.data, document, ())


def read_text(schema: type[T], text: str, name: str = "text") -> T:
    """The same for text from outside, which may name no files."""
    document = from_text(text, name)
    return _finished(schema, document.data, document, ())


def read_table(schema: type[T], table: Mapping[str, Any]) -> T:
    """The same for a table that is already there: a Section of a file, or a plain dict."""
    section = table if isinstance(table, Section) else Section(table, (Document("", Path(), dict(table), {}), ()))
    return _finished(schema, dict(section), section.document, section.route)


def _finished(schema: type[T], table: Mapping[str, Any], document: Document, route: Route) -> T:
    reader = _Reader()
    result = reader.table(schema, table, document, route)
    if reader.problems:
        problems = tuple(sorted(reader.problems, key=lambda problem: (problem.file, problem.line or 0)))
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ConfigError(f"{problems[0]}{more}", problems)
    return typing.cast(T, result)


class _Reader:
    """Walks a schema and a document side by side and collects the problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def bad(self, document: Document, route: Route, message: str) -> Any:
        self.problems.append(document.problem(route, message))
        return BAD

    def table(self, schema: type, table: Any, document: Document, route: Route) -> Any:
        if not isinstance(table, Mapping):
            return self.bad(document, route, f"is {table!r}; allowed is a table")
        hints = typing.get_type_hints(schema, include_extras=True)
        fields = {field.name: field for field in dataclasses.fields(schema)}
        rest = next((name for name in fields if _rule(hints[name], Rest)), None)
        known = [name for name in fields if name != rest]
        unknown = {key: value for key, value in table.items() if key not in known}
        values = {} if rest is None else {rest: Section(unknown, (document, route))}
        if rest is None:
            self.unknown(unknown, known, document, route)
        for name in known:
            if name in table:
                values[name] = self.value(hints[name], table[name], document, (*route, name))
            elif _required(fields[name]):
                values[name] = self.bad(document, (*route, name), f"is missing; needed is {_wanted(hints[name])}")
        if any(value is BAD for value in values.values()):
            return BAD
        return self.checked(schema(**values), document, route)

    def unknown(self, keys: Iterable[str], known: list[str], document: Document, route: Route) -> None:
        for key in keys:
            near = difflib.get_close_matches(key, known, n=1)
            advice = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(sorted(known))}"
            self.bad(document, (*route, key), f"is not a known key; {advice}")

    def checked(self, struct: Any, document: Document, route: Route) -> Any:
        complaints = list(struct.complaints()) if hasattr(struct, "complaints") else []
        for key, message in complaints:
            self.bad(document, (*route, key), message)
        return BAD if complaints else struct

    def value(self, hint: Any, value: Any, document: Document, route: Route) -> Any:
        """One value as its type hint asks."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is Annotated:
            return self.ruled(hint, value, document, route)
        if origin in (Union, types.UnionType):
            return self.union([part for part in arguments if part is not types.NoneType], value, document, route)
        if origin is Literal:
            return value if value in arguments else self.bad(document, route, _not_allowed(value, arguments))
        if origin is tuple:
            return self.sequence(hint, value, document, route)
        if origin is dict:
            return self.named(arguments[1], value, document, route)
        if dataclasses.is_dataclass(hint):
            return self.table(typing.cast(type, hint), value, document, route)
        if hint is Section and isinstance(value, Mapping):
            return Section(value, (document, route))
        return self.plain(hint, value, document, route)

    def plain(self, hint: Any, value: Any, document: Document, route: Route) -> Any:
        if hint is Path and isinstance(value, str):
            try:
                return document.path(value, route)
            except ConfigError as error:
                return self.bad(document, route, str(error))
        if hint is float and type(value) in (int, float):
            if abs(value) < math.inf:  # false for NaN, too
                return float(value)
            return self.bad(document, route, f"is {value}; allowed is a finite number")
        if type(value) is hint:  # not isinstance: true is an int to Python
            return value
        return self.bad(document, route, f"is {_shown(value)}; allowed is {_wanted(hint)}")

    def ruled(self, hint: Any, value: Any, document: Document, route: Route) -> Any:
        base, *rules = typing.get_args(hint)
        if isinstance(value, str) and _rule(hint, OrFile):
            return self.other_file(base, value, document, route)
        result = self.value(base, value, document, route)
        for rule in rules:
            if result is not BAD and hasattr(rule, "holds") and not rule.holds(result):
                self.bad(document, route, f"is {_shown(value)}; allowed is {_wanted(hint)}")
                return BAD
        return result

    def other_file(self, hint: Any, name: str, document: Document, route: Route) -> Any:
        try:
            other = document.open(name, route)
        except ConfigError as error:
            self.problems.extend(error.problems or (document.problem(route, str(error)),))
            return BAD
        return self.value(hint, other.data, other, ())

    def union(self, kinds: list[Any], value: Any, document: Document, route: Route) -> Any:
        """X | None, or tables that differ by their `type`."""
        if len(kinds) == 1:
            return self.value(kinds[0], value, document, route)
        names = {_tag(kind): kind for kind in kinds}
        if not isinstance(value, Mapping):
            return self.bad(document, route, f"is {_shown(value)}; allowed is a table")
        if value.get("type") not in names:
            came = "is missing" if "type" not in value else f"is {_shown(value['type'])}"
            return self.bad(document, (*route, "type"), f"{came}; allowed are {', '.join(sorted(names))}")
        return self.table(names[value["type"]], value, document, route)

    def sequence(self, hint: Any, value: Any, document: Document, route: Route) -> Any:
        kinds = typing.get_args(hint)
        if not isinstance(value, list | tuple):
            return self.bad(document, route, f"is {_shown(value)}; allowed is {_wanted(hint)}")
        if kinds[-1] is not Ellipsis and len(value) != len(kinds):
            return self.bad(document, route, f"has {len(value)} values; allowed is {_wanted(hint)}")
        hints = [kinds[0]] * len(value) if kinds[-1] is Ellipsis else kinds
        items = [
            self.value(hint, item, document, (*route, i))
            for i, (hint, item) in enumerate(zip(hints, value, strict=True))
        ]
        return BAD if any(item is BAD for item in items) else tuple(items)

    def named(self, hint: Any, value: Any, document: Document, route: Route) -> Any:
        if not isinstance(value, Mapping):
            return self.bad(document, route, f"is {_shown(value)}; allowed is a table of tables")
        items = {key: self.value(hint, item, document, (*route, key)) for key, item in value.items()}
        return BAD if any(item is BAD for item in items.values()) else items


def _required(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _rule(hint: Any, kind: type) -> Any:
    return next((rule for rule in getattr(hint, "__metadata__", ()) if isinstance(rule, kind)), None)


def _tag(kind: Any) -> str:
    """The text by which a table says that it is of this kind."""
    return str(typing.get_args(typing.get_type_hints(kind)["type"])[0])


def _wanted(hint: Any) -> str:
    """What a type hint allows, in words."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        rules = " and ".join(rule.allowed for rule in arguments[1:] if hasattr(rule, "allowed"))
        if not rules:
            return _wanted(arguments[0])
        return rules if arguments[0] not in (int, float) else f"{_wanted(arguments[0])}, {rules}"
    if origin in (Union, types.UnionType):
        return _wanted(next(part for part in arguments if part is not types.NoneType))
    if origin is Literal:
        return "one of " + ", ".join(map(repr, arguments))
    if origin is tuple and arguments[-1] is Ellipsis:
        return f"a list; each value is {_wanted(arguments[0])}"
    if origin is tuple:
        return f"a list of {len(arguments)}; each value is {_wanted(arguments[0])}"
    return NAMES.get(hint, "a file name" if hint is Path else "a table")


def _not_allowed(value: Any, allowed: tuple[Any, ...]) -> str:
    near = difflib.get_close_matches(str(value), map(str, allowed), n=1)
    advice = f"; did you mean {near[0]!r}?" if near else ""
    return f"is {_shown(value)}; allowed are {', '.join(map(repr, allowed))}{advice}"


def _shown(value: Any) -> str:
    """The value as it came, cut to a length that fits a message."""
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
