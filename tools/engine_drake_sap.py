"""Drake with its other contact solver, SAP: convex, with stiffer friction; else as engine_drake.py."""

from functools import partial

import engine_drake
from engines import Maker


def maker() -> Maker:
    build = partial(engine_drake.Drake, approximation="sap")
    return Maker("Drake SAP", engine_drake.maker().version, "hydroelastic, SAP", build)
