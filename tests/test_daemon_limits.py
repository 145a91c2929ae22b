"""The guard's limits on the test rig: what the device got, frame by frame, when the hand or the world asks for more.

Numbers of the rows are those of the fault table. The limits themselves are tried in tests/kernel/guard; here they are
seen from the device's side, behind driver, servo and socket.
"""

import os
import signal

import numpy as np

import hapticd
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import LIMITED_FORCE, LIMITED_SLEW, LIMITED_THERMAL, LIMITED_VELOCITY
from hapticd.kernel.status import CONTACT_DEEP
from hapticd.words import MODES
from tests.emulators.rig import REAL_TIME, Rig, wait_for
from tests.test_daemon import PATIENT

pytestmark = REAL_TIME

Z, SPEED_X, SPEED_Z = 2, 7, 9  # cells of the device's answer
PRESSED = 600 * 0.004  # N, of the rig's hand in its floor


def since_word(rig):
    """Forces, one row per frame, from the last word that the device was told on."""
    frames = rig.frames()
    last = max(k for k, frame in enumerate(frames) if frame.kind == "word")
    return np.array([frame.wrench[:3] for frame in frames[last:] if frame.kind == "force"]).reshape(-1, 3)


def told(rig, cell, number, frames=100):
    """Tell the device, and wait until it has had so many frames since."""
    before = sum(frame.kind == "word" for frame in rig.frames())
    rig.set(cell, number)
    wait_for(lambda: sum(frame.kind == "word" for frame in rig.frames()) > before, 10)
    wait_for(lambda: len(since_word(rig)) >= frames, 30)
    return since_word(rig)


def limits(rig):
    return int(rig.slot()["word"][g.WORD_LIMITS])


def test_row_14_nan_and_infinity_from_the_device_reach_no_motor(tmp_path):
    for number in ("nan", "inf"):
        folder = tmp_path / number
        folder.mkdir()
        with Rig(folder, loop=PATIENT) as rig:
            rig.wait_mode("ACTIVE")
            found = told(rig, Z, number)
            assert rig.mode() == ("FAULT", "REFUSED")
            # the answer goes out behind a frame; three refused answers, the third is a fault and sends `off`
            assert np.isfinite(found).all() and np.flatnonzero(found.any(axis=1)).max(initial=-1) <= 4


def test_row_16_force_above_the_limit_is_clamped_with_its_direction(tmp_path):
    with Rig(tmp_path, loop=PATIENT, safety="force = 1.0") as rig:
        rig.wait_mode("ACTIVE")
        found = told(rig, SPEED_X, 0.05)  # drags along the floor: friction adds a side to the force
        norm = np.linalg.norm(found, axis=1)
        assert norm.max() <= 1.0 + 1e-6 and norm[-1] > 0.999
        slots = rig.slots()[-50:]
        wanted, sent = slots["wrench"][:, g.WRENCH_WANTED, :3], slots["wrench"][:, g.WRENCH_SENT, :3]
        along = (wanted * sent).sum(axis=1) / np.linalg.norm(wanted, axis=1) / np.linalg.norm(sent, axis=1)
        assert along.min() > 0.9999 and np.abs(sent[:, 0]).min() > 0.1 and np.linalg.norm(wanted, axis=1).min() > 2.0
        assert limits(rig) >> LIMITED_FORCE & 1


def test_row_17_force_step_obeys_the_slew_limit(tmp_path):
    with Rig(tmp_path, loop=PATIENT, safety="force = 5.0\nslew = 100") as rig:
        rig.wait_mode("ACTIVE")
        told(rig, Z, 0.02)  # out of the floor
        assert np.abs(since_word(rig)[-1]).max() == 0.0
        found = told(rig, Z, 0.006, 60)  # 4 mm into it at once
        steps = np.linalg.norm(np.diff(found, axis=0), axis=1)
        assert 0.099 < steps.max() <= 0.1 + 1e-6 and abs(found[-1, 2] - PRESSED) < 0.1
        slots = rig.slots()
        assert np.any(slots["word"][:, g.WORD_LIMITS] >> LIMITED_SLEW & 1)


def test_row_18_a_thrown_handle_is_let_go(tmp_path):
    with Rig(tmp_path, loop=PATIENT) as rig:
        rig.wait_mode("ACTIVE")
        found = told(rig, SPEED_Z, -1.6)  # above the limit of 1 m/s, below the fault at 2
        assert rig.mode()[0] == "ACTIVE" and limits(rig) >> LIMITED_VELOCITY & 1
        assert np.allclose(found[3:], [0, 0, 1.6], atol=1e-6)  # damping by the device's b of 1 Ns/m, and nothing else
        assert told(rig, SPEED_Z, 0.0)[-1, 2] > 1.0
        found = told(rig, SPEED_Z, -2.5)
        assert rig.mode() == ("FAULT", "VELOCITY")
        assert np.flatnonzero(found.any(axis=1)).max(initial=-1) <= 2


def test_row_19_a_force_that_is_held_falls_to_what_the_motors_bear(tmp_path):
    with Rig(tmp_path, loop=PATIENT, safety="force = 2.6\nforce_continuous = 1.5\nthermal_time = 0.3") as rig:
        rig.wait_mode("ACTIVE")
        wait_for(lambda: rig.slot()["tick"] > 2500, 60)
        found = np.array([frame.wrench[2] for frame in rig.frames() if frame.kind == "force"])
        assert found.max() > 0.9 * PRESSED  # at first all of it
        assert np.sqrt(np.mean(found[-1000:] ** 2)) <= 1.5 * 1.001 and np.median(found[-1000:]) > 1.4
        assert limits(rig) >> LIMITED_THERMAL & 1


def test_row_38_another_scene_while_in_contact_begins_from_zero(tmp_path):
    with Rig(tmp_path, loop=PATIENT) as rig:
        rig.wait_mode("ACTIVE")
        wait_for(lambda: abs(rig.slot()["wrench"][g.WRENCH_SENT, 2]) > 1.0, 10)
        scene = rig.config.read_text().partition('name = "press"')[2].replace("[scene.", "[").replace("[[scene.", "[[")
        with hapticd.Client(rig.run_folder) as client:
            tick = client.command("load", text=scene).tick
        wait_for(lambda: rig.slot()["tick"] > tick + 400, 30)
        slots = rig.slots()
        slots = slots[slots["tick"] >= tick - 5]
        force, mode = slots["wrench"][:, g.WRENCH_SENT, 2], slots["word"][:, g.WORD_MODE]
        assert np.all(force[:5] > 1.0) and force[5] == 0.0 and MODES[int(mode[5])] == "ARMING"
        steps = np.diff(force[5:300])
        assert steps.min() > -1e-3 and steps.max() < 0.03 and force[300] > 1.0
        # the same at the device: never a jump up
        seen = np.array([frame.wrench[2] for frame in rig.frames() if frame.kind == "force"])
        assert np.diff(seen).max() < 0.03


def test_row_47_a_handle_deep_inside_a_body_is_pushed_out_by_a_bounded_force(tmp_path):
    with Rig(tmp_path, loop=PATIENT) as rig:
        rig.wait_mode("ACTIVE")
        for height in (0.0, -0.006, -0.012, -0.018, -0.024, -0.03):  # the tool is 20 mm, the floor 100 mm thick
            told(rig, Z, height, 10)
        found = told(rig, Z, -0.036, 60)
        assert int(rig.slot()["word"][g.WORD_STATUS]) == CONTACT_DEEP and rig.mode()[0] == "ACTIVE"
        seen = np.array([frame.wrench[:3] for frame in rig.frames() if frame.kind == "force"])
        assert np.linalg.norm(seen, axis=1).max() <= 5.0 + 1e-5
        assert np.linalg.norm(np.diff(seen, axis=0), axis=1).max() <= 3.0 + 1e-5  # K_max v_max of a tick
        assert np.all(found[:, 2] > 1.0)  # the way out is the way it came


def test_row_46_all_processes_killed_and_the_next_start_silences_first(tmp_path):
    with Rig(tmp_path, loop=PATIENT) as rig:
        rig.wait_mode("ACTIVE")
        wait_for(lambda: rig.frames()[-1].wrench[2] > 1.0, 10)
        os.killpg(rig.daemon.pid, signal.SIGKILL)
        rig.daemon.wait()
        before = rig.frames()
        assert before[-1].wrench[2] > 1.0  # without a watchdog the device holds its force: README says so
        rig.start()
        wait_for(lambda: int(rig.slot()["tick"]) > 100, 60)
        fresh = rig.frames()[len(before) :]
        assert fresh[0].kind == "off" and not any(frame.wrench[2] for frame in fresh)
        assert rig.mode() == ("FAULT", "UNCLEAN")
