"""`hapticd replay` as a user and as a script call it."""

import json

import pytest
from click.testing import CliRunner, Result

from hapticd.channel import CHANNELS, TICK, tick_of
from hapticd.cli import hapticd
from hapticd.logfile import LogReader
from hapticd.logtool.rewrite import new_log
from tests.oracle.session import Session


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(hapticd, ["replay", *map(str, arguments)])


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return Session(tmp_path_factory.mktemp("session")).run(1200)


def test_identical_is_exit_code_0(log):
    result = replay(log)
    assert result.exit_code == 0 and "identical over" in result.output and "times real time" in result.output
    found = json.loads(replay(log, "--json", "--from", 600).stdout)
    assert found["identical"] and found["first_tick"] <= 600 and found["speed"] > 0


def test_a_difference_is_exit_code_1_and_named(log, tmp_path):
    place, reader = 4 + CHANNELS[TICK].head.fields["wrench_sent"][1], LogReader(log)
    with new_log(tmp_path / "b.mcap", reader) as writer:
        for m in reader.messages():
            data = bytearray(m.data)
            if m.topic == TICK and tick_of(m.data) == 850:
                data[place] ^= 1
            writer.add(m.topic, m.time, bytes(data))
    result = replay(tmp_path / "b.mcap")
    assert result.exit_code == 1 and "tick 850: wrench_sent[0]" in result.output and "likely:" in result.output


def test_what_if_tells_the_difference(log, tmp_path):
    result = replay(log, "--set", "friction.mu=0.1", "--plot", tmp_path / "a.png")
    assert result.exit_code == 0 and "force rms" in result.output and "felt (more than 7%" in result.output
    assert (tmp_path / "a.png").stat().st_size > 5000
    assert "table" in json.loads(replay(log, "--solver", "point_penalty", "--json").stdout)
