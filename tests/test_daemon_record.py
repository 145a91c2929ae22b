"""A daemon that records, killed with all its processes: what is lost of the log, and that the rest can be replayed."""

import os
import signal

from click.testing import CliRunner

from hapticd.channel import TICK, tick_of
from hapticd.cli import hapticd
from hapticd.logfile import LogReader
from hapticd.replay import Replay
from tests.emulators.rig import REAL_TIME, Rig, wait_for
from tests.test_daemon import PATIENT

pytestmark = REAL_TIME
LOST_TICKS = 250  # the flush interval at 1 kHz


def test_rows_24_and_41_all_killed_at_most_250_ticks_of_the_log_are_lost(tmp_path):
    logs = tmp_path / "logs"
    with Rig(tmp_path, loop=PATIENT, options=("--record", str(logs))) as rig:
        rig.wait_mode("ACTIVE")
        wait_for(lambda: int(rig.slot()["tick"]) > 1500, 30)
        os.killpg(rig.daemon.pid, signal.SIGKILL)
        rig.daemon.wait()
        newest = int(rig.slot()["tick"])  # the ring stays readable
        (path,) = logs.glob("*.mcap")
        last = max(tick_of(message.data) for message in LogReader(path).messages() if message.topic == TICK)
        assert newest - LOST_TICKS <= last <= newest
        result = CliRunner().invoke(hapticd, ["log", "recover", str(path), str(tmp_path / "whole.mcap")])
        assert result.exit_code == 0, result.output
        whole = LogReader(tmp_path / "whole.mcap")
        verdict = Replay(whole, driver=False).run()  # the test rig's driver is not installed here
        assert verdict.identical and verdict.last_tick == last and whole.damage is None
