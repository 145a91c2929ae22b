"""The live entrance: words and commands in order, a stop that passes them all, a supervisor that is missed."""

import numpy as np
import pytest

from hapticd.control import DEGRADE, LEAVE, SENT, STOP, SUPERVISOR_BEAT, TAKEN, Mailbox, control_templates
from hapticd.kernel.guard import gather as gathering
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.gather import gather
from hapticd.kernel.guard.states import (
    CAUSE_SERVICE,
    CAUSE_STOP,
    CAUSE_SUPERVISOR,
    COMMAND_PAUSE,
    COMMAND_RESTART,
    COMMAND_SCENE,
)
from hapticd.kernel.layout import SAMPLE_SIZE

pytestmark = pytest.mark.kernel


class Entrance:
    def __init__(self):
        tree = control_templates()
        self.control, self.rows = tree["control"], tree["mailbox"]
        self.mailbox = Mailbox(self.rows, self.control)
        self.seen = np.zeros(gathering.SEEN_SIZE, np.int64)
        self.seen[gathering.STILL_LIMIT] = 15
        self.inputs = g.Inputs(
            np.zeros(g.INPUT_SIZE, np.int64), np.zeros((g.COMMANDS_PER_TICK, g.COMMAND_SIZE)), np.zeros(SAMPLE_SIZE)
        )

    def tick(self, alive=True):
        self.control[SUPERVISOR_BEAT, 0] += alive
        self.inputs.word[g.INPUT_STOP] = 0
        gather(self.control, self.rows, self.seen, self.inputs)
        return self.inputs.word

    def numbers(self):
        return self.inputs.command[: self.inputs.word[g.INPUT_COMMANDS], g.COMMAND_ID].tolist()


def test_rows_are_those_of_the_shell():
    from hapticd import control

    for name in ("SUPERVISOR_BEAT", "STOP", "LEAVE", "SENT", "TAKEN", "DEGRADE"):
        assert getattr(gathering, name) == getattr(control, name)


def test_at_most_eight_commands_a_tick_in_order():
    entrance = Entrance()
    for k in range(20):
        entrance.mailbox.send(k, COMMAND_PAUSE)
    got = []
    for want in (8, 8, 4, 0):
        entrance.tick()
        assert len(entrance.numbers()) == want
        got += entrance.numbers()
    assert got == list(range(20)) and entrance.control[TAKEN, 0] == entrance.control[SENT, 0] == 20


def test_stop_acts_once_and_past_a_full_mailbox():
    entrance = Entrance()
    while entrance.mailbox.send(1, COMMAND_PAUSE):
        pass
    entrance.control[STOP, 0] += 1
    assert entrance.tick()[g.INPUT_STOP] == CAUSE_STOP
    assert entrance.tick()[g.INPUT_STOP] == 0
    entrance.control[STOP, 0] += 3
    assert entrance.tick()[g.INPUT_STOP] == CAUSE_STOP


def test_missed_supervisor_is_a_fault_at_the_fifteenth_tick():
    entrance = Entrance()
    entrance.tick()
    stops = [int(entrance.tick(alive=False)[g.INPUT_STOP]) for _ in range(16)]
    assert stops.index(CAUSE_SUPERVISOR) == 14 and stops[15] == CAUSE_SUPERVISOR
    assert entrance.tick()[g.INPUT_STOP] == 0


def test_one_scene_a_tick():
    entrance = Entrance()
    entrance.mailbox.send(1, COMMAND_PAUSE)
    entrance.mailbox.send(2, COMMAND_SCENE, target=1)
    entrance.mailbox.send(3, COMMAND_RESTART)
    word = entrance.tick()
    assert entrance.numbers() == [1, 2] and word[g.INPUT_RENEW] == 1 and word[g.INPUT_SCENE] == 1
    word = entrance.tick()
    assert entrance.numbers() == [3] and word[g.INPUT_RENEW] == 1 and word[g.INPUT_SCENE] == 1
    assert entrance.tick()[g.INPUT_RENEW] == 0


@pytest.mark.parametrize("arena", [2, -1, 0.5, 1e300, np.nan])
def test_arena_that_is_none_changes_nothing(arena):
    entrance = Entrance()
    entrance.mailbox.send(2, COMMAND_SCENE)
    entrance.rows[0, g.COMMAND_TARGET] = arena
    assert entrance.tick()[g.INPUT_SCENE] == 0


def test_leave_and_degrade_are_levels():
    entrance = Entrance()
    entrance.control[LEAVE, 0], entrance.control[DEGRADE, 0] = 1, CAUSE_SERVICE
    for _ in range(3):
        word = entrance.tick()
        assert word[g.INPUT_LEAVE] == 1 and word[g.INPUT_DEGRADE] == CAUSE_SERVICE
