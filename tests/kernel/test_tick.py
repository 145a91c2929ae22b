"""One tick as a whole: the hand feels the world within the limits, and the same inputs give the same bits."""

import numba
import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import (
    ACTIVE,
    CAUSE_NUMERIC,
    COMMAND_GRAVITY,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_WRENCH,
    FAULT,
)
from hapticd.kernel.layout import BODY_POSITION, BODY_VELOCITY, GAIN_MU_STATIC
from hapticd.kernel.status import CONTACT_DEEP, SAMPLE_NONE
from tests.kernel.small_world import World, block, scene

pytestmark = pytest.mark.kernel
FEW = 20 if numba.config.DISABLE_JIT else 400


def test_hand_feels_the_floor_by_its_stiffness():
    world = World(scene())
    world.press(0.0065)
    slot = world.tick()
    assert slot["wrench"][g.WRENCH_SENT, 2] == pytest.approx(600 * 0.0035, rel=0.05)
    assert slot["wrench"][g.WRENCH_WORLD, 2] == slot["wrench"][g.WRENCH_WANTED, 2]
    world.hand(0.02)
    for _ in range(5):
        slot = world.tick()
    assert slot["wrench"][g.WRENCH_SENT, 2] == 0.0


def test_same_inputs_same_bits():
    runs = []
    for _ in range(2):
        world, random = World(scene(block("a", 0.0))), np.random.default_rng(3)
        for k in range(FEW):
            world.hand(0.06 - 1e-4 * k, 0.01 * random.random())
            if k == 10:
                world.order(COMMAND_WRENCH, 2, 5, (0.5, 0, 0, 0, 0, 0))
            world.tick(code=SAMPLE_NONE if random.random() < 0.1 else 1, gap=int(random.random() < 0.02))
        runs.append(world.bits())
    assert runs[0] == runs[1]


def test_force_on_a_stiff_wall_is_clamped_with_its_direction():
    """Fault row 16."""
    world = World(scene(), safety={"force": 1.0, "slew": 1e6})
    sent = world.press(0.002, 40)["wrench"][g.WRENCH_SENT]
    wanted = world.safety.wrench[g.WRENCH_WANTED, :3]
    assert np.linalg.norm(wanted) > 2 and np.linalg.norm(sent[:3]) == pytest.approx(1.0)
    assert wanted @ sent[:3] / np.linalg.norm(wanted) / np.linalg.norm(sent[:3]) > 0.9999


def test_body_thrown_into_the_handle_obeys_the_slew_limit():
    """Fault row 17."""
    world = World(scene(), safety={"slew": 500.0})
    world.press(0.009)
    last = world.tick()["wrench"][g.WRENCH_SENT, :3].copy()
    world.state.body[0, BODY_POSITION + 2] += 0.005  # the floor jumps up: 3 N in one tick
    forces = [world.tick()["wrench"][g.WRENCH_SENT, :3].copy() for _ in range(10)]
    steps = np.linalg.norm(np.diff([last, *forces], axis=0), axis=1)
    assert steps[0] == pytest.approx(0.5) and steps.max() <= 0.5 + 1e-9 and np.linalg.norm(forces[-1]) > 2.0


def test_pointer_deep_inside_a_body_gives_a_bounded_continuous_force():
    """Fault row 47: pushed through the floor and back."""
    world, forces, worst = World(scene(), safety={"slew": 1e6}), [], 0
    for z in np.concatenate([np.linspace(0.012, -0.07, 60), np.linspace(-0.07, 0.012, 60)]):
        world.hand(z)
        slot = world.tick()
        forces.append(slot["wrench"][g.WRENCH_SENT, :3].copy())
        worst = max(worst, int(slot["word"][g.WORD_STATUS]))
    assert np.linalg.norm(forces, axis=1).max() <= 8.0 and np.all(np.isfinite(forces))
    assert worst == CONTACT_DEEP and world.mode == ACTIVE
    assert np.linalg.norm(np.diff(forces, axis=0), axis=1).max() < 3.0


def test_world_without_numbers_faults_in_the_same_tick_and_stands_still():
    """Fault row 15."""
    world = World(scene())
    assert world.press(0.0065)["wrench"][g.WRENCH_SENT, 2] > 1.0
    world.model.gain[:, GAIN_MU_STATIC] = np.nan
    slot = world.tick()
    assert not np.any(slot["wrench"][g.WRENCH_SENT]) and (world.mode, world.cause) == (FAULT, CAUSE_NUMERIC)
    assert world.word[g.WORD_PAUSED] == 1
    count = int(world.state.tick[0])
    world.tick()
    assert world.state.tick[0] == count and slot["tick"] == 15


def test_pause_holds_the_world_and_counts_on():
    world = World(scene(block("a", 0.2, 0.5)))
    world.hand(0.1)
    world.tick()
    world.order(COMMAND_PAUSE)
    height = world.tick()["body"][2, 2]
    for _ in range(5):
        slot = world.tick()
    assert slot["body"][2, 2] == height and slot["tick"] == 6 and world.state.tick[0] == 1
    world.order(COMMAND_RESUME)
    world.tick()
    assert world.tick()["body"][2, 2] < height


def test_commands_reach_the_world():
    world = World(scene(block("a", 0.2, 0.5)))
    world.hand(0.1)
    world.order(COMMAND_GRAVITY, values=(0.0, 0.0, 0.0))
    world.order(COMMAND_WRENCH, 2, 4, (1.0, 0, 0, 0, 0, 0))
    for _ in range(10):
        world.tick()
    assert world.state.body[2, BODY_VELOCITY] == pytest.approx(4 * 1e-3 * 1.0 / 0.1, rel=1e-9)
    assert world.state.body[2, BODY_VELOCITY + 2] == 0.0
