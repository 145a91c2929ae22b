"""A log as arrays: all records of a channel in their order, up to the damage."""

from hapticd.channel import BODIES, EVENT, TICK
from hapticd.logfile import LogReader
from hapticd.logtool.columns import columns, load
from tests.oracle.testlog import record


def test_channels_come_as_asked_for(tmp_path):
    tables = load(LogReader(record(tmp_path, "a.mcap", 130)), (TICK, BODIES, EVENT))
    assert tables[TICK].rows["tick"].tolist() == list(range(130))
    assert [len(tail) for tail in tables[BODIES].tails()] == [6] * 13
    assert columns(tables[EVENT])["tick"].tolist() == []


def test_damage_ends_the_columns(tmp_path):
    path = record(tmp_path, "a.mcap", 600)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    reader = LogReader(path)
    ticks = load(reader, [TICK])[TICK].rows["tick"].tolist()
    assert ticks == list(range(len(ticks))) and 0 < len(ticks) < 600 and reader.damage is not None
