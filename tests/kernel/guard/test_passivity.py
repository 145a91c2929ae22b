"""The energy account against the truth: a mass on a sampled wall, whose force is held between the samples."""

import numba
import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.passivity import hold, observe
from hapticd.kernel.guard.states import LIMITED_PASSIVITY
from hapticd.kernel.layout import SAMPLE_POSITION, SAMPLE_Q, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_NONE
from tests.kernel.guard.rig import Rig

pytestmark = pytest.mark.kernel
T = 1e-3


def held(x, v, force, mass=0.1, b=0.5, dt=T):
    """Exact motion of a damped mass under a constant force for dt."""
    decay = np.exp(-b / mass * dt)
    end = force / b
    return x + end * dt + (v - end) * mass / b * (1 - decay), end + (v - end) * decay


def wall_hit(rig, K, phase, steps=400):
    """A mass at 0.1 m/s into a wall of stiffness K; (speed out / in, work of the wall on the mass)."""
    x, v, work = -phase * T * 0.1, 0.1, 0.0
    for _ in range(steps):
        rig.sample[SAMPLE_POSITION], rig.sample[SAMPLE_VELOCITY] = x, v
        force = rig.tick([-K * x if x > 0 else 0.0, 0, 0, 0, 0, 0])[0]
        start = x
        x, v = held(x, v, force)
        work += force * (x - start)
        if x < 0 and v < 0:
            break
    rig.sample[SAMPLE_POSITION], rig.sample[SAMPLE_VELOCITY] = x, v
    rig.tick()
    return -v / 0.1, work


def rig_of(**safety):
    return Rig(safety={"slew": 1e6, "force": 10.0, "workspace_margin": 0.0, **safety})


@pytest.mark.parametrize("K", [500, 1000, 2000, 4000])
def test_account_is_the_work_done_to_the_last_digit(K):
    for phase in (0.1, 0.5, 0.9):
        rig = rig_of()
        _, work = wall_hit(rig, K, phase)
        assert rig.memory[g.MEMORY_ENERGY] == pytest.approx(-work, rel=1e-9, abs=1e-15)


def test_stiff_sampled_wall_is_seen_as_active():
    """0.1 kg at 0.1 m/s, b 0.5: at 4000 N/m -174 uJ in the mean over the phases, at 500 N/m less than a third of it."""
    stiff, soft = [], []
    for phase in np.linspace(0.05, 0.95, 19):
        rig = rig_of()
        wall_hit(rig, 4000, phase)
        stiff.append(rig.memory[g.MEMORY_ENERGY])
        rig = rig_of()
        wall_hit(rig, 500, phase)
        soft.append(rig.memory[g.MEMORY_ENERGY])
    assert np.mean(stiff) == pytest.approx(-174e-6, rel=0.02)
    assert np.mean(soft) == pytest.approx(-52e-6, rel=0.02)


def test_controller_takes_the_activity_away():
    ratios = {}
    for mode in ("observe", "control"):
        ratios[mode] = np.mean([wall_hit(rig_of(passivity=mode), 6000, p)[0] for p in np.linspace(0.1, 0.9, 9)])
    assert ratios["observe"] > 1.05 and ratios["control"] < ratios["observe"] - 0.04
    rig = rig_of(passivity="control")
    rig.memory[g.MEMORY_RESERVE] = -1.0
    rig.sample[SAMPLE_VELOCITY] = 0.1
    assert rig.tick()[0] == pytest.approx(-rig.limit[g.LIMIT_DAMPING] * 0.1) and rig.limited(LIMITED_PASSIVITY)


def test_old_dissipation_pays_for_nothing():
    rig = rig_of(passivity="control")
    for k in range(200):  # the hand works against a brake: a large positive account
        rig.sample[SAMPLE_POSITION] = 1e-4 * k
        rig.tick([-5.0, 0, 0, 0, 0, 0])
    assert rig.memory[g.MEMORY_ENERGY] > 0.09
    assert rig.memory[g.MEMORY_RESERVE] == rig.limit[g.LIMIT_RESERVE] == pytest.approx(0.5 * 100 / 3000)


def test_torque_counts_with_the_turn():
    rig = rig_of()
    rig.tick([0, 0, 0, 0, 0, 0.3])
    angle = 0.02
    rig.sample[SAMPLE_Q : SAMPLE_Q + 4] = 0, 0, np.sin(angle / 2), np.cos(angle / 2)
    rig.tick()
    assert rig.memory[g.MEMORY_ENERGY] == pytest.approx(-0.3 * angle, rel=1e-9)
    rig.sample[SAMPLE_Q : SAMPLE_Q + 4] *= -1  # the same orientation: no turn, no energy
    before = rig.memory[g.MEMORY_ENERGY]
    rig.tick()
    assert rig.memory[g.MEMORY_ENERGY] == pytest.approx(before, abs=1e-15)


def test_missing_samples_book_the_mean_of_what_was_given():
    rig = rig_of()
    rig.tick([1.0, 0, 0, 0, 0, 0])
    rig.tick([2.0, 0, 0, 0, 0, 0], code=SAMPLE_NONE)
    rig.sample[SAMPLE_POSITION] = 0.01
    rig.tick()
    assert rig.memory[g.MEMORY_ENERGY] == pytest.approx(-1.5 * 0.01)


def test_device_that_answers_a_tick_late_is_booked_a_tick_late():
    rig = rig_of()
    rig.limit[g.LIMIT_LAG] = 1
    for force, x in ((3.0, 0.0), (0.0, 0.0), (0.0, 0.001), (0.0, 0.001)):
        rig.sample[SAMPLE_POSITION] = x
        rig.tick([force, 0, 0, 0, 0, 0])
    assert rig.memory[g.MEMORY_ENERGY] == pytest.approx(-3.0 * 0.001)


def test_what_the_driver_rendered_counts_and_nonsense_is_left_out():
    rig = rig_of()
    rig.tick([5.0, 0, 0, 0, 0, 0])
    rig.memory[g.MEMORY_HELD : g.MEMORY_HELD + 6] = 0
    rig.word[g.WORD_HELD] = 0
    rig.safety.wrench[g.WRENCH_RENDERED] = 2.0, np.nan, np.inf, 0, 0, 0
    hold(rig.safety)
    rig.sample[SAMPLE_POSITION : SAMPLE_POSITION + 3] = 0.01, 0.01, 0.01
    rig.word[g.WORD_FRESH] = 1
    rig.word[g.WORD_SAMPLES] = 2
    rig.safety.sample[:] = rig.sample
    observe(rig.safety)
    assert rig.memory[g.MEMORY_ENERGY] == pytest.approx(-0.02)


def test_random_passive_hand_never_makes_it_active():
    """Property 13: a hand on a soft damped wall within b > K T/2: the account stays above the rounding."""
    random = np.random.default_rng(4)
    rig = rig_of()
    x, v, lowest = -0.001, 0.0, 0.0
    for _ in range(500 if numba.config.DISABLE_JIT else 5000):
        rig.sample[SAMPLE_POSITION], rig.sample[SAMPLE_VELOCITY] = x, v
        wall = rig.tick([-500.0 * x - 0.1 * v if x > 0 else 0.0, 0, 0, 0, 0, 0])[0]
        x, v = held(x, v, wall + random.normal() - 50 * x, b=2.0)
        lowest = min(lowest, rig.memory[g.MEMORY_ENERGY])
    # beyond what the spring gives back, the hold gives at most K T/2 v^2 a tick: far less than b v^2, and a bounded sum
    assert lowest > -1e-3
