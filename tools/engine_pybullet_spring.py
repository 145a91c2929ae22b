"""PyBullet with soft contacts: our spring and damper, shared out over the four corners of a face."""

from functools import partial

import engine_pybullet
from engines import Maker
from stacks import PYRAMID_GAINS

CORNERS = 4


def maker() -> Maker:
    spring = (PYRAMID_GAINS[0] / CORNERS, PYRAMID_GAINS[1] / CORNERS)
    build = partial(engine_pybullet.PyBullet, spring=spring)
    return Maker("PyBullet soft", engine_pybullet.maker().version, "20 kN/m, 60 Ns/m on four corners", build)
