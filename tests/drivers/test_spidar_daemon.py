"""The emulated SPIDAR under a whole daemon: what the firmware saw, in its own frames, when it goes wrong.

Numbers of the rows are those of the fault table. Rows 6-10 and 13 are tried byte by byte in test_spidar.py,
test_spidar_frame.py and test_spidar_faults.py. The protocol carries neither a time (row 4), nor a dead-man's switch
(43; it is in HID PID, test_hid_pid.py), nor a temperature (44; tests/kernel/guard).
"""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import LIMITED_DELAY
from tests.emulators.rig import REAL_TIME, wait_for
from tests.emulators.spidar_rig import SpidarRig
from tests.test_daemon import PATIENT, SILENT_AT_5

pytestmark = REAL_TIME


def after(rig, tick):
    """Currents from that tick of the firmware on, one row per cycle."""
    return np.array([units for at, units in sorted(rig.currents().items()) if at >= tick])


def test_row_1_unplugged_and_plugged_in_again(tmp_path):
    with SpidarRig(tmp_path, loop=PATIENT) as rig:
        rig.press()
        rig.emulator.say("unplug")
        rig.wait_mode("FAULT")
        assert rig.mode() == ("FAULT", "LINK_LOST")
        rig.emulator.close()
        rig.plug_in()
        tick = int(rig.slot()["tick"])
        wait_for(lambda: int(rig.slot()["tick"]) > tick + 200 or rig.daemon.poll() is not None, 30)
        assert rig.mode() == ("FAULT", "LINK_LOST")  # nothing arms by itself
        wait_for(lambda: len(after(rig, 0)) > 200, 10)
        assert not after(rig, 0).any()


def test_row_2_silent_device_decays_from_the_third_tick_and_is_off_at_the_fifth(tmp_path):
    with SpidarRig(tmp_path, loop=SILENT_AT_5, expects="SILENT") as rig:
        rig.press()
        tick = rig.say("off")
        rig.wait_mode("FAULT")
        assert rig.mode() == ("FAULT", "SILENT")
        wait_for(lambda: len(after(rig, tick)) > 50, 10)
        seen = after(rig, tick)
        first = int(np.argmax(~seen.any(axis=1)))
        # the answer of the cycle before was still on its way when the firmware fell silent
        assert 4 <= first <= 7 and not seen[first:].any()
        pull = seen[: first + 1].max(axis=1)
        assert pull[0] > 0 and np.all(np.diff(pull[2:]) <= 1)


def test_row_3_every_second_answer_lowers_the_stiffness(tmp_path):
    with SpidarRig(tmp_path, loop=PATIENT) as rig:
        rig.press()
        full = rig.slot()
        tick = int(full["tick"])
        rig.say("slow 2")
        wait_for(lambda: int(rig.slot()["tick"]) > tick + 400, 30)
        slot = rig.slot()
        assert rig.mode() == ("DEGRADED", "SLOW") and slot["word"][g.WORD_LIMITS] >> LIMITED_DELAY & 1
        # one sample in two: as if each were a period older, (T/2 + t_d) / (T/2 + t_d + T)
        own = 0.5e-3 + rig.attach().memory.note["device"]["delay"]
        gain = np.linalg.norm(slot["wrench"][g.WRENCH_SENT, :3]) / np.linalg.norm(slot["wrench"][g.WRENCH_WANTED, :3])
        assert gain == pytest.approx(own / (own + 1e-3), rel=0.1)


def test_row_5_one_answer_in_ten_lost_is_no_fault(tmp_path):
    with SpidarRig(tmp_path, loop=PATIENT) as rig:
        rig.press()
        before = int(rig.slot()["word"][g.WORD_MISSED])
        rig.say("intermittent 0.1")
        tick = int(rig.slot()["tick"])
        wait_for(lambda: int(rig.slot()["tick"]) > tick + 1000, 30)
        missed = int(rig.slot()["word"][g.WORD_MISSED]) - before
        assert rig.mode()[0] == "ACTIVE" and 60 < missed < 160


def test_row_11_stuck_encoder(tmp_path):
    with SpidarRig(tmp_path, loop=PATIENT) as rig:
        rig.press()
        rig.say("stuck 3")
        rig.emulator.say("target 0.01 0.006 -0.02")
        rig.wait_mode("FAULT", 30)
        assert rig.mode() == ("FAULT", "ENCODER")
        wait_for(lambda: not after(rig, 0)[-20:].any(), 10)
        assert not after(rig, 0)[-20:].any()


def test_row_12_jump_of_a_counter_moves_nothing(tmp_path):
    with SpidarRig(tmp_path, loop=PATIENT) as rig:
        rig.press()
        tick = rig.say("wrong 2 1024")
        rig.wait_mode("FAULT", 30)
        assert rig.mode()[1] in ("ENCODER", "REFUSED")
        wait_for(lambda: len(after(rig, tick)) > 50, 10)
        calm = after(rig, tick - 50)[:50].max(axis=0)
        seen = after(rig, tick)
        first = int(np.argmax(~seen.any(axis=1)))
        assert 2 <= first <= 5 and not seen[first:].any()
        assert np.all(seen[:first] <= calm + 40)  # no spike: 1 % of full scale
