"""hapticd: a real-time 6-DOF haptic rendering server.

The public names are loaded on first use, so that `import hapticd` and `hapticd --help` stay fast; each has one home
module, listed below. README.md documents them.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Client": "hapticd.client",
    "ConvexShape": "hapticd.scene.convex",
    "HapticdError": "hapticd.errors",
    "Simulation": "hapticd.simulation",
    "contact": "hapticd.geometry",
    "load_scene": "hapticd.scene.file",
}
_SUBMODULES = ("friction",)

__all__ = ["Client", "ConvexShape", "HapticdError", "Simulation", "contact", "friction", "load_scene"]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"hapticd.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'hapticd' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOME, *_SUBMODULES, "__version__"])
