"""Replays the golden logs, says what the kernels now do otherwise, and with --write records those anew.

./tools/golden_update            what would change
./tools/golden_update --write    change it
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hapticd.errors import LogError
from hapticd.logfile import LogReader
from hapticd.logtool.difference import diff
from hapticd.replay import Replay
from tests.golden.sessions import FOLDER, GOLDEN, record


def state_of(path: Path) -> str:
    """What is wrong with a golden log; empty for nothing."""
    if not path.exists():
        return "is new"
    try:
        verdict = Replay(LogReader(path)).run()
    except LogError as error:
        return f"cannot be replayed: {error}"
    return "" if verdict.identical else str(verdict)


def print_changes(old: Path, new: Path) -> None:
    """Field by field where the old log and the new differ, and by how much."""
    try:
        found = diff(LogReader(old), LogReader(new))
    except LogError as error:
        print(f"  no comparison: {error}")
        return
    for key, (a, b) in found["header"].items():
        print(f"  {key}: {a} -> {b}")
    for difference in [*found["inputs"], *found["outputs"]][:12]:
        print(f"  {difference}; {difference.ticks} of {found['common_ticks']} ticks")
    print("  largest: " + ", ".join(f"{name} {value:.3g}" for name, value in found["largest"].items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="record anew what differs")
    write, worst = parser.parse_args().write, 0
    for name in GOLDEN:
        path = FOLDER / f"{name}.mcap"
        problem = state_of(path)
        print(f"{name}: {problem or 'identical'}")
        if not problem:
            continue
        with tempfile.TemporaryDirectory() as folder:
            new = record(name, Path(folder))
            if path.exists():
                print_changes(path, new)
            if write:
                shutil.copyfile(new, path)
                print(f"  written: {path.stat().st_size} bytes")
            else:
                worst = 1
    return worst


if __name__ == "__main__":
    sys.exit(main())
