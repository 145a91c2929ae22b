"""MuJoCo as its documentation advises against slip and for energy: stiff friction, no-slip passes, Runge-Kutta."""

from functools import partial

import engine_mujoco
from engines import Maker

OPTION = 'impratio="10" noslip_iterations="10" integrator="RK4"'


def maker() -> Maker:
    build = partial(engine_mujoco.MuJoCo, option=OPTION)
    return Maker("MuJoCo tuned", engine_mujoco.maker().version, OPTION.replace('"', ""), build)
