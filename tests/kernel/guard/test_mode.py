"""The modes: what faults, after how many ticks, with which cause; what latches; what comes back by itself."""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import (
    ACTIVE,
    ARMING,
    CAUSE_DEADMAN,
    CAUSE_ENCODER,
    CAUSE_GAP,
    CAUSE_HEAT,
    CAUSE_LATE,
    CAUSE_LEAVE,
    CAUSE_NUMERIC,
    CAUSE_OVERRUN,
    CAUSE_RECOVERED,
    CAUSE_REFUSED,
    CAUSE_SERVICE,
    CAUSE_SILENT,
    CAUSE_SLOW,
    CAUSE_STOP,
    CAUSE_VELOCITY,
    CAUSE_WARM,
    DEGRADED,
    EVENT_GAP,
    EVENT_MODE,
    EVENT_OVERRUN,
    FAULT,
    IDLE,
    LIMITED_DELAY,
    LIMITED_HEAT,
    LIMITED_RAMP,
    LIMITED_STALE,
)
from hapticd.kernel.layout import SAMPLE_AGE, SAMPLE_HEAT, SAMPLE_HELD, SAMPLE_POSITION, SAMPLE_Q, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED
from tests.kernel.guard.rig import Rig

pytestmark = pytest.mark.kernel

PUSH = (4.0, 0, 0, 0, 0, 0)


def test_starts_in_fault_and_nothing_leaves_it():
    rig = Rig(mode=FAULT)
    for _ in range(50):
        assert not np.any(rig.tick(PUSH))
    assert rig.mode == FAULT


def test_ramp_starts_at_zero_and_takes_its_time():
    rig = Rig(mode=ARMING, safety={"ramp_ms": 200})
    forces = [rig.tick(PUSH)[0] for _ in range(250)]
    assert forces[0] == 0.0 and np.all(np.diff(forces[:201]) >= 0) and forces[100] == pytest.approx(2.0, abs=0.05)
    assert forces.index(4.0) >= 200 and rig.mode == ACTIVE
    assert not rig.limited(LIMITED_RAMP)


def test_fault_keeps_its_first_cause():
    rig = Rig()
    rig.tick(PUSH, stop=CAUSE_STOP)
    assert (rig.mode, rig.cause) == (FAULT, CAUSE_STOP) and rig.events() == [(EVENT_MODE, CAUSE_STOP, ACTIVE, FAULT)]
    rig.tick([np.nan] * 6)
    assert rig.cause == CAUSE_STOP and rig.events() == []


def test_stop_silences_in_the_same_tick():
    rig = Rig()
    assert rig.tick(PUSH)[0] > 0
    assert not np.any(rig.tick(PUSH, stop=CAUSE_STOP))


def test_silence_decays_from_the_third_tick_and_faults_at_the_fifth():
    rig = Rig(safety={"slew": 1e6})
    assert rig.tick(PUSH)[0] == 4.0
    forces = [rig.tick(PUSH, code=SAMPLE_NONE)[0] for _ in range(5)]
    assert forces == pytest.approx([4.0, 4.0, 4.0 * 2 / 3, 4.0 / 3, 0.0])
    assert (rig.mode, rig.cause) == (FAULT, CAUSE_SILENT) and rig.word[g.WORD_MISSED] == 5


def test_decay_names_itself():
    rig = Rig()
    for _ in range(3):
        rig.tick(PUSH, code=SAMPLE_NONE)
    assert rig.limited(LIMITED_STALE)


def test_three_refused_samples_are_a_fault_two_are_not():
    rig = Rig()
    for code in (SAMPLE_REFUSED, SAMPLE_REFUSED, SAMPLE_OK, SAMPLE_REFUSED, SAMPLE_REFUSED):
        rig.tick(PUSH, code=code)
    assert rig.mode == ACTIVE
    rig.tick(PUSH, code=SAMPLE_REFUSED)
    assert (rig.mode, rig.cause) == (FAULT, CAUSE_REFUSED) and rig.word[g.WORD_REFUSED] == 5


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308, -np.inf])
@pytest.mark.parametrize("cell", [SAMPLE_POSITION, SAMPLE_Q + 1, SAMPLE_VELOCITY + 2, SAMPLE_HEAT, SAMPLE_AGE])
def test_sample_with_a_bad_number_is_refused_whatever_the_driver_says(bad, cell):
    rig = Rig()
    rig.tick(PUSH)
    kept = rig.memory.copy()
    rig.sample[cell] = bad
    sent = rig.tick(PUSH)
    assert rig.word[g.WORD_REFUSED] == 1 and rig.word[g.WORD_FRESH] == 0
    assert rig.mode == ACTIVE and sent[0] == 4.0  # the last good one holds
    assert np.all(np.isfinite(rig.memory))
    assert rig.memory[g.MEMORY_ENERGY] == kept[g.MEMORY_ENERGY]


def test_quaternion_that_is_none_is_refused():
    rig = Rig()
    rig.sample[SAMPLE_Q : SAMPLE_Q + 4] = 0.0
    rig.tick(PUSH)
    assert rig.word[g.WORD_REFUSED] == 1


def test_encoder_fault_at_once():
    rig = Rig()
    assert not np.any(rig.tick(PUSH, code=SAMPLE_ENCODER)) and (rig.mode, rig.cause) == (FAULT, CAUSE_ENCODER)


def test_ten_percent_loss_stays_active_and_is_counted():
    rig, random = Rig(), np.random.default_rng(8)
    lost = random.random(3000) < 0.1
    for k in range(4, len(lost)):
        lost[k] &= not lost[k - 4 : k].all()  # five in a row are another fault
    for gone in lost:
        rig.tick(PUSH, code=SAMPLE_NONE if gone else SAMPLE_OK)
        assert rig.mode == ACTIVE
    assert rig.word[g.WORD_MISSED] == lost.sum()


def test_half_the_rate_degrades_and_lowers_the_stiffness():
    """Fault row 3: K (T/2) / (T/2 + t) with t the mean wait for a sample."""
    rig = Rig(safety={"slew": 1e6})
    for k in range(50):
        force = rig.tick(PUSH, code=SAMPLE_OK if k % 2 else SAMPLE_NONE)[0]
    assert (rig.mode, rig.cause) == (DEGRADED, CAUSE_SLOW) and rig.limited(LIMITED_DELAY)
    for k in range(100):
        force = rig.tick(PUSH, code=SAMPLE_OK if k % 2 else SAMPLE_NONE)[0]
    assert force == pytest.approx(4.0 * 0.5 / 1.5)


def test_late_samples_degrade_and_recover_after_a_second():
    rig = Rig(safety={"slew": 1e6})
    rig.sample[SAMPLE_AGE] = 0.002
    assert rig.tick(PUSH)[0] == pytest.approx(4.0 * 0.5 / 2.5)
    assert (rig.mode, rig.cause) == (DEGRADED, CAUSE_LATE)
    rig.sample[SAMPLE_AGE] = 0.0
    for _ in range(999):
        rig.tick(PUSH)
    assert rig.mode == DEGRADED
    rig.tick(PUSH)
    assert (rig.mode, rig.cause) == (ACTIVE, CAUSE_RECOVERED)


def test_device_heat_warns_limits_and_faults():
    """Fault row 44."""
    rig = Rig(safety={"slew": 1e6})
    rig.sample[SAMPLE_HEAT] = 0.85
    assert rig.tick(PUSH)[0] == 4.0 and (rig.mode, rig.cause) == (DEGRADED, CAUSE_WARM)
    rig.sample[SAMPLE_HEAT] = 0.95
    assert rig.tick(PUSH)[0] == pytest.approx(2.0) and rig.limited(LIMITED_HEAT)
    rig.sample[SAMPLE_HEAT] = 1.0
    assert not np.any(rig.tick(PUSH)) and (rig.mode, rig.cause) == (FAULT, CAUSE_HEAT)


def test_thrown_handle_is_a_fault():
    rig = Rig(safety={"speed_fault": 2.0})
    rig.sample[SAMPLE_VELOCITY + 1] = 2.1
    assert not np.any(rig.tick(PUSH)) and (rig.mode, rig.cause) == (FAULT, CAUSE_VELOCITY)


def test_released_deadman_takes_the_force_away_until_armed_again():
    rig = Rig()
    rig.sample[SAMPLE_HELD] = 0.0
    assert not np.any(rig.tick(PUSH)) and (rig.mode, rig.cause) == (IDLE, CAUSE_DEADMAN)
    rig.sample[SAMPLE_HELD] = 1.0
    for _ in range(10):
        assert not np.any(rig.tick(PUSH))


def test_one_late_tick_is_counted_and_forgiven():
    rig = Rig()
    assert rig.tick(PUSH, gap=1)[0] > 0  # the force goes on
    assert rig.word[g.WORD_OVERRUNS] == 1 and rig.word[g.WORD_SKIPPED] == 1 and rig.word[g.WORD_LEAK] == 1
    assert rig.events() == [(EVENT_OVERRUN, 1, 1, 0)]
    for _ in range(100):
        rig.tick(PUSH)
    assert rig.word[g.WORD_LEAK] == 0 and rig.word[g.WORD_OVERRUNS] == 1 and rig.mode == ACTIVE


def test_overrun_burst_faults_at_the_twentieth():
    """Fault row 22: every fifth tick late."""
    rig, late = Rig(), 0
    for k in range(1000):
        rig.tick(PUSH, gap=1 if k % 5 == 4 else 0)
        late += k % 5 == 4
        if rig.mode == FAULT:
            break
    assert late == 20 and rig.cause == CAUSE_OVERRUN


def test_rare_late_ticks_never_fault():
    rig = Rig()
    for k in range(20_000):
        rig.tick(PUSH, gap=1 if k % 101 == 100 else 0)
    assert rig.mode == ACTIVE and rig.word[g.WORD_OVERRUNS] == 198


def test_gap_starts_the_force_from_zero():
    """Fault row 21."""
    rig = Rig()
    for _ in range(10):
        rig.tick(PUSH)
    assert rig.tick(PUSH, gap=6)[0] == 0.0
    assert (rig.mode, rig.cause) == (ARMING, CAUSE_GAP) and (EVENT_GAP, 6, 0, 0) in rig.events()
    forces = [rig.tick(PUSH)[0] for _ in range(600)]
    assert forces[0] < 0.05 and np.all(np.diff(forces) >= 0) and forces[-1] == 4.0 and rig.mode == ACTIVE


def test_second_gap_in_the_ramp_starts_it_again():
    rig = Rig()
    rig.tick(PUSH, gap=6)
    for _ in range(200):
        force = rig.tick(PUSH)[0]
    assert force > 1.0 and rig.tick(PUSH, gap=6)[0] == 0.0


def test_long_gap_is_a_fault():
    rig = Rig()
    assert not np.any(rig.tick(PUSH, gap=20)) and (rig.mode, rig.cause) == (FAULT, CAUSE_GAP)


def test_leaving_ramps_to_zero_in_fifty_ticks():
    """Fault row 26, the servo's part."""
    rig = Rig()
    for _ in range(10):
        rig.tick(PUSH)
    forces = [rig.tick(PUSH, leave=1)[0] for _ in range(55)]
    assert 3.8 < forces[0] < 4.0 and np.all(np.diff(forces) <= 0) and forces[49] == 0.0
    assert (rig.mode, rig.cause) == (IDLE, CAUSE_LEAVE)


def test_lost_service_degrades_without_touching_the_force():
    rig = Rig()
    rig.tick(PUSH)
    rig.tick(PUSH)
    assert rig.tick(PUSH, degrade=CAUSE_SERVICE)[0] == 4.0 and (rig.mode, rig.cause) == (DEGRADED, CAUSE_SERVICE)


def test_numeric_fault_is_an_event():
    rig = Rig()
    rig.tick([np.nan] * 6)
    assert rig.events() == [(EVENT_MODE, CAUSE_NUMERIC, ACTIVE, FAULT)]
