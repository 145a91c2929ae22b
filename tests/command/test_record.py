"""`hapticd record`, `--record` on run, and what a recording holds beside its ticks."""

import json
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from hapticd.cli import hapticd
from hapticd.config import RunConfig
from hapticd.logfile import LogReader
from hapticd.recording import RUN_NAME, config_table, new_path
from hapticd.replay import Replay
from hapticd.schema import read_table
from tests.oracle.session import Session, table

CONFIG = """scene = "{scene}"
[device]
driver = "virtual"
arm_on_start = true
[capacity]
bodies = 16
parts = 32
vertices = 512
pairs = 128
[sockets]
state = []
"""


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


@pytest.fixture
def running(tmp_path):
    """`hapticd run --record` as a user starts it."""
    from hapticd.inspection import config_folder

    (tmp_path / "lab.toml").write_text(CONFIG.format(scene=config_folder() / "scene" / "six_blocks.toml"))
    code = "from hapticd.cli import main; main()"
    arguments = [
        "run",
        tmp_path / "lab.toml",
        "--folder",
        tmp_path / "run",
        "--record",
        tmp_path / "logs",
        "--allow-non-rt",
    ]
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stderr=subprocess.PIPE, text=True)
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    process.stderr.close()


def test_a_run_is_recorded_from_its_first_tick_and_replays(running, tmp_path):
    wait_for(lambda: list((tmp_path / "logs").glob("*.mcap")) or running.poll() is not None)
    wait_for(lambda: any(path.stat().st_size > 200_000 for path in (tmp_path / "logs").glob("*.mcap")))
    beside = CliRunner().invoke(
        hapticd, ["record", str(tmp_path / "b.mcap"), "--seconds", "1", "--folder", str(tmp_path / "run")]
    )
    assert beside.exit_code == 0 and "ticks" in beside.output, beside.output
    running.send_signal(signal.SIGTERM)
    assert running.wait(20) == 0, running.stderr.read()
    [path] = (tmp_path / "logs").glob("*.mcap")
    reader = LogReader(path)
    verdict = Replay(reader).run()
    assert verdict.identical and verdict.first_tick == 0 and verdict.ticks > 200 and reader.closed
    assert b"arm_on_start = true" in reader.files["config.toml"] and b"six_blocks" in reader.files["scene.toml"]
    assert reader.header["device"]["driver"] == "virtual" and reader.header["build"]["numba"]
    other = LogReader(tmp_path / "b.mcap")
    assert len(list(other.messages())) > 100 and other.closed


def test_without_a_daemon_there_is_nothing_to_record(tmp_path):
    result = CliRunner().invoke(hapticd, ["record", str(tmp_path / "a.mcap"), "--folder", str(tmp_path / "none")])
    assert result.exit_code != 0 and "no daemon to record" in str(result.exception)


def test_the_config_in_a_log_makes_the_same_config(tmp_path):
    config = read_table(RunConfig, table())
    again = read_table(RunConfig, json.loads(json.dumps(config_table(config), default=str)))
    assert again.capacity == config.capacity and again.mount == config.mount and again.safety == config.safety
    assert dict(again.scene) == json.loads(json.dumps(dict(config.scene)))
    assert again.device.driver == "virtual" and len(again.device.options["path"]) == 6
    log = Session(tmp_path).run(100)
    assert RUN_NAME in LogReader(log).files


def test_names_of_logs_do_not_collide(tmp_path):
    first = new_path(tmp_path / "new")
    first.touch()
    second = new_path(tmp_path / "new")
    assert second != first and second.suffix == ".mcap" and list((tmp_path / "new").iterdir()) == [first]
