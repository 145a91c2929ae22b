"""The guard's settings: the tighter of config and device, in the units of the kernel."""

import math

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import CAUSE_START, FAULT
from hapticd.safety import empty_safety, set_up
from tests.kernel.guard.rig import HAVE, Rig


def limits(rate_hz=1000, have=HAVE, **safety):
    return Rig(safety=safety, loop={"rate_hz": rate_hz}, have=have).limit


def having(**change):
    return type(HAVE)(**{**vars(HAVE), **change})


def test_the_smaller_of_config_and_device_holds():
    assert limits(force=3.0)[g.LIMIT_FORCE] == 3.0 and limits(force=30.0)[g.LIMIT_FORCE] == 10.0
    assert limits(torque=2.0)[g.LIMIT_TORQUE] == 1.0
    assert limits(speed_fault=9.0)[g.LIMIT_SPEED_FAULT] == 5.0
    assert limits(force_continuous=7.9)[g.LIMIT_CONTINUOUS] == 4.0
    assert limits(workspace_radius=0.02)[g.LIMIT_HALF : g.LIMIT_HALF + 3].tolist() == [0.02] * 3
    assert limits(workspace_radius=2.0)[g.LIMIT_HALF] == 0.1


@pytest.mark.parametrize("rate", [100, 1000, 4000])
def test_times_become_ticks(rate):
    cells = limits(rate, ramp_ms=400, stop_ramp_ms=50)
    assert cells[g.LIMIT_DT] == 1 / rate and cells[g.LIMIT_RAMP] == 0.4 * rate and cells[g.LIMIT_LEAVE] == 0.05 * rate
    assert cells[g.LIMIT_SLEW] == pytest.approx(3000.0 / rate)


def test_fading_turn_is_inside_the_workspace():
    cells = limits()
    assert cells[g.LIMIT_COS_OUTER] == pytest.approx(math.cos(0.75))
    assert cells[g.LIMIT_COS_OUTER] < cells[g.LIMIT_COS_INNER] < 1.0


def test_device_without_torque_or_turn():
    cells = limits(
        have=having(torque_peak=0.0, torque_continuous=0.0, workspace=type(HAVE.workspace)((0,) * 3, (1,) * 3, 0))
    )
    assert 0 < cells[g.LIMIT_TORQUE] < 1e-6 and cells[g.LIMIT_COS_INNER] == cells[g.LIMIT_COS_OUTER] == 0.0


def test_delay_of_whole_ticks_shifts_the_account():
    assert limits(have=having(delay=0.0012))[g.LIMIT_LAG] == 1 and limits()[g.LIMIT_LAG] == 0
    assert limits(have=having(delay=1.0))[g.LIMIT_LAG] == g.LAGS - 1


def test_set_up_begins_in_fault_and_forgets_everything():
    rig = Rig()
    safety = empty_safety(2)
    for array in safety:
        array[...] = 7
    from hapticd.config import Device, RunConfig

    set_up(safety, RunConfig(device=Device(driver="none", options=None)), HAVE, may_arm=False)
    assert safety.word[g.WORD_MODE] == FAULT and safety.word[g.WORD_CAUSE] == CAUSE_START
    assert safety.limit[g.LIMIT_MAY_ARM] == 0.0 and rig.limit[g.LIMIT_MAY_ARM] == 1.0
    assert not np.any(safety.wrench) and safety.word[g.WORD_SAMPLES] == 0
