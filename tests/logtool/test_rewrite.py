"""Recover and cut: whole files come out, with all that was whole, and holes are named."""

import numpy as np
import pytest

from hapticd.channel import CHANNELS, DROPOUT, DROPPED_CUT, DROPPED_DAMAGE, INPUTS, SNAPSHOT, TICK, tick_of
from hapticd.errors import LogError
from hapticd.logfile import LogReader
from hapticd.logtool.rewrite import cut, recover
from tests.oracle.testlog import record


@pytest.fixture
def log(tmp_path):
    return record(tmp_path, "whole.mcap", 1200)


def ticks(path, topic=TICK) -> list[int]:
    return [tick_of(m.data) for m in LogReader(path).messages() if m.topic == topic]


def dropouts(path) -> np.ndarray:
    return CHANNELS[DROPOUT].unpack([m.data for m in LogReader(path).messages() if m.topic == DROPOUT])


def test_a_cut_off_log_becomes_whole(log, tmp_path):
    content = log.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(content[: len(content) // 2])
    done = recover(LogReader(tmp_path / "cut.mcap"), tmp_path / "new.mcap")
    reader = LogReader(tmp_path / "new.mcap")
    assert list(reader.messages()) == list(LogReader(tmp_path / "cut.mcap").messages()) and reader.closed
    assert done.ticks == len(ticks(tmp_path / "new.mcap")) > 300 and done.first_tick == 0
    assert done.lost_ticks == 0 and "closing records" in done.damage
    assert reader.header["recovered_from"] == "cut.mcap" and reader.files["scene.toml"] == b"# none"


def test_a_hole_is_named(log, tmp_path):
    content = bytearray(log.read_bytes())
    # half of them: the index names each once more
    hits = [i for i in range(len(content)) if content.startswith(b"zstd", i)]
    content[hits[len(hits) // 4] + 100] ^= 1
    (tmp_path / "hole.mcap").write_bytes(content)
    done = recover(LogReader(tmp_path / "hole.mcap"), tmp_path / "new.mcap")
    [dropout] = dropouts(tmp_path / "new.mcap")
    missing = set(range(1200)) - set(ticks(tmp_path / "new.mcap", INPUTS))
    assert missing == set(range(dropout["tick"], dropout["tick"] + dropout["ticks"])) and missing
    assert done.lost_ticks == len(missing) and dropout["reason"] == DROPPED_DAMAGE
    assert LogReader(tmp_path / "new.mcap").header["recovered_from"] == "hole.mcap"


def test_recover_of_a_whole_log_changes_nothing(log, tmp_path):
    done = recover(LogReader(log), tmp_path / "new.mcap")
    assert list(LogReader(tmp_path / "new.mcap").messages()) == list(LogReader(log).messages())
    assert done.damage is None and done.ticks == 1200


def test_cut_begins_at_a_snapshot(log, tmp_path):
    done = cut(LogReader(log), tmp_path / "part.mcap", 700, 899)
    assert ticks(tmp_path / "part.mcap", SNAPSHOT) == [500]
    assert ticks(tmp_path / "part.mcap") == list(range(501, 900)) and done.ticks == 399
    [dropout] = dropouts(tmp_path / "part.mcap")
    assert (dropout["tick"], dropout["ticks"], dropout["reason"]) == (0, 501, DROPPED_CUT)
    ours = [m for m in LogReader(tmp_path / "part.mcap").messages() if m.topic in (TICK, INPUTS)]
    theirs = [m for m in LogReader(log).messages() if m.topic in (TICK, INPUTS) and 501 <= tick_of(m.data) < 900]
    assert ours == theirs


def test_what_is_not_there_cannot_be_cut(log, tmp_path):
    with pytest.raises(LogError, match="no tick of 5000"):
        cut(LogReader(log), tmp_path / "part.mcap", 5000, 6000)
    assert not (tmp_path / "part.mcap").exists()
    with pytest.raises(LogError, match="cannot be created"):
        cut(LogReader(log), log, 0, 10)
    assert len(ticks(log)) == 1200
