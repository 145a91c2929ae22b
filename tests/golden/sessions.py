"""The sessions behind the golden logs, by name. A golden log is only ever changed by ./tools/golden_update."""

from pathlib import Path

from hapticd.config import Record
from hapticd.kernel.guard.states import COMMAND_ARM, COMMAND_CLEAR, COMMAND_RESTART
from tests.oracle.session import Session

FOLDER = Path(__file__).resolve().parent
COMMANDS = {5: [(1, COMMAND_CLEAR), (2, COMMAND_ARM)], 600: [(3, COMMAND_RESTART)]}
# Onto the left tower within half a second, along it and off.
PATH = ((0.0, -0.075, 0.0, 0.05), (0.35, -0.075, 0.0, 0.02), (0.6, -0.05, 0.01, 0.018), (0.7, -0.05, 0.0, 0.05))
SETTINGS = Record(snapshot=0.3, hash_ticks=50, body_ticks=100)

# Name: what the run config says beside the device.
GOLDEN = {
    "six_blocks": {},
    "point_penalty": {"solver": "point_penalty"},
}
TICKS = 760


def record(name: str, folder: Path) -> Path:
    """The session of a golden log, recorded anew into a folder."""
    return Session(folder, device={"driver": "virtual", "path": PATH}, **GOLDEN[name]).run(
        TICKS, COMMANDS, settings=SETTINGS
    )
