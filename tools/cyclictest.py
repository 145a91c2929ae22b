"""cyclictest, the yardstick for wake-up latency: what the kernel and the machine give any program."""

import re
import subprocess

import numpy as np


def run(seconds: float, priority: int, core: int) -> np.ndarray:
    """Its latencies at 1 kHz, one row per us of the histogram: (us, count). Whole seconds, at least one."""
    options = ["-q", "-m", "-t1", f"-p{priority}", f"-a{core}", "-i1000", f"-D{max(1, round(seconds))}", "-h20000"]
    text = subprocess.run(["cyclictest", *options], capture_output=True, text=True, check=True).stdout
    return np.array([[int(a), int(b)] for a, b in re.findall(r"^(\d{6}) (\d{6})", text, flags=re.M)])


def percentile(histogram: np.ndarray, percent: float) -> float:
    total = np.cumsum(histogram[:, 1])
    return float(histogram[np.searchsorted(total, percent / 100 * total[-1]), 0])


def version() -> str:
    text = subprocess.run(["cyclictest", "--help"], capture_output=True, text=True).stdout
    return text.splitlines()[0] if text else "unknown"
