"""The scenes of the experiments: those of configs/scene, with changes."""

import tomllib
from pathlib import Path
from typing import Any

from hapticd.inspection import shipped_configs
from hapticd.scene.file import Scene, load_scene


def shipped(name: str) -> Path:
    """The file of a scene that comes with hapticd."""
    return next(path for path in shipped_configs() if path.parent.name == "scene" and path.stem == name)


def table(name: str) -> dict[str, Any]:
    """A scene as a dict, to be changed and given to load_scene."""
    return tomllib.loads(shipped(name).read_text(encoding="utf-8"))


def with_gains(name: str, stiffness: float, damping: float) -> Scene:
    """A scene with one material whose normal gains are these, the friction's half of them."""
    data = table(name)
    for material in data["material"].values():
        material.pop("stick_stiffness", None)
        material.pop("stick_damping", None)
        material |= {"stiffness": stiffness, "damping": damping}
    return load_scene(data | {"allow_unstable": True})
