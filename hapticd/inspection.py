"""What `hapticd check` finds in a file: its kind, and every problem, its device's and its scene's included.

The kind is known by the tables: a scene has bodies, a device file has a driver at the top, a run config has neither.
"""

from pathlib import Path

from hapticd.config import Device, RunConfig
from hapticd.document import Document, load
from hapticd.errors import ConfigError, Problem
from hapticd.schema import Section, read_table


def shipped_configs() -> list[Path]:
    """Every config that comes with hapticd: inside an installed package, beside it in a source tree."""
    package = Path(__file__).parent
    installed = package / "configs"
    return sorted((installed if installed.is_dir() else package.parent / "configs").rglob("*.toml"))


def inspect(path: Path) -> tuple[str, tuple[Problem, ...]]:
    """The kind of a file and its problems."""
    try:
        document = load(path)
    except ConfigError as error:
        return "unreadable", error.problems or (Problem(str(path), None, "", "", str(error).removeprefix(f"{path}: ")),)
    kind = kind_of(document)
    section = Section(document.data, (document, ()))
    return kind, {"run config": run_problems, "device": device_problems, "scene": scene_problems}[kind](section)


def kind_of(document: Document) -> str:
    if "driver" in document.data:
        return "device"
    return "scene" if "body" in document.data else "run config"


def run_problems(section: Section) -> tuple[Problem, ...]:
    """Those of the run config, then those that its driver and the scene find in their parts."""
    try:
        config = read_table(RunConfig, section)
    except ConfigError as error:
        return error.problems
    return driver_problems(config.device) + (scene_problems(config.scene) if config.scene is not None else ())


def device_problems(section: Section) -> tuple[Problem, ...]:
    try:
        device = read_table(Device, section)
    except ConfigError as error:
        return error.problems
    return driver_problems(device)


def driver_problems(device: Device) -> tuple[Problem, ...]:
    """What the driver says about its options; it is imported for that, but nothing is opened."""
    from hapticd.device import find_driver

    place = device.options
    try:
        find_driver(device.driver)(device.options)
    except ConfigError as error:
        return error.problems or (place.document.problem((*place.route, "driver"), str(error)),)
    return ()


def scene_problems(section: Section) -> tuple[Problem, ...]:
    return ()
