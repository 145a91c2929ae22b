"""What `hapticd check` finds in a file: its kind, and every problem, its device's and its scene's included.

A file is of the first kind in KINDS one of whose keys stands at its top. A kind's reader takes a path and raises a
ConfigError; to have `hapticd check` read another kind of file, add a row. Readers are imported when they are needed.
"""

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from hapticd.config import Device, load_config
from hapticd.document import load
from hapticd.errors import ConfigError, Problem
from hapticd.schema import read_file


class Kind(NamedTuple):
    """A kind of file, the keys it is known by, and what reads it."""

    name: str
    keys: frozenset[str]
    home: str


KINDS = (
    Kind("device", frozenset({"driver"}), "hapticd.inspection:read_device"),
    Kind("string geometry", frozenset({"exits_m"}), "hapticd.drivers.string_geometry:load_geometry"),
    Kind("scene", frozenset({"body", "tower", "pyramid"}), "hapticd.scene.file:check_file"),
    Kind("run config", frozenset(), "hapticd.inspection:read_run"),
)


def config_folder() -> Path:
    """The configs that come with hapticd: inside an installed package, beside it in a source tree."""
    package = Path(__file__).parent
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"


def shipped_configs() -> list[Path]:
    """Every one of them."""
    return sorted(config_folder().rglob("*.toml"))


def inspect(path: Path) -> tuple[str, tuple[Problem, ...]]:
    """The kind of a file and all its problems."""
    try:
        top = load(path).data
    except ConfigError as error:
        return "unreadable", problems_of(error, path)
    kind = next(kind for kind in KINDS if not kind.keys or kind.keys & top.keys())
    module, _, name = kind.home.partition(":")
    try:
        getattr(importlib.import_module(module), name)(path)
    except ConfigError as error:
        return kind.name, problems_of(error, path)
    return kind.name, ()


def problems_of(error: ConfigError, path: Path) -> tuple[Problem, ...]:
    """Those that the error lists, or its one message."""
    return error.problems or (Problem(str(path), None, "", "", str(error).removeprefix(f"{path}: ")),)


def read_run(path: Path) -> None:
    """The run config, and then what its driver and the scene say about their parts."""
    config = load_config(path)
    try_driver(config.device)
    if config.scene is not None:
        from hapticd.scene.file import load_scene

        load_scene(config.scene)


def read_device(path: Path) -> None:
    try_driver(read_file(Device, path))


def try_driver(device: Device) -> Any:
    """The driver with its options; nothing is opened. Errors get the place of the [device] table."""
    from hapticd.device import find_driver

    options = device.options
    try:
        return find_driver(device.driver)(options)
    except ConfigError as error:
        message = str(error).removeprefix("device.driver: ")
        problem = options.document.problem((*options.route, "driver"), f"is {device.driver!r}: {message}")
        raise ConfigError(str(problem), error.problems or (problem,)) from error
