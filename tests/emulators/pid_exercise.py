"""Drive a force-feedback joystick with hapticd's own driver and say what came of it, as one line of JSON.

    python -m tests.emulators.pid_exercise /dev/hidraw0

Runs behind the shim and in the guest alike; what the device saw is in the emulator's log.
"""

import json
import sys
import time

import numpy as np

from hapticd.drivers.hid_pid import HidPid
from hapticd.kernel.layout import SAMPLE_BUTTONS, SAMPLE_HELD, SAMPLE_SIZE

FORCE = (2.0, -1.0)  # N, of 5


def exercise(path, ticks=400, pause=0.001):
    device = HidPid({"path": path, "speed_limit_m_s": 50.0})  # a slow guest sees the stick in leaps
    device.open()
    have = device.capabilities
    raw, out = np.zeros(have.input_size, np.uint8), np.zeros(have.output_size, np.uint8)
    sample, rendered, codes = np.zeros(SAMPLE_SIZE), np.zeros(6), []
    for k in range(-20, ticks):  # at rest first, while the first calls compile
        wrench = np.array([*(FORCE if k >= 0 else (0.0, 0.0)), 0, 0, 0, 0])
        count = device.encode(wrench, out, rendered)
        got = device.exchange(out, count, raw)
        codes.append(device.decode(raw, got, sample))
        time.sleep(pause)
    pushed = sample.copy()
    time.sleep(50 * pause)  # a slow device catches up
    out[: len(device.off)] = np.frombuffer(device.off, np.uint8)
    device.exchange(out, len(device.off), raw)
    time.sleep(50 * pause)
    device.close()
    return {
        "ticks": ticks,
        "codes": {str(code): codes.count(code) for code in set(codes)},
        "position": pushed[:2].tolist(),
        "buttons": int(pushed[SAMPLE_BUTTONS]),
        "held": float(pushed[SAMPLE_HELD]),
        "rendered": rendered[:2].tolist(),
        "strongest": device.reports.magnitude.high,
        "deadman": have.deadman,
        "panic": [report.hex() for report in device.panic],
    }


if __name__ == "__main__":
    sys.stdout.write("result " + json.dumps(exercise(sys.argv[1])) + "\n")
