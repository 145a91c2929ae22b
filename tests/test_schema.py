"""The reader of configs and scenes: what it accepts, and that every mistake is named with its place."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.errors import ConfigError
from hapticd.rule import Above, AtLeast, AtMost, OrFile, Rest, Within
from hapticd.schema import InputFile, Section, UnitQuaternion, Vector, read_file, read_table, read_text


@dataclass(frozen=True, kw_only=True)
class Ball:
    type: Literal["ball"]
    radius: Annotated[float, Above(0), AtMost(10)]


@dataclass(frozen=True, kw_only=True)
class Box:
    type: Literal["box"]
    size: Vector


@dataclass(frozen=True, kw_only=True)
class Plug:
    driver: str
    options: Annotated[Section, Rest()]


@dataclass(frozen=True, kw_only=True)
class Thing:
    name: str
    count: Annotated[int, Within(1, 8)] = 4
    share: Annotated[float, AtLeast(0)] = 0.5
    on: bool = False
    kind: Literal["rigid", "soft"] = "rigid"
    shape: Ball | Box | None = None
    parts: tuple[Ball, ...] = ()
    named: dict[str, Ball] = field(default_factory=dict)
    q_xyzw: UnitQuaternion = (0.0, 0.0, 0.0, 1.0)
    mesh: InputFile | None = None
    plug: Annotated[Plug, OrFile()] | None = None

    def complaints(self) -> Iterator[tuple[str, str]]:
        if self.kind == "soft" and self.share > 1:
            yield "share", "is too large for a soft thing"


def problems(text: str) -> list[tuple[int | None, str, str, str]]:
    with pytest.raises(ConfigError) as caught:
        read_text(Thing, text)
    return [(p.line, p.table, p.key, p.message) for p in caught.value.problems]


def test_every_type_is_read() -> None:
    thing = read_text(
        Thing,
        """
        name = "a"
        share = 2
        shape = {type = "box", size = [1, 2.5, 3]}
        [[parts]]
        type = "ball"
        radius = 1
        [named.left]
        type = "ball"
        radius = 2
        [plug]
        driver = "x"
        port = 5
        """,
    )
    assert thing.share == 2.0 and type(thing.share) is float
    assert thing.shape == Box(type="box", size=(1.0, 2.5, 3.0))
    assert thing.parts == (Ball(type="ball", radius=1.0),)
    assert thing.named == {"left": Ball(type="ball", radius=2.0)}
    assert thing.plug is not None and dict(thing.plug.options) == {"port": 5}


def test_all_mistakes_of_a_file_are_listed_with_their_places() -> None:
    found = problems(
        """count = 9
shre = 0.1
on = 1
kind = "sofd"
[shape]
type = "ball"
radius = nan
[[parts]]
type = "ball"
radius = 1
[[parts]]
type = "bal"
"""
    )
    assert found == [
        (None, "", "name", "is missing; needed is a text"),
        (1, "", "count", "is 9; allowed is an integer, 1 to 8"),
        (2, "", "shre", "is not a known key; did you mean 'share'?"),
        (3, "", "on", "is 1; allowed is true or false"),
        (4, "", "kind", "is 'sofd'; allowed are 'rigid', 'soft'; did you mean 'soft'?"),
        (7, "shape", "radius", "is nan; allowed is a finite number"),
        (11, "parts[1]", "radius", "is missing; needed is a number, more than 0 and at most 10"),
        (12, "parts[1]", "type", "is 'bal'; allowed are 'ball'; did you mean 'ball'?"),
    ]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("count = 2.0", "an integer"),
        ("count = true", "an integer"),
        ("share = true", "a number"),
        ("share = '1'", "a number"),
        ("share = inf", "finite"),
        ("share = -inf", "finite"),
        ("share = -0.1", "at least 0"),
        ("q_xyzw = [0, 0, 0, 2]", "length 1"),
        ("q_xyzw = [0, 0, 1]", "has 3 values"),
        ("q_xyzw = 1", "a list of 4"),
        ("shape = 5", "a table"),
        ("shape = {radius = 1}", "is missing; allowed are ball, box"),
        ("shape = {type = 'box', size = [1, 2, 'x']}", "a number"),
        ("parts = {}", "a list"),
        ("named = 3", "a table of tables"),
        ("kind = 'soft'\nshare = 2", "too large for a soft thing"),
        ("mesh = 'x.obj'", "may not name files"),
        ("plug = 'x.toml'", "may not name files"),
    ],
)
def test_a_mistake_is_one_problem_that_says_what_is_allowed(line: str, word: str) -> None:
    found = problems(f"name = 'a'\n{line}\n")
    assert len(found) == 1
    assert word in found[0][3]


@given(st.floats())
def test_no_number_out_of_bounds_gets_in(value: float) -> None:
    try:
        thing = read_table(Ball, {"type": "ball", "radius": value})
    except ConfigError:
        assert not 0 < value <= 10
    else:
        assert 0 < thing.radius <= 10


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3), st.lists, max_leaves=5)
)
def test_any_value_is_read_or_refused(value: object) -> None:
    for key in ("name", "count", "share", "shape", "parts", "named", "q_xyzw", "plug"):
        try:
            read_table(Thing, {"name": "a", key: value})
        except ConfigError as error:
            assert error.problems


def test_a_table_may_be_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "main.toml").write_text('name = "a"\nplug = "sub/plug.toml"\n')
    (tmp_path / "sub/plug.toml").write_text('driver = "x"\nmesh = "y.obj"\n')
    thing = read_file(Thing, tmp_path / "main.toml")
    assert thing.plug is not None and thing.plug.options["mesh"] == "y.obj"
    # what the driver finds wrong in its options still has the place in the other file
    with pytest.raises(ConfigError) as caught:
        read_table(Ball, thing.plug.options)
    assert {(p.file, p.line, p.key) for p in caught.value.problems} >= {(str(tmp_path / "sub/plug.toml"), 2, "mesh")}


def test_a_named_file_must_exist_and_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "main.toml").write_text('name = "a"\nmesh = "m.obj"\n')
    with pytest.raises(ConfigError, match=r"main\.toml:2: mesh is 'm\.obj'; allowed is an existing file"):
        read_file(Thing, tmp_path / "main.toml")
    (tmp_path / "m.obj").touch()
    assert read_file(Thing, tmp_path / "main.toml").mesh == tmp_path / "m.obj"


def test_a_missing_or_circular_file_of_a_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "main.toml").write_text('name = "a"\nplug = "none.toml"\n')
    with pytest.raises(ConfigError, match=r"main\.toml:2: plug .*none\.toml.*No such file"):
        read_file(Thing, tmp_path / "main.toml")
    (tmp_path / "main.toml").write_text('name = "a"\nplug = "main.toml"\n')
    with pytest.raises(ConfigError, match=r"main\.toml -> main\.toml"):
        read_file(Thing, tmp_path / "main.toml")
