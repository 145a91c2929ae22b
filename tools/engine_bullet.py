"""Bullet, the system's library: sequential impulses, called from a small C++ file; single precision as packaged."""

from functools import partial

from engines import Maker
from native import NativeWorld, compiled, package_version


def maker() -> Maker:
    build = partial(NativeWorld, compiled("engine_bullet.cpp", "bullet"))
    return Maker("Bullet", package_version("bullet"), "C++, single precision", build)
