"""TOML files with places and includes."""

import os
from pathlib import Path

import pytest

from hapticd.document import LARGEST_FILE, from_text, load, route_text
from hapticd.errors import ConfigError


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return folder / f"{next(iter(files))}.toml"


def test_lines_of_keys_tables_and_arrays_of_tables() -> None:
    document = from_text(
        """a = 1
[t]
"b c" = 2
d.e = 3
[[body]]
x = 1
[[body]]
  x = 2
  [body.shape]
  y = 3
  points = [
    [1, 2],
  ]
""",
        "text",
    )
    where = {
        ("a",): 1, ("t",): 2, ("t", "b c"): 3, ("t", "d", "e"): 4, ("body",): 5, ("body", 0, "x"): 6, ("body", 1): 7,
        ("body", 1, "x"): 8, ("body", 1, "shape"): 9, ("body", 1, "shape", "y"): 10,
    }  # fmt: skip
    for route, line in where.items():
        assert document.place(route) == ("text", line), route
    # what has no line of its own gets that of what is around it
    assert document.place(("body", 1, "shape", "points", 0, 1)) == ("text", 11)
    assert document.place(("none",)) == ("text", None)


def test_includes_are_under_the_file_itself_and_keep_their_places(tmp_path: Path) -> None:
    top = write(
        tmp_path,
        top='include = ["one.toml", "two.toml"]\n[t]\na = 3\n',
        one="[t]\na = 1\nb = 1\nc = [1, 2]\n",
        two="[t]\nb = 2\nc = [3]\n",
    )
    document = load(top)
    assert document.data == {"t": {"a": 3, "b": 2, "c": [3]}}
    assert document.place(("t", "a")) == (str(top), 3)
    assert document.place(("t", "b")) == (str(tmp_path / "two.toml"), 2)


def test_a_file_named_in_an_include_is_relative_to_that_include(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    top = write(tmp_path, top='include = "sub/one.toml"\n')
    write(tmp_path / "sub", one='mesh = "m.obj"\n')
    assert load(top).path("m.obj", ("mesh",)) == tmp_path / "sub/m.obj"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": 'include = "a.toml"'}, r"a\.toml -> a\.toml"),
        (
            {"a": 'include = "b.toml"', "b": 'include = "c.toml"', "c": 'include = "b.toml"'},
            r"b\.toml -> c\.toml -> b\.toml",
        ),
        ({"a": 'x = 1\ninclude = "none.toml"'}, r"a\.toml:2: include .*none\.toml.*No such file"),
        ({"a": "include = 5"}, r"a\.toml:1: include is 5; allowed is a file name"),
        ({"a": "x = 1\ny = \n"}, r"a\.toml:2: is not TOML"),
        ({"a": "x = 1\nx = 2\n"}, r"a\.toml:2: is not TOML"),
        ({"a": 'include = "b.toml"', "b": "= 3"}, r"b\.toml:1: is not TOML"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(write(tmp_path, **files))


def test_the_same_file_twice_side_by_side_is_no_circle(tmp_path: Path) -> None:
    top = write(
        tmp_path, top='include = ["a.toml", "b.toml"]', a='include = "c.toml"', b='include = "c.toml"', c="x = 1"
    )
    assert load(top).data == {"x": 1}


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'x = "\xe9"')
    with pytest.raises(ConfigError, match="not UTF-8 text: byte 5"):
        load(tmp_path / "latin.toml")
    with (tmp_path / "large.toml").open("wb") as file:
        os.truncate(file.fileno(), LARGEST_FILE + 1)
    with pytest.raises(ConfigError, match="larger than 16 MiB"):
        load(tmp_path / "large.toml")


def test_text_from_outside_reaches_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="may not include"):
        from_text('include = "/etc/passwd"', "message")
    with pytest.raises(ConfigError, match="may not name files"):
        from_text("", "message").path("/etc/passwd", ())


def test_deep_nesting_is_refused_not_crashed_on() -> None:
    with pytest.raises(ConfigError, match="not TOML"):
        from_text("x = " + "[" * 100_000, "message")


def test_routes_in_words() -> None:
    assert route_text(("body", 2, "shape", "size")) == "body[2].shape.size"
