"""Commands: each answered once, refused where it must be; a safety limit goes down and never up."""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.command import end_pushes, run_commands
from hapticd.kernel.guard.states import (
    ACTIVE,
    ARMING,
    CAUSE_STOP,
    COMMAND_ARM,
    COMMAND_CLEAR,
    COMMAND_DISARM,
    COMMAND_GRAVITY,
    COMMAND_LIMIT,
    COMMAND_MATERIAL,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_SCENE,
    COMMAND_WRENCH,
    DONE,
    EVENT_COMMAND,
    FAULT,
    IDLE,
    REFUSED_MODE,
    REFUSED_REALTIME,
    REFUSED_TARGET,
    REFUSED_UNKNOWN,
    REFUSED_VALUE,
)
from hapticd.kernel.layout import GAIN_MU_DYNAMIC, GAIN_SIZE, OPTION_BODIES, OPTION_MATERIALS, OPTION_SIZE, WORLD_SIZE
from tests.kernel.guard.rig import Rig

pytestmark = pytest.mark.kernel


class Bench(Rig):
    """A guard with a little world to command."""

    def __init__(self, **keys):
        super().__init__(**keys)
        self.world, self.gain = np.zeros(WORLD_SIZE), np.zeros((9, GAIN_SIZE))
        self.option, self.applied = np.zeros(OPTION_SIZE, np.int64), np.zeros((4, 6))
        self.option[OPTION_BODIES], self.option[OPTION_MATERIALS] = 3, 3
        self.word[g.WORD_SAMPLES] = 5

    def order(self, code, target=0, ticks=0, values=(), number=42.0):
        """What became of it."""
        row = self.inputs.command[0]
        row[:] = 0.0
        row[: g.COMMAND_VALUE] = number, code, target, ticks
        row[g.COMMAND_VALUE : g.COMMAND_VALUE + len(values)] = values
        self.inputs.word[g.INPUT_COMMANDS] = 1
        self.word[g.WORD_EVENTS] = 0
        run_commands(self.world, self.gain, self.option, self.applied, self.inputs, self.safety)
        answers = [event for event in self.events() if event[0] == EVENT_COMMAND]
        assert len(answers) == 1 and answers[0][2:] == (42, code if abs(code) < 1e6 else 0)
        return answers[0][1]


def test_from_fault_to_force_by_two_commands():
    bench = Bench(mode=FAULT)
    assert bench.order(COMMAND_ARM) == REFUSED_MODE and bench.mode == FAULT
    assert bench.order(COMMAND_CLEAR) == DONE and bench.mode == IDLE
    assert bench.order(COMMAND_CLEAR) == REFUSED_MODE
    assert bench.order(COMMAND_ARM) == DONE and bench.mode == ARMING
    assert bench.order(COMMAND_DISARM) == DONE and bench.mode == IDLE


def test_nothing_is_cleared_while_its_reason_is_there():
    for spoil in ("stop", "samples", "missed", "leaving"):
        bench = Bench(mode=FAULT)
        if spoil == "stop":
            bench.inputs.word[g.INPUT_STOP] = CAUSE_STOP
        elif spoil == "samples":
            bench.word[g.WORD_SAMPLES] = 0
        elif spoil == "missed":
            bench.word[g.WORD_MISSED_ROW] = 1
        else:
            bench.word[g.WORD_LEAVING] = 1
        assert bench.order(COMMAND_CLEAR) == REFUSED_MODE and bench.mode == FAULT, spoil


def test_no_real_time_no_force():
    bench = Bench(mode=IDLE, may_arm=False)
    assert bench.order(COMMAND_ARM) == REFUSED_REALTIME and bench.mode == IDLE


def test_limits_may_be_lowered_and_never_raised():
    bench = Bench()
    assert bench.order(COMMAND_LIMIT, g.LIMIT_FORCE, values=[2.0]) == DONE and bench.limit[g.LIMIT_FORCE] == 2.0
    for value in (2.1, 1e9, 0.0, -1.0):
        assert bench.order(COMMAND_LIMIT, g.LIMIT_FORCE, values=[value]) == REFUSED_VALUE
    for cell in range(-2, g.LIMIT_SIZE + 3):
        if cell not in (g.LIMIT_FORCE, g.LIMIT_TORQUE, g.LIMIT_SPEED, g.LIMIT_SPIN):
            assert bench.order(COMMAND_LIMIT, cell, values=[1e-3]) == REFUSED_TARGET
    assert bench.limit[g.LIMIT_FORCE] == 2.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("cell", range(1, g.COMMAND_SIZE))
def test_numbers_that_are_none_change_nothing(bad, cell):
    bench = Bench(mode=IDLE)
    row = [42.0, COMMAND_WRENCH, 1, 5, *[1.0] * 8]
    row[cell] = bad
    bench.inputs.command[0] = row
    bench.inputs.word[g.INPUT_COMMANDS] = 1
    bench.word[g.WORD_EVENTS] = 0
    run_commands(bench.world, bench.gain, bench.option, bench.applied, bench.inputs, bench.safety)
    assert bench.events()[0][1] == REFUSED_VALUE and not bench.applied.any()


@pytest.mark.parametrize("code", [0, -5, 12, 99, 1e300])
def test_unknown_command(code):
    bench = Bench(mode=IDLE)
    assert bench.order(code) == REFUSED_UNKNOWN and bench.mode == IDLE


def test_wrench_on_a_body_for_some_ticks():
    bench = Bench()
    assert bench.order(COMMAND_WRENCH, 1, 3, [0, 0, 9, 0, 0, 1]) == DONE
    for left in (2, 1):
        end_pushes(bench.option, bench.applied, bench.safety)
        assert bench.applied[1].tolist() == [0, 0, 9, 0, 0, 1] and bench.safety.push[1] == left
    end_pushes(bench.option, bench.applied, bench.safety)
    assert not bench.applied.any()
    assert bench.order(COMMAND_WRENCH, 1, 0, [1] * 6) == DONE  # until changed
    for _ in range(10):
        end_pushes(bench.option, bench.applied, bench.safety)
    assert bench.applied[1].all()
    assert bench.order(COMMAND_WRENCH, 3, 3, [1] * 6) == REFUSED_TARGET
    assert bench.order(COMMAND_WRENCH, -1, 3, [1] * 6) == REFUSED_TARGET


def test_material_is_set_both_ways_round():
    bench = Bench()
    assert bench.order(COMMAND_MATERIAL, 256 * 1 + 2, values=[GAIN_MU_DYNAMIC, 0.7]) == DONE
    assert bench.gain[1 * 3 + 2, GAIN_MU_DYNAMIC] == bench.gain[2 * 3 + 1, GAIN_MU_DYNAMIC] == 0.7
    assert bench.order(COMMAND_MATERIAL, 256 * 3, values=[GAIN_MU_DYNAMIC, 0.7]) == REFUSED_TARGET
    assert bench.order(COMMAND_MATERIAL, 0, values=[GAIN_SIZE, 0.7]) == REFUSED_TARGET
    assert bench.order(COMMAND_MATERIAL, 0, values=[GAIN_MU_DYNAMIC, -0.1]) == REFUSED_VALUE


def test_gravity():
    bench = Bench()
    assert bench.order(COMMAND_GRAVITY, values=[1, 2, -3]) == DONE and bench.world[:3].tolist() == [1, 2, -3]


def test_pause_stops_and_resume_starts_from_zero():
    bench = Bench()
    assert bench.order(COMMAND_PAUSE) == DONE and bench.word[g.WORD_PAUSED] == 1
    assert not np.any(bench.tick([3, 0, 0, 0, 0, 0]))
    assert bench.order(COMMAND_RESUME) == DONE and bench.mode == ARMING and bench.word[g.WORD_PAUSED] == 0
    assert bench.tick([3, 0, 0, 0, 0, 0])[0] == 0.0


def test_scene_that_was_not_put_in_place_is_refused():
    bench = Bench()
    assert bench.order(COMMAND_SCENE, 1) == REFUSED_TARGET and bench.mode == ACTIVE
