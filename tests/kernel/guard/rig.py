"""A guard with the default limits, and one tick of it, for the tests in this folder."""

import numpy as np

from hapticd.config import Device, Loop, Mount, RunConfig, Safety
from hapticd.device import Capabilities, Motor, Transport, Workspace
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.limits import limit_wrench
from hapticd.kernel.guard.mode import advance_mode
from hapticd.kernel.guard.passivity import control, hold, observe
from hapticd.kernel.guard.states import ACTIVE
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_Q, SAMPLE_SIZE
from hapticd.kernel.status import SAMPLE_OK
from hapticd.safety import empty_safety, set_up

HAVE = Capabilities(
    title="rig", identity="rig", dof=6, force_peak=10.0, force_continuous=4.0, torque_peak=1.0, torque_continuous=0.4,
    thermal_time=1.0, workspace=Workspace((0.0, 0.0, 0.0), (0.1, 0.1, 0.1), 1.5), velocity_peak=5.0, spin_peak=60.0,
    delay=0.0, damping=2.0, transport=Transport.INTERNAL, input_size=8, output_size=8,
    motors=(Motor(0, "f8", -1.0, 1.0),), simulated=True,
)  # fmt: skip


class Rig:
    """Safety and Inputs of one guard; `tick` runs its stages in the order of the servo."""

    def __init__(self, safety=None, loop=None, mount=None, have=HAVE, mode=ACTIVE, may_arm=True):
        config = RunConfig(
            device=Device(driver="none", options=None),
            safety=Safety(**{"force": 8.0, "torque": 0.5, **(safety or {})}),
            loop=Loop(**(loop or {})),
            mount=Mount(**(mount or {})),
        )
        self.safety = empty_safety(4)
        set_up(self.safety, config, have, may_arm)
        self.word, self.limit, self.memory = self.safety.word, self.safety.limit, self.safety.memory
        self.word[g.WORD_MODE] = mode
        self.word[g.WORD_CAUSE] = 0
        self.sample = np.zeros(SAMPLE_SIZE)
        self.sample[SAMPLE_Q + 3] = 1.0
        self.sample[SAMPLE_HELD] = 1.0
        self.inputs = g.Inputs(
            np.zeros(g.INPUT_SIZE, np.int64), np.zeros((g.COMMANDS_PER_TICK, g.COMMAND_SIZE)), self.sample
        )

    def tick(self, wanted=(0, 0, 0, 0, 0, 0), code=SAMPLE_OK, **word):
        """The wrench that is sent. Keywords are cells of Inputs.word: gap=1, stop=7."""
        self.inputs.word[:] = 0
        self.inputs.word[g.INPUT_CODE] = code
        for name, value in word.items():
            self.inputs.word[getattr(g, f"INPUT_{name.upper()}")] = value
        with np.errstate(all="ignore"):  # uncompiled, numpy warns of what compiled code is meant to bear
            return self._stages(wanted)

    def _stages(self, wanted):
        advance_mode(self.inputs, self.safety)
        observe(self.safety)
        self.safety.wrench[g.WRENCH_WANTED] = wanted
        control(self.safety)
        limit_wrench(self.safety)
        self.safety.wrench[g.WRENCH_RENDERED] = self.safety.wrench[g.WRENCH_SENT]
        hold(self.safety)
        return self.safety.wrench[g.WRENCH_SENT].copy()

    @property
    def mode(self):
        return self.word[g.WORD_MODE]

    @property
    def cause(self):
        return self.word[g.WORD_CAUSE]

    def limited(self, code):
        return bool(self.word[g.WORD_LIMITS] >> code & 1)

    def events(self):
        rows = self.safety.event[: self.word[g.WORD_EVENTS]]
        return [tuple(int(x) for x in row[:4]) for row in rows]
