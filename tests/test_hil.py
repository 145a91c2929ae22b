"""Hardware in the loop: the recorded motion through driver, servo and guard in real time, on an emulated SPIDAR."""

import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from hapticd.channel import CHANNELS, COMMAND, TICK
from hapticd.cli import hapticd
from hapticd.errors import DeviceError, LogError
from hapticd.hil import Limits, best_lag, judge, overlaid, player, run_config
from hapticd.logfile import LogReader
from hapticd.logtool.columns import load
from hapticd.logtool.rewrite import new_log
from tests.emulators.rig import REAL_TIME
from tests.emulators.spidar_session import record_spidar
from tests.oracle.session import ROOT

pytestmark = REAL_TIME
PLAYER = f"{sys.executable} -m tests.emulators.spidar --motion {{motion}}"


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return record_spidar(tmp_path_factory.mktemp("spidar"), 2400)


def call(*arguments: object) -> dict:
    result = CliRunner().invoke(hapticd, ["hil", *map(str, arguments), "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return {**json.loads(result.stdout), "code": result.exit_code}


def test_a_run_laid_over_itself_passes_and_another_force_fails(log, tmp_path):
    reader = LogReader(log)
    result, a, b = judge(reader, reader, Limits())
    assert result.lag == 0 and len(a) == len(b) == result.ticks > 2300
    assert result.values["force_rms"] == result.values["position_rms"] == 0.0
    assert result.passed or result.failed == ["missed"]  # an emulator that was late once or twice
    place = 4 + CHANNELS[TICK].head.fields["wrench_sent"][1]
    with new_log(tmp_path / "other.mcap", reader) as writer:
        for m in reader.messages():
            data = m.data if m.topic != TICK else m.data[:place] + bytes(48) + m.data[place + 48 :]
            writer.add(m.topic, m.time, data)
    result, _, _ = judge(reader, LogReader(tmp_path / "other.mcap"), Limits())
    assert {"force_rms", "force_peak"} <= set(result.failed) and result.values["force_peak"] > 0.9


def test_the_motion_goes_through_driver_and_servo(log, tmp_path, monkeypatch):
    """In real time; on a busy machine the emulator may be late, so force and punctuality are told, not judged."""
    monkeypatch.chdir(ROOT)
    wide = (
        "--inactive",
        1.0,
        "--missed",
        1.0,
        "--wake-p99",
        10.0,
        "--force-rms",
        1.5,
        "--force-peak",
        3.0,
        "--position-rms",
        1.0,
    )
    found = call(log, "--player", PLAYER, "--keep", tmp_path / "new.mcap", "--plot", tmp_path / "a.png", *wide)
    assert found["passed"] and found["code"] == 0, found
    assert found["ticks"] > 1800 and (tmp_path / "a.png").stat().st_size > 5000
    old, new = (load(LogReader(path), (TICK, COMMAND)) for path in (log, tmp_path / "new.mcap"))
    assert len(new[TICK].messages) > 2000
    assert np.array_equal(new[COMMAND].rows["row"], old[COMMAND].rows["row"])  # the recorded commands came
    assert call(log, "--player", PLAYER, *wide, "--wake-p99", 1e-9)["failed"] == ["wake_p99"]


def test_a_player_that_is_not_ready_is_told(tmp_path):
    with pytest.raises(DeviceError, match="did not say"), player("echo no", tmp_path / "motion.npy"):
        pass


def test_the_config_is_that_of_the_log(log):
    config = run_config(LogReader(log), {"port": "/dev/other"})
    assert config.device.driver == "spidar" and config.device.options["port"] == "/dev/other"
    assert config.mount.position == (-0.08, 0.0, 0.15) and config.scene["name"] == "six_blocks"
    reader = LogReader(log)
    del reader.files["run.json"]
    with pytest.raises(LogError, match="no run config"):
        run_config(reader, {})


@pytest.mark.parametrize("lag", [-37, 0, 5])
def test_the_shift_is_found_by_the_motion(lag):
    motion = np.cumsum(np.random.default_rng(1).normal(size=(600, 3)), axis=0)
    was, now = (
        (motion[:500], motion[37:537]) if lag == -37 else (motion[5:], motion[:500]) if lag == 5 else (motion, motion)
    )
    assert best_lag(was, now) == lag
    assert np.array_equal(*overlaid(was, now, lag))
