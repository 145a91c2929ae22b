"""The HID PID driver on a real kernel: uhid devices in a virtual machine, hidapi and hidraw as they are."""

import base64
import gzip
import json
import re

import pytest

from tests.emulators.frame_log import read_log
from tests.emulators.guest import run_in_guest
from tests.emulators.pid_descriptor import RANGES
from tests.emulators.pid_judge import judge

# The guest is slow, and its kernel drops reports that the emulated device is too late to take: begun anew, twice.
pytestmark = [pytest.mark.qemu, pytest.mark.flaky(reruns=2)]


def test_layouts_on_a_real_kernel(tmp_path):
    """The same run and the same judge as behind the shim, for all three layouts."""
    console = run_in_guest("tests.emulators.pid_guest", tmp_path)
    assert "guest: ended with 0" in console, console[-3000:]
    parts = re.findall(r"layout (\w+)\s+result (.*?)\s+log (\S+)", console)
    assert [layout for layout, _, _ in parts] == list(RANGES), console[-3000:]
    for layout, result, log in parts:
        path = tmp_path / f"{layout}.log"
        path.write_bytes(gzip.decompress(base64.b64decode(log)))
        judge(layout, json.loads(result), read_log(path), lossless=False)
