"""Recording and replay: the recorder's share of a core at 1 kHz, bytes per minute, replay against real time.

./tools/bench replay [--seconds 60]

One session of the six-block scene with contacts and friction, on the simulated device, with the default capacities. The
servo, guard, driver and recorder are the daemon's own; only the clock is left out, so the recorder's CPU time is taken
alone. Then the log is replayed three times.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for tests.oracle

from benchmark import Report, pin

from hapticd.build import build
from hapticd.config import Record
from hapticd.logfile import LogReader
from hapticd.recorder import Recorder
from hapticd.replay import Replay
from tests.oracle.session import Session

CORE_SHARE = 0.15  # of a core, at most
SPEED = 20.0  # times real time, at least


class Meter:
    """CPU time inside one method."""

    def __init__(self, owner: type, name: str) -> None:
        self.seconds, self.calls = 0.0, 0
        inner = getattr(owner, name)

        def timed(*arguments):
            start = resource.getrusage(resource.RUSAGE_THREAD)
            try:
                return inner(*arguments)
            finally:
                end = resource.getrusage(resource.RUSAGE_THREAD)
                self.seconds += end.ru_utime - start.ru_utime + end.ru_stime - start.ru_stime
                self.calls += 1

        setattr(owner, name, timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    ticks = 1000 * parser.parse_args().seconds
    core, meter = pin(), Meter(Recorder, "poll")
    report = Report("replay")
    with tempfile.TemporaryDirectory() as folder:
        path = Session(Path(folder), capacity={}).run(ticks, settings=Record())
        seconds, share = ticks / 1000, meter.seconds / (ticks / 1000)
        size = path.stat().st_size / seconds * 60 / 1e6
        speeds = []
        for _ in range(3):
            replay, start = Replay(LogReader(path)), time.process_time()
            verdict = replay.run()
            speeds.append(verdict.ticks / 1000 / (time.process_time() - start))
    speed = sorted(speeds)[1]
    report.table(
        f"{ticks} ticks of the six-block scene, core {core}",
        ("", "measured", "bound"),
        [
            ("recorder, share of a core at 1 kHz", f"{share:.1%}", f"{CORE_SHARE:.0%}"),
            ("log, MB per minute", f"{size:.1f}", ""),
            ("replay, times real time (CPU time)", f"{speed:.1f}", f"{SPEED:.0f}"),
            ("replay", str(verdict), "identical"),
        ],
    )
    report.judge("recorder, share of a core at 1 kHz", share, CORE_SHARE)
    report.judge("replay, share of real time", 1.0 / speed, 1.0 / SPEED)
    report.judge("replay, fields that differ", len(verdict.differences) + (verdict.hash_differs is not None), 0)
    report.save(**build())


if __name__ == "__main__":
    main()
