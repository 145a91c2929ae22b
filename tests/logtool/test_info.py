"""What a log says about itself."""

import json

from hapticd.logfile import LogReader
from hapticd.logtool.info import describe
from tests.oracle.testlog import record


def test_length_events_and_build(tmp_path):
    found = describe(LogReader(record(tmp_path, "a.mcap", 1100)))
    assert found["ticks"] == 1100 and found["seconds"] == 1.1 and found["closed"] and found["damage"] is None
    assert found["snapshots"] == [0, 500, 1000] and found["hashes"] == 3 and found["commands"] == 22
    assert found["build"]["kernel"] == "abc" and found["files"]["scene.toml"] == 6
    assert found["wake_us"]["max"] == 1.0 and found["tick_us"]["p50"] == 5.0
    json.dumps(found)


def test_damage_is_told(tmp_path):
    path = record(tmp_path, "a.mcap", 300)
    path.write_bytes(path.read_bytes()[:-1000])
    found = describe(LogReader(path))
    assert not found["closed"] and "byte" in found["damage"]
