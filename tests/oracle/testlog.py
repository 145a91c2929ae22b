"""A log as the recorder writes it, of ticks that are functions of their number (ringwriter.py)."""

from pathlib import Path

from hapticd.config import Record
from hapticd.recorder import Recorder
from tests.oracle.ringwriter import RingWriter, make_ring

HEADER = {"seed": 1, "build": {"hapticd": "0", "kernel": "abc"}, "device": {"name": "test"}}


def record(folder: Path, name: str, ticks: int, scene: str = "# none") -> Path:
    """`ticks` ticks in a closed log with chunks of 100 ticks; snapshots at 0, 500, 1000 ..."""
    ring = make_ring(folder)
    writer = RingWriter(ring, snapshot_ticks=500)
    settings = Record(flush_ms=10.0, snapshot=0.5, body_ticks=10)
    recorder = Recorder(ring, folder / name, settings, (HEADER, {"scene.toml": scene}))
    while writer.tick < ticks:
        writer.write(min(100, ticks - writer.tick))
        recorder.poll()
        recorder.log.flush()
    recorder.close()
    return folder / name
