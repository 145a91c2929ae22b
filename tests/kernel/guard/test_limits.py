"""The guard's promise: whatever the numbers, what is sent is finite and within the limits, its direction kept."""

import numba
import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import (
    ACTIVE,
    CAUSE_NUMERIC,
    FAULT,
    IDLE,
    LIMITED_FINITE,
    LIMITED_FORCE,
    LIMITED_SLEW,
    LIMITED_THERMAL,
    LIMITED_TORQUE,
    LIMITED_VELOCITY,
)
from hapticd.kernel.layout import SAMPLE_VELOCITY
from tests.kernel.guard.rig import Rig

pytestmark = pytest.mark.kernel

RUNS = 300 if numba.config.DISABLE_JIT else 20_000
SPECIAL = np.array([np.nan, np.inf, -np.inf, 1e308, -1e308, 1.7e308, 5e-324, -5e-324, 0.0, -0.0, 1e-310, 1e154, 7.9])


def within(sent, rig):
    assert np.all(np.isfinite(sent))
    assert np.linalg.norm(sent[:3]) <= rig.limit[g.LIMIT_FORCE]
    assert np.linalg.norm(sent[3:]) <= rig.limit[g.LIMIT_TORQUE]


def test_any_number_leaves_finite_and_within_the_limits():
    rig, random = Rig(), np.random.default_rng(5)
    last, faults = np.zeros(6), 0
    for _ in range(RUNS):
        wanted = random.normal(size=6) * 10.0 ** random.uniform(-4, 6)
        for k in np.flatnonzero(random.random(6) < 0.3):
            wanted[k] = random.choice(SPECIAL)
        sent = rig.tick(wanted)
        within(sent, rig)
        if np.all(np.isfinite(wanted)):
            assert rig.mode == ACTIVE
            assert np.linalg.norm(sent[:3] - last[:3]) <= rig.limit[g.LIMIT_SLEW] * (1 + 1e-9)
        else:
            assert rig.mode == FAULT and rig.cause == CAUSE_NUMERIC and rig.limited(LIMITED_FINITE)
            assert not np.any(sent)
            faults += 1
            rig.word[g.WORD_MODE] = ACTIVE  # a person cleared it
        last = sent
    assert 0.2 < faults / RUNS < 0.9


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("cell", range(6))
def test_one_bad_number_is_a_fault_in_the_same_tick(bad, cell):
    rig = Rig()
    rig.tick([1, 0, 0, 0, 0, 0])
    wanted = np.ones(6)
    wanted[cell] = bad
    assert not np.any(rig.tick(wanted)) and (rig.mode, rig.cause) == (FAULT, CAUSE_NUMERIC)
    assert not np.any(rig.tick(np.ones(6))) and rig.mode == FAULT  # and it stays


def test_numbers_that_are_not_finite_fault_even_when_idle():
    rig = Rig(mode=IDLE)
    assert not np.any(rig.tick([np.nan] * 6)) and rig.mode == FAULT


def test_clamp_keeps_the_direction():
    random = np.random.default_rng(6)
    for _ in range(100):
        rig = Rig(safety={"slew": 1e9})
        wanted = random.normal(size=6) * 10.0 ** random.uniform(1, 300)
        sent = rig.tick(wanted)
        assert rig.limited(LIMITED_FORCE) and rig.limited(LIMITED_TORQUE)
        for part, cell in ((slice(0, 3), g.LIMIT_FORCE), (slice(3, 6), g.LIMIT_TORQUE)):
            unit = wanted[part] / np.max(np.abs(wanted[part]))
            cosine = unit @ sent[part] / np.linalg.norm(unit) / np.linalg.norm(sent[part])
            assert cosine > 1 - 1e-12
            assert np.linalg.norm(sent[part]) == pytest.approx(rig.limit[cell], rel=1e-12)


def test_below_the_limits_nothing_is_touched():
    rig, wanted = Rig(), np.array([1.25, -0.5, 0.75, 0.01, -0.02, 0.03])
    assert np.array_equal(rig.tick(wanted), wanted) and rig.word[g.WORD_LIMITS] == 0


def test_slew_limits_the_step_and_gets_there():
    rig = Rig(safety={"slew": 500.0})
    forces = [rig.tick([6, 0, 0, 0, 0, 0])[0] for _ in range(14)]
    assert np.allclose(np.diff([0.0, *forces])[:11], 0.5, atol=1e-12) and forces[-1] == 6.0
    assert not rig.limited(LIMITED_SLEW)


def test_default_slew_is_what_the_stiffest_wall_needs():
    rig = Rig(safety={"stiffness": 3000.0, "speed": 1.0})
    assert rig.limit[g.LIMIT_SLEW] == pytest.approx(3.0)


def test_thermal_limit_brings_a_held_force_down_to_the_continuous_one():
    """Fault row 19: 90 % of the peak held; from one time constant on never above what may be held for ever."""
    rig, forces, flagged = Rig(safety={"force": 10.0}), [], []
    for _ in range(3000):
        forces.append(rig.tick([9.0, 0, 0, 0, 0, 0])[0])
        flagged.append(rig.limited(LIMITED_THERMAL))
    assert forces[10] == 9.0 and not any(flagged[:100]) and all(flagged[1000:])
    assert max(forces[1000:]) <= 4.0 + 1e-9 and forces[-1] > 3.99
    # the budget itself: the heat of a first-order motor never passes that of the continuous force
    heat = 0.0
    for force in forces:
        heat += 1e-3 * ((force / 4.0) ** 2 - heat)
        assert heat <= 1.0 + 1e-9
    for _ in range(3000):
        rig.tick([0.0] * 6)
    assert rig.tick([3.0, 0, 0, 0, 0, 0])[0] == 3.0


def test_a_hand_that_is_too_fast_feels_damping_only():
    """Fault row 18, first limit: the force opposes the motion, whatever the world wants."""
    rig = Rig(safety={"speed": 1.0, "speed_fault": 2.0, "slew": 1e6})
    rig.sample[SAMPLE_VELOCITY] = 1.6
    sent = rig.tick([5.0, 3.0, 0, 0, 0, 0])
    assert rig.limited(LIMITED_VELOCITY) and rig.mode == ACTIVE
    assert sent[0] == pytest.approx(-2.0 * 1.6) and sent[1] == 0.0
    rig.sample[SAMPLE_VELOCITY] = 0.9
    assert rig.tick([5.0, 3.0, 0, 0, 0, 0])[0] == 5.0


def test_lowered_limit_holds_at_once():
    rig = Rig()
    for _ in range(5):
        rig.tick([7.0, 0, 0, 0, 0, 0])
    rig.limit[g.LIMIT_FORCE] = 2.0
    assert rig.tick([7.0, 0, 0, 0, 0, 0])[0] == pytest.approx(2.0) and rig.mode == ACTIVE
