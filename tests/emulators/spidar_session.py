"""A recorded session on the emulated SPIDAR: its hand presses onto a tower, drags along it, lets go, and again.

The servo's clock is left out (tests/oracle/session.py); a tick begins when the emulator has answered the last one.
"""

import select
from pathlib import Path

from hapticd.document import load
from tests.emulators.process import Emulator
from tests.oracle.session import COMMANDS, ROOT, Session

ANSWER_SECONDS = 2.0
# Tick in a round of 2 s: where the hand goes, device frame, m.
ROUND, TARGETS = 2000, {100: "0 0 -0.03", 800: "0.015 0.005 -0.03", 1500: "0 0 0.01"}


# For those who play the log again in real time on a busy machine: late ticks are counted, and are no fault.
PATIENT = {"watchdog_ms": 1000, "gap_ramp_ms": 1000, "gap_fault_ms": 1000, "overrun_limit": 1000, "silent_ticks": 500}


def device(port: str) -> dict:
    return {**load(ROOT / "configs" / "device" / "spidar_g6_x3r.toml").data, "port": port, "simulated": True}


def record_spidar(folder: Path, ticks: int) -> Path:
    with Emulator("spidar", folder) as emulator:
        mount = {"position": [-0.08, 0.0, 0.15]}
        session = Session(folder / "session", device=device(emulator.path), mount=mount, loop=PATIENT)

        def each(tick: int) -> None:
            if tick > 0:
                select.select([session.daemon.descriptor], [], [], ANSWER_SECONDS)
            if tick % ROUND in TARGETS:
                emulator.say(f"target {TARGETS[tick % ROUND]}")

        try:
            return session.run(ticks, COMMANDS, each=each)
        finally:
            session.daemon.device.close()
            for lock in session.daemon.locks:
                lock.release()
