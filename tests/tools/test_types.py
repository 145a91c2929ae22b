"""What mypy is told: all of drivers/ but its kernels, and the kernels are listed twice, as its settings want it."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
DECORATORS = {"kernel", "kernel_inline"}


def kernels() -> set[str]:
    return {path.stem for path in (ROOT / "drivers").glob("*.py") if has_kernel(ast.parse(path.read_text()))}


def has_kernel(module: ast.Module) -> bool:
    marks = [mark for node in module.body if isinstance(node, ast.FunctionDef) for mark in node.decorator_list]
    return any(isinstance(mark, ast.Name) and mark.id in DECORATORS for mark in marks)


def test_the_drivers_are_checked_strictly():
    assert SETTINGS["strict"] and "drivers" in SETTINGS["packages"]
    loose = [row for row in SETTINGS["overrides"] if set(row) - {"module", "ignore_missing_imports", "follow_imports"}]
    assert not loose


def test_exactly_the_kernels_among_them_are_left_out():
    paths = {path.stem: path.relative_to(ROOT).as_posix() for path in (ROOT / "drivers").glob("*.py")}
    excluded = {stem for stem, path in paths.items() if any(re.search(rule, path) for rule in SETTINGS["exclude"])}
    skipped = [name for row in SETTINGS["overrides"] if row.get("follow_imports") == "skip" for name in row["module"]]
    named = {name.removeprefix("drivers.") for name in skipped if name.startswith("drivers.")}
    assert excluded == named == kernels()


def test_drivers_import_each_other_relatively():
    """mypy knows them as `drivers`, so `hapticd.drivers` would be unknown to it, and all that comes from there Any."""
    for path in (ROOT / "drivers").glob("*.py"):
        assert not re.search(r"^\s*(from|import) hapticd\.drivers", path.read_text(), re.MULTILINE), path.name
