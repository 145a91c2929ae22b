"""Exports hold the numbers of the log, all bits of them."""

import csv

import numpy as np
import pytest

from hapticd.channel import BODIES, CHANNELS, EVENT, TICK
from hapticd.errors import LogError
from hapticd.logfile import LogReader
from hapticd.logtool.columns import columns, load
from hapticd.logtool.export import export
from tests.oracle.testlog import record


@pytest.fixture
def reader(tmp_path):
    return LogReader(record(tmp_path, "a.mcap", 250))


def test_npz_has_every_channel_by_field(reader, tmp_path):
    counts = export(reader, tmp_path / "a.npz")
    arrays = np.load(tmp_path / "a.npz", allow_pickle=False)
    rows = CHANNELS[TICK].unpack([m.data for m in reader.messages() if m.topic == TICK])
    assert counts[TICK] == 250 and np.array_equal(arrays["tick.wrench_sent"], rows["wrench_sent"])
    assert arrays["bodies.body_count"].tolist() == [6] * 25 and arrays["bodies.body_q_xyzw"].shape == (150, 4)
    assert arrays["inputs.raw_count"].tolist() == arrays["inputs.raw_count"].tolist()
    assert arrays["inputs.raw"].size == sum(k % 43 for k in range(250))


@pytest.mark.parametrize("topic", [TICK, BODIES])
def test_csv_gives_the_same_floats_back(reader, tmp_path, topic):
    export(reader, tmp_path / "a.csv", [topic])
    with (tmp_path / "a.csv").open() as file:
        table = list(csv.DictReader(file))
    found = columns(load(reader, [topic])[topic])
    if topic == TICK:
        assert [float(row["wrench_sent_4"]) for row in table] == found["wrench_sent"][:, 4].tolist()
        assert [int(row["tick"]) for row in table] == list(range(250))
    else:
        assert [float(row["q_xyzw_3"]) for row in table] == found["body_q_xyzw"][:, 3].tolist()
        assert [int(row["tick"]) for row in table] == [k for k in range(0, 250, 10) for _ in range(6)]


def test_an_empty_channel_is_an_empty_table(reader, tmp_path):
    assert export(reader, tmp_path / "a.csv", [EVENT]) == {EVENT: 0}
    assert (tmp_path / "a.csv").read_text().startswith("tick,time,number")


def test_wrong_wishes_are_told(reader, tmp_path):
    for path, topics, words in (
        ("a.xls", (), "exported are"),
        ("a.csv", (TICK, BODIES), "one channel"),
        ("a.npz", ("/nothing",), "no channel"),
    ):
        with pytest.raises(LogError, match=words):
            export(reader, tmp_path / path, topics)
