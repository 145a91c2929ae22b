"""The recorder: every tick of the ring is in the log, or a dropout says why not; the disk may do what it likes."""

import os
import resource
import signal
import time
from collections import Counter

import numpy as np
import pytest

import hapticd.logsink
import hapticd.recorder
from hapticd.channel import (
    BODIES,
    CHANNELS,
    COMMAND,
    CONTACTS,
    DROPOUT,
    DROPPED_FULL,
    DROPPED_GONE,
    DROPPED_LATE,
    EVENT,
    HASH,
    INPUTS,
    MODEL,
    SNAPSHOT,
    TICK,
)
from hapticd.config import Record
from hapticd.errors import LogError
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import EVENT_RECORD
from hapticd.logfile import LogReader
from hapticd.recorder import Recorder, run
from hapticd.ring import Ring
from hapticd.snapshot import digest
from tests.oracle.ringwriter import RingWriter, make_ring, state_after

SETTINGS = Record(flush_ms=250.0, snapshot=2.0, body_ticks=10)


@pytest.fixture
def ring(tmp_path):
    return make_ring(tmp_path)


@pytest.fixture
def clock(monkeypatch):
    """The recorder's own clock, which goes only when a test says so."""
    now = [100.0]
    monkeypatch.setattr(hapticd.recorder.time, "monotonic", lambda: now[0])
    return now


def start(ring, path, **more) -> Recorder:
    return Recorder(ring, path, SETTINGS, ({"seed": 1}, {"scene.toml": "# none"}), **more)


def by_topic(path) -> tuple[dict[str, list[bytes]], LogReader]:
    reader, found = LogReader(path), {}
    for message in reader.messages():
        found.setdefault(message.topic, []).append(message.data)
    return found, reader


def ticks_of(found: dict[str, list[bytes]], topic: str = TICK) -> np.ndarray:
    return CHANNELS[topic].unpack(found.get(topic, []))["tick"]


def test_every_tick_comes_back_with_all_its_numbers(ring, tmp_path):
    writer, recorder = RingWriter(ring), start(ring, tmp_path / "a.mcap")
    expected = ring.empty(1700)
    for k in range(1700):
        writer.write()
        writer.fill(expected[k], k)
        if k % 37 == 0:
            recorder.poll()
    recorder.close()
    found, reader = by_topic(tmp_path / "a.mcap")
    assert reader.closed and recorder.recorded == 1700 and recorder.dropped == 0
    inputs, ticks = CHANNELS[INPUTS].unpack(found[INPUTS]), CHANNELS[TICK].unpack(found[TICK])
    assert ticks_of(found).tolist() == ticks_of(found, INPUTS).tolist() == list(range(1700))
    assert np.array_equal(inputs["sample"], expected["sample"])
    assert np.array_equal(inputs["raw_count"], expected["input"][:, g.INPUT_RAW])
    assert np.array_equal(ticks["wrench_sent"], expected["wrench"][:, g.WRENCH_SENT])
    assert np.array_equal(ticks["angular_velocity"], expected["pointer"][:, 10:])
    assert np.array_equal(ticks["sent_count"], expected["word"][:, g.WORD_SENT])
    assert np.array_equal(ticks["damping"], expected["guard"][:, 4])
    assert np.all(ticks["written_after"] == 1000 * g.TIME_WRITTEN)
    for k in (0, 41, 1699):
        assert CHANNELS[INPUTS].unpack_tail(found[INPUTS][k]).tolist() == [k % 251] * (k % 43)
        assert CHANNELS[TICK].unpack_tail(found[TICK][k]).tolist() == [k % 241] * (k % 27)
    commands = CHANNELS[COMMAND].unpack(found[COMMAND])
    assert commands["tick"].tolist() == [k for k in range(0, 1700, 100) for _ in range(2)]
    assert np.array_equal(commands["row"][5], expected["command"][200, 1])


def test_bodies_and_contacts_come_at_their_decimation(ring, tmp_path):
    writer, recorder = RingWriter(ring), start(ring, tmp_path / "a.mcap")
    writer.write(105)
    recorder.close()
    found, _ = by_topic(tmp_path / "a.mcap")
    assert ticks_of(found, BODIES).tolist() == ticks_of(found, CONTACTS).tolist() == list(range(0, 105, 10))
    bodies = CHANNELS[BODIES].unpack_tail(found[BODIES][3])
    expected = ring.empty()
    writer.fill(expected, 30)
    assert np.array_equal(bodies["q_xyzw"], expected["body"][:6, 3:7]) and len(bodies) == 6
    contacts = CHANNELS[CONTACTS].unpack_tail(found[CONTACTS][3])
    assert len(contacts) == 30 % 5
    contacts = CHANNELS[CONTACTS].unpack_tail(found[CONTACTS][1])
    writer.fill(expected, 10)
    assert np.array_equal(contacts["torque"], expected["contact"][: len(contacts), 12:15])


def test_hashes_snapshots_and_models_stand_behind_their_ticks(ring, tmp_path):
    asked = []

    def model(generation: int) -> tuple[int, bytes]:
        asked.append(generation)
        return generation % 2, bytes([generation] * 10)

    writer, recorder = RingWriter(ring), start(ring, tmp_path / "a.mcap", model=model)
    for _ in range(55):
        writer.write(77)
        recorder.poll()
    recorder.close()
    order = [
        (m.topic, int(CHANNELS[m.topic].unpack([m.data])["tick"][0])) for m in LogReader(tmp_path / "a.mcap").messages()
    ]
    for tick in (0, 1000, 2000, 3000, 4000):
        place = order.index((HASH, tick))
        assert order.index((TICK, tick)) < place < order.index((INPUTS, tick + 1))
    # every two seconds, and afresh in every new scene
    assert [tick for topic, tick in order if topic == SNAPSHOT] == [0, 2000, 3000]
    assert [tick for topic, tick in order if topic == MODEL] == [0, 1500, 3000] and asked == [1, 2, 3]
    assert order.index((MODEL, 1500)) == order.index((INPUTS, 1500)) - 1
    found, _ = by_topic(tmp_path / "a.mcap")
    hashes = CHANNELS[HASH].unpack(found[HASH])
    assert hashes["digest"][1].tobytes() == digest(state_after(1000).tobytes())
    assert CHANNELS[SNAPSHOT].unpack_tail(found[SNAPSHOT][1]).tobytes() == state_after(2000).tobytes()


def test_events_of_all_three_are_recorded(ring, tmp_path):
    recorder = start(ring, tmp_path / "a.mcap")
    ring.servo_journal.write(0, (5, 1, 2, 3, (1.0, 2.0, 3.0, 4.0), b""))
    ring.supervisor_journal.write(0, (6, 2, 7, 0, (0.0,) * 4, b"servo gone"))
    RingWriter(ring).write(5)
    recorder.close()
    found, _ = by_topic(tmp_path / "a.mcap")
    events = CHANNELS[EVENT].unpack(found[EVENT])
    assert events["source"].tolist() == [0, 1] and events["kind"].tolist() == [2, 7]
    assert events["value"][0].tolist() == [1, 2, 3, 4] and CHANNELS[EVENT].text(found[EVENT][1]) == "servo gone"


def test_at_most_250_ms_are_missing_from_the_file(ring, tmp_path, clock):
    """After every poll the file is what a kill -9 at that moment would leave."""
    writer, recorder = RingWriter(ring), start(ring, tmp_path / "a.mcap")
    worst = 0
    for _ in range(60):
        writer.write(20)
        clock[0] += 0.02
        found, _ = by_topic(tmp_path / "a.mcap") if (tmp_path / "a.mcap").stat().st_size else ({}, None)
        worst = max(worst, writer.tick - len(found.get(TICK, [])))
        recorder.poll()
    assert 100 < worst <= 250


def test_kill_9_leaves_a_readable_beginning(ring, tmp_path):
    pid = os.fork()
    if pid == 0:
        run(start(Ring.attach(ring.memory.path), tmp_path / "a.mcap"), ended=lambda: False)
        os._exit(0)
    try:
        writer, end = RingWriter(ring), time.monotonic() + 20
        while time.monotonic() < end:
            writer.write(5)
            time.sleep(0.005)
            if (tmp_path / "a.mcap").exists() and (tmp_path / "a.mcap").stat().st_size > 50_000:
                break
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    found, reader = by_topic(tmp_path / "a.mcap")
    assert not reader.closed and "closing records" in reader.damage.reason
    seen = ticks_of(found).tolist()
    assert len(seen) > 50 and seen == list(range(len(seen)))


def test_slow_disk_is_absorbed_by_the_ring(ring, tmp_path, monkeypatch, clock):
    """Each fdatasync takes as long as 500 ticks; then one takes 4000, more than the ring holds."""
    writer, recorder = RingWriter(ring), start(ring, tmp_path / "a.mcap")
    delay = [500]
    monkeypatch.setattr(hapticd.logsink.os, "fdatasync", lambda file: writer.write(delay[0]))
    for _ in range(12):
        clock[0] += 0.5
        recorder.poll()
    assert recorder.dropped == 0 and writer.tick == 6000 and recorder.recorded >= 5500
    delay[0] = 4000
    clock[0] += 0.5
    recorder.poll()
    delay[0] = 0
    recorder.close()
    found, reader = by_topic(tmp_path / "a.mcap")
    [dropout] = CHANNELS[DROPOUT].unpack(found[DROPOUT])
    assert dropout["reason"] == DROPPED_LATE and dropout["ticks"] == recorder.dropped == 4000 - (ring.count - 1)
    seen = ticks_of(found)
    missing = np.arange(dropout["tick"], dropout["tick"] + dropout["ticks"])
    assert np.array_equal(np.sort(np.concatenate([seen, missing])), np.arange(writer.tick)) and reader.closed


def test_full_disk_is_waited_for_and_told(ring, tmp_path, clock):
    """The kernel refuses to let the file grow; the ring runs on. Then there is room again."""
    writer, recorder = RingWriter(ring), start(ring, tmp_path / "a.mcap")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
        for _ in range(60):
            writer.write(100)
            clock[0] += 0.1
            recorder.poll()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert recorder.sink.stuck and (tmp_path / "a.mcap").stat().st_size == 60_000
    for _ in range(10):
        writer.write(100)
        clock[0] += 0.1
        recorder.poll()
    recorder.close()
    found, reader = by_topic(tmp_path / "a.mcap")
    [dropout] = CHANNELS[DROPOUT].unpack(found[DROPOUT])
    assert dropout["reason"] == DROPPED_FULL and reader.closed
    assert len(found[TICK]) + dropout["ticks"] == writer.tick == 7000
    events = CHANNELS[EVENT].unpack(found[EVENT])
    assert events["kind"].tolist() == [EVENT_RECORD] * 3 and events["code"].tolist() == [DROPPED_FULL, 0, DROPPED_FULL]
    assert "too large" in CHANNELS[EVENT].text(found[EVENT][0])


def test_a_second_recorder_says_what_is_not_in_its_log(ring, tmp_path):
    writer = RingWriter(ring)
    writer.write(3000)
    recorder = start(ring, tmp_path / "b.mcap")
    recorder.close()
    found, _ = by_topic(tmp_path / "b.mcap")
    [dropout] = CHANNELS[DROPOUT].unpack(found[DROPOUT])
    assert dropout["reason"] == DROPPED_GONE and dropout["tick"] == 0 and ticks_of(found)[0] == dropout["ticks"]


def test_no_log_is_written_over_and_no_folder_is_an_error(ring, tmp_path):
    start(ring, tmp_path / "a.mcap").close()
    for path in (tmp_path / "a.mcap", tmp_path / "absent" / "a.mcap"):
        with pytest.raises(LogError, match="cannot be created"):
            start(ring, path)


def test_the_ring_is_not_written_to_by_a_reader(ring, tmp_path):
    theirs = Ring.attach(ring.memory.path)
    RingWriter(ring).write(3000)
    start(theirs, tmp_path / "a.mcap").close()  # would raise: the mapping is read-only
    assert Counter(ring.recorder_journal.sequence.tolist()) == {0: len(ring.recorder_journal.rows)}
