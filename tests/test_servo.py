"""Arming on start, tick by tick with the guard's own commands; the loop itself is tried in test_daemon.py."""

from types import SimpleNamespace

import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.command import change_mode
from hapticd.kernel.guard.states import ARMING, CAUSE_START, CAUSE_STOP, FAULT
from hapticd.servo import ARMING_PAUSE, ARMING_SAMPLES, Servo
from tests.kernel.guard.rig import Rig


class Starting:
    """A servo that has just started, without its loop."""

    def __init__(self):
        self.guard = Rig(mode=FAULT)
        self.guard.word[g.WORD_CAUSE] = CAUSE_START
        self.servo = SimpleNamespace(safety=self.guard.safety, inputs=self.guard.inputs, arming=True, arming_wait=0)

    def tick(self, has_sample):
        """Whether arming was tried in it."""
        word, inputs = self.guard.word, self.guard.inputs
        inputs.word[:] = 0
        if self.servo.arming:
            Servo.arm_on_start(self.servo)
        word[g.WORD_SAMPLES] += has_sample
        word[g.WORD_MISSED_ROW] = 0 if has_sample else word[g.WORD_MISSED_ROW] + 1
        for row in inputs.command[: inputs.word[g.INPUT_COMMANDS]]:
            change_mode(inputs, self.guard.safety, int(row[g.COMMAND_CODE]))
        return bool(inputs.word[g.INPUT_COMMANDS])


@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_device_that_answers_every_so_often_is_armed_once(every):
    start = Starting()
    tried = [tick for tick in range(300) if start.tick(tick % every == 0)]
    assert start.guard.word[g.WORD_MODE] == ARMING and not start.servo.arming
    assert tried[0] >= ARMING_SAMPLES and tried[-1] - tried[0] <= ARMING_PAUSE * every


def test_after_a_stop_it_is_not_armed():
    start = Starting()
    for _ in range(ARMING_SAMPLES):
        assert not start.tick(True)
    start.guard.word[g.WORD_CAUSE] = CAUSE_STOP
    assert not any(start.tick(True) for _ in range(100)) and start.guard.word[g.WORD_MODE] == FAULT


def test_without_samples_it_is_not_armed():
    start = Starting()
    assert not any(start.tick(False) for _ in range(100)) and start.servo.arming
