"""The slot shows what was simulated: bodies, contacts, their outlines, and the inputs of the tick."""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import COMMAND_PAUSE
from hapticd.kernel.layout import BODY_OMEGA, BODY_POSITION, BODY_VELOCITY
from hapticd.kernel.show import SHOW_EVERY
from tests.kernel.small_world import World, block, scene

pytestmark = pytest.mark.kernel


def test_bodies_contacts_and_outline():
    world = World(scene(block("a", 0.2, 0.0199)))
    world.hand(0.0065)
    slots = [world.tick().copy() for _ in range(SHOW_EVERY + 1)]
    for slot in slots:
        assert slot["word"][g.WORD_BODIES] == 3 and slot["word"][g.WORD_CONTACTS] == 2
    last, body = slots[-1], world.state.body[2]
    shown = last["body"][2]
    assert np.array_equal(shown[:7], body[BODY_POSITION : BODY_POSITION + 7])
    assert np.array_equal(shown[7:10], body[BODY_VELOCITY : BODY_VELOCITY + 3])
    assert np.array_equal(shown[10:], body[BODY_OMEGA : BODY_OMEGA + 3])
    assert {tuple(row[[g.OF_BODY_A, g.OF_BODY_B]]) for row in last["contact_of"][:2]} == {(0, 1), (0, 2)}
    touch = last["contact"][[int(row[g.OF_BODY_B]) for row in last["contact_of"][:2]].index(1)]
    assert touch[g.SHOWN_AREA] == pytest.approx(0.02**2, rel=1e-5)
    assert touch[g.SHOWN_DEPTH] == pytest.approx(0.0035, rel=1e-3)
    assert abs(touch[g.SHOWN_NORMAL + 2]) == pytest.approx(1.0)
    assert abs(touch[g.SHOWN_WRENCH + 2]) == pytest.approx(abs(last["wrench"][g.WRENCH_WORLD, 2]), rel=1e-4)


def test_outlines_come_every_eighth_tick_and_lie_on_the_patch():
    world = World(scene())
    world.hand(0.0065)
    for k in range(2 * SHOW_EVERY + 1):
        slot = world.tick()
        assert (slot["word"][g.WORD_POINTS] > 0) == (k % SHOW_EVERY == 0)
        if k % SHOW_EVERY == 0:
            first, count = slot["contact_of"][0, [g.OF_POINT, g.OF_POINTS]]
            corners = slot["point"][first : first + count]
            assert count == 4 and np.allclose(np.abs(corners[:, :2]), 0.01, atol=1e-6)
            assert np.ptp(corners[:, 2]) < 1e-6


def test_outline_does_not_touch_the_state():
    world = World(scene(block("a", 0.0, 0.0199)))
    world.hand(0.045)
    runs = []
    for shift in (0, 3):  # outlines fall on other ticks; the world must not notice
        world = World(scene(block("a", 0.0, 0.0199)))
        world.hand(0.045)
        world.word[g.WORD_TICK] = shift
        for _ in range(12):
            world.tick()
        runs.append(b"".join(array.tobytes() for array in world.state))
    assert runs[0] == runs[1]


def test_inputs_are_shown_as_they_came():
    world = World(scene())
    world.hand(0.05)
    world.order(COMMAND_PAUSE, target=3, ticks=4, values=(0.5,))
    world.bytes[:3] = 7, 8, 9
    slot = world.tick(gap=2, raw=3)
    assert slot["input"][g.INPUT_GAP] == 2 and slot["input"][g.INPUT_COMMANDS] == 1
    assert slot["command"][0, : g.COMMAND_VALUE + 1].tolist() == [1, COMMAND_PAUSE, 3, 4, 0.5]
    assert np.array_equal(slot["sample"], world.sample) and slot["raw"][:3].tolist() == [7, 8, 9]
    assert np.array_equal(slot["pointer"][:3], world.sample[:3])
