"""Exact replay: identical bits, from any snapshot, on any processor; and the first tick of whatever is not."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from hapticd.channel import CHANNELS, DROPOUT, DROPPED_LATE, INPUTS, MODEL, SNAPSHOT, TICK, tick_of
from hapticd.errors import LogError
from hapticd.kernel.guard.states import (
    ACTIVE,
    COMMAND_ARM,
    COMMAND_CLEAR,
    COMMAND_GRAVITY,
    COMMAND_PAUSE,
    COMMAND_RESTART,
    COMMAND_RESUME,
)
from hapticd.logfile import LogReader, Message
from hapticd.logtool.columns import load
from hapticd.logtool.rewrite import cut, new_log
from hapticd.replay import Replay
from tests.emulators.spidar_session import record_spidar
from tests.oracle.session import Session

TICKS = 2400
COMMANDS = {
    30: [(1, COMMAND_CLEAR), (2, COMMAND_ARM)],
    1500: [(3, COMMAND_GRAVITY, 0, 0, (0.0, 0.5, -9.0))],
    1700: [(4, COMMAND_PAUSE)],
    1760: [(5, COMMAND_RESUME)],
    1900: [(6, COMMAND_RESTART)],
}
GAPS = {1300: 2}  # two periods skipped


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """2.4 s: contacts with friction, commands, a pause, a missed tick, the scene from its beginning."""
    return Session(tmp_path_factory.mktemp("session")).run(TICKS, COMMANDS, GAPS)


def edited(log, path, change: Callable[[Message], Message | None]):
    reader = LogReader(log)
    with new_log(path, reader) as writer:
        for message in reader.messages():
            if (new := change(message)) is not None:
                writer.add(*new)
    return path


def flipped(topic: str, tick: int, name: str, bit: int = 0) -> Callable[[Message], Message]:
    """One bit of the first cell of a field, in one record."""
    place = 4 + CHANNELS[topic].head.fields[name][1]

    def change(message: Message) -> Message:
        if message.topic != topic or tick_of(message.data) != tick:
            return message
        data = bytearray(message.data)
        data[place] ^= 1 << bit
        return message._replace(data=bytes(data))

    return change


def test_the_session_has_what_a_replay_must_stand(log):
    ticks = load(LogReader(log), [TICK])[TICK].rows
    force = np.linalg.norm(ticks["wrench_sent"][:, :3], axis=1)
    assert len(ticks) >= TICKS - 60 and force.max() > 0.5 and (ticks["mode"] == ACTIVE).sum() > 500
    assert ticks["contacts"].max() >= 6 and ticks["skipped"][-1] == 2 and ticks["paused"].sum() > 40


def test_identical_over_all_ticks(log):
    verdict = Replay(LogReader(log)).run()
    count = len(load(LogReader(log), [TICK])[TICK].messages)
    assert verdict.identical, str(verdict)
    assert verdict.ticks == count and verdict.first_tick == 0 and verdict.starts == [-1]
    assert verdict.hashes >= count // 250 and "identical over" in str(verdict)


def test_identical_in_two_halves_from_a_snapshot(log):
    snapshots = load(LogReader(log), [SNAPSHOT])[SNAPSHOT].rows["tick"].tolist()
    middle = snapshots[len(snapshots) // 2]
    first, second = Replay(LogReader(log), end=middle + 1).run(), Replay(LogReader(log), start=middle + 1).run()
    assert first.identical and second.identical, f"{first}, {second}"
    assert first.last_tick + 1 == second.first_tick == middle + 1
    whole = Replay(LogReader(log)).run()
    assert first.ticks + second.ticks == whole.ticks


def test_identical_from_every_snapshot_also_in_a_pause(tmp_path):
    """Snapshots so dense that they meet the pause, the restart and the gap."""
    from dataclasses import replace

    from tests.oracle.session import SETTINGS

    path = Session(tmp_path).run(TICKS, COMMANDS, GAPS, settings=replace(SETTINGS, snapshot=0.1, hash_ticks=50))
    for tick in (1300, 1701, 1751, 1765, 1901, 1951):
        verdict = Replay(LogReader(path), start=tick).run()
        assert verdict.identical, f"from {tick}: {verdict}"


@pytest.mark.parametrize("name", ["sample", "code"])
def test_a_flipped_bit_in_a_sample_is_found_at_its_tick(log, tmp_path, name):
    path = edited(log, tmp_path / "flip.mcap", flipped(INPUTS, 777, name))
    verdict = Replay(LogReader(path)).run()
    assert not verdict.identical and verdict.differences[0].tick == 777 and verdict.ticks == 777
    assert verdict.differences[0].field == name and "edited" in verdict.causes[0]


@pytest.mark.parametrize("name", ["wrench_world", "wrench_sent", "mode", "energy", "position"])
def test_a_flipped_bit_in_a_result_is_found_at_its_tick(log, tmp_path, name):
    path = edited(log, tmp_path / "flip.mcap", flipped(TICK, 1003, name))
    verdict = Replay(LogReader(path)).run()
    assert verdict.differences[0].tick == 1003 and not verdict.identical
    assert name in {d.field for d in verdict.differences if d.tick == 1003}


def test_flipped_raw_bytes_are_found_by_the_driver(log, tmp_path):
    def change(message: Message) -> Message:
        if message.topic != INPUTS or tick_of(message.data) != 640:
            return message
        return message._replace(data=message.data[:-100] + bytes([message.data[-100] ^ 1]) + message.data[-99:])

    verdict = Replay(LogReader(edited(log, tmp_path / "raw.mcap", change))).run()
    assert (verdict.differences[0].tick, verdict.differences[0].field) == (640, "sample")
    assert Replay(LogReader(tmp_path / "raw.mcap"), driver=False).run().identical  # the kernel never saw the bytes


def test_an_edited_scene_is_found_when_it_is_felt(log, tmp_path):
    """Every gain of the model a little stiffer; the snapshot holds gains, too, as the commands left them."""
    from hapticd.kernel.layout import GAIN_STIFFNESS
    from hapticd.rerun import Rerun

    reader = LogReader(log)
    world = Rerun(reader.header)

    def change(message: Message) -> Message:
        if message.topic not in (MODEL, SNAPSHOT):
            return message
        layout = CHANNELS[message.topic]
        tail = layout.unpack_tail(message.data)
        if message.topic == MODEL:
            world.put_model(0, tail)
            world.arenas[0].model.gain[:, GAIN_STIFFNESS] *= 1.0 + 1e-9
            new = world.memory.bytes_of(world.memory.tree["arena0"]).copy()
        else:
            world.put_snapshot(0, tail.tobytes())
            world.arenas[0].model.gain[:, GAIN_STIFFNESS] *= 1.0 + 1e-9
            new = np.frombuffer(world.snapshot(), np.uint8)
        return message._replace(data=layout.pack_with(layout.unpack([message.data])[0], new))

    verdict = Replay(LogReader(edited(log, tmp_path / "scene.mcap", change))).run()
    assert not verdict.identical
    first = verdict.differences[0].tick if verdict.differences else verdict.hash_differs
    assert 0 <= first < 600 and any("edited" in cause for cause in verdict.causes)


def test_a_dropout_is_jumped_to_the_next_snapshot(log, tmp_path):
    gap = range(600, 640)

    def change(message: Message) -> Message | None:
        tick = tick_of(message.data)
        if tick in gap and message.topic != DROPOUT:
            if tick == gap[0] and message.topic == INPUTS:
                row = np.array([(tick, 0, len(gap), DROPPED_LATE)], CHANNELS[DROPOUT].head)
                return Message(DROPOUT, message.time, CHANNELS[DROPOUT].pack(row)[0])
            return None
        return message

    verdict = Replay(LogReader(edited(log, tmp_path / "gap.mcap", change))).run()
    snapshots = load(LogReader(log), [SNAPSHOT])[SNAPSHOT].rows["tick"]
    behind = int(snapshots[snapshots >= 640][0])
    assert verdict.identical and verdict.starts == [-1, behind]
    assert verdict.ticks == 600 + verdict.last_tick - behind


def test_missing_ticks_without_a_dropout_are_an_error(log, tmp_path):
    path = edited(log, tmp_path / "hole.mcap", lambda m: None if tick_of(m.data) == 700 else m)
    with pytest.raises(LogError, match="without a dropout"):
        Replay(LogReader(path)).run()


def test_a_cut_log_replays(log, tmp_path):
    cut(LogReader(log), tmp_path / "part.mcap", 1200, 1999)
    verdict = Replay(LogReader(tmp_path / "part.mcap")).run()
    assert verdict.identical and verdict.first_tick <= 1200 and verdict.last_tick == 1999


def test_a_log_that_ends_anywhere_replays_up_to_there(log, tmp_path):
    content = log.read_bytes()
    for share in (0.4, 0.7):
        (tmp_path / "cut.mcap").write_bytes(content[: int(share * len(content))])
        verdict = Replay(LogReader(tmp_path / "cut.mcap")).run()
        assert verdict.identical and verdict.ticks > 100 and "closing records" in verdict.damage


def test_the_build_is_named_when_something_differs(log, tmp_path):
    reader = LogReader(log)
    reader.header["build"] = {**reader.header["build"], "kernel": "0123", "cpu_target": "z80"}
    change = flipped(TICK, 900, "wrench_world")
    with new_log(tmp_path / "other.mcap", reader) as writer:
        for message in reader.messages():
            writer.add(*change(message))
    causes = Replay(LogReader(tmp_path / "other.mcap")).run().causes
    assert "kernels' sources differ (recorded 0123" in causes[0] and "another processor (recorded z80" in causes[1]


@pytest.mark.parametrize("ticks", [3000, pytest.param(60_000, marks=pytest.mark.long)])
def test_identical_on_the_emulated_spidar(tmp_path, ticks):
    """Bytes on a line, string kinematics, tensions; contacts and friction. In one piece and in two halves."""
    log = record_spidar(tmp_path, ticks)
    rows = load(LogReader(log), [TICK])[TICK].rows
    assert np.linalg.norm(rows["wrench_sent"][:, :3], axis=1).max() > 0.2 and rows["contacts"].max() >= 6
    verdict = Replay(LogReader(log)).run()
    assert verdict.identical and verdict.ticks == len(rows) >= ticks - 60, str(verdict)
    first, second = Replay(LogReader(log), end=ticks // 2).run(), Replay(LogReader(log), start=ticks // 2).run()
    assert first.identical and second.identical and first.ticks + second.ticks >= verdict.ticks


def replay_elsewhere(log, tmp_path, **environment: str) -> dict:
    """`hapticd replay` in a new process that compiles everything anew."""
    told = subprocess.run(
        [sys.executable, "-c", "from hapticd.cli import main; main()", "replay", str(log), "--json"],
        env={**os.environ, "HAPTICD_CACHE_DIR": str(tmp_path / "cache"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr[-2000:] + told.stdout[-2000:]
    return json.loads(told.stdout)


def test_identical_for_a_generic_processor_without_its_extensions(log, tmp_path):
    """Cold cache, no vector units for LLVM, none for the C library: the same bits."""
    masked = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4,-SSE4_2,-BMI2"
    found = replay_elsewhere(log, tmp_path, NUMBA_CPU_NAME="generic", GLIBC_TUNABLES=masked)
    assert found["identical"] and found["ticks"] >= TICKS - 60 and found["hashes"] > 5


@pytest.mark.long
def test_identical_with_a_cold_cache(log, tmp_path):
    assert replay_elsewhere(log, tmp_path)["identical"]
