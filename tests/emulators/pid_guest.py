"""Runs in the guest: for each layout an emulated joystick of the kernel's own (uhid), driven by hapticd's driver.

Prints per layout `layout NAME`, the exercise's JSON and the emulator's log (gzip, base64).
"""

import base64
import gzip
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.emulators.pid_descriptor import RANGES
from tests.emulators.pid_exercise import exercise
from tests.emulators.process import Emulator


def main():
    for layout in RANGES:
        with Emulator("hid_pid", tempfile.gettempdir(), "--layout", layout, "--uhid", "--interval", 0.02) as emulator:
            path = node()
            # uhid keeps 32 reports and drops the rest: on the emulated processor both sides are slow
            result = exercise(path, ticks=100, pause=0.015)
            time.sleep(0.5)
            emulator.quit()
            log = base64.b64encode(gzip.compress(emulator.log_path.read_bytes())).decode()
        sys.stdout.write(f"\nlayout {layout}\nresult {json.dumps(result)}\nlog {log}\n")
        sys.stdout.flush()


def node():
    """The hidraw node of the only device, when the kernel has made it."""
    for _ in range(500):
        found = sorted(Path("/dev").glob("hidraw*"))
        if found:
            return str(found[-1])
        time.sleep(0.02)
    raise TimeoutError("the kernel made no hidraw node")


if __name__ == "__main__":
    main()
