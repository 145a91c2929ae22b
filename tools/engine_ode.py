"""ODE, the system's library: quick step, called from a small C file."""

from functools import partial

from engines import Maker
from native import NativeWorld, compiled, package_version


def maker() -> Maker:
    build = partial(NativeWorld, compiled("engine_ode.c", "ode"))
    return Maker("ODE", package_version("ode"), "quick step, C", build)
