"""The HID PID driver: the contract, three layouts behind the hidraw shim, the dead-man switch, an unplugged device."""

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hapticd.device import Transport
from hapticd.drivers.hid_descriptor import parse
from hapticd.drivers.hid_pid import HidPid, _is_force_feedback
from hapticd.errors import ConfigError, DeviceOpenError
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_SIZE, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED
from tests.drivers.contract import DriverContract
from tests.drivers.test_hid_descriptor import MOUSE
from tests.emulators.pid_descriptor import RANGES, descriptor
from tests.emulators.pid_judge import judge
from tests.emulators.process import ROOT, Emulator

LAYOUTS = list(RANGES)


def driver(layout, **options):
    """The driver as it is after open, without a device."""
    device = HidPid({"path": "/dev/hidraw0", **options})
    device.use_descriptor(parse(descriptor(layout)))
    device.use_blocks([1, 2])
    return device


def axes(layout, x, y, state=b"\x02\x16\x00"):
    """Input bytes as the I/O process gives them: axes report, then PID state."""
    if layout == "sidewinder":
        return struct.pack("<BHHBBBB4x", 1, round(511 * x) & 0x3FF, round(511 * y) & 0x3FF, 0, 0, 15, 2) + state
    x, y = round(32767 * x), round(32767 * y)
    if layout == "arduino":
        return struct.pack("<BhhH", 1, x, y, 2) + state
    return struct.pack("<BQ8h", 1, 2, x, y, 0, 0, 0, 0, 0, 0) + state


class Rig:
    def __init__(self, layout, **options):
        self.device = driver(layout, **options)
        self.sample, self.raw = np.zeros(SAMPLE_SIZE), np.zeros(self.device.capabilities.input_size, np.uint8)

    def tick(self, data):
        self.raw[: len(data)] = np.frombuffer(data, np.uint8)
        return self.device.decode(self.raw, len(data), self.sample)


class TestContract(DriverContract):
    @pytest.fixture(params=LAYOUTS)
    def device(self, request):
        device = driver(request.param)
        device.layout = request.param
        return device

    def frames(self, device):
        return [axes(device.layout, 0.01 * k, -0.005 * k) for k in range(20)]


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    path = tmp_path_factory.mktemp("shim") / "shim.so"
    source = ROOT / "tests" / "emulators" / "hidraw_shim.c"
    subprocess.run(["cc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(path), str(source), "-ldl"], check=True)
    return path


def run_behind(shim, emulator, code, path="/dev/hidraw77"):
    """Python code in a process of its own, where opening `path` reaches the emulator."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(shim),
        "HIDRAW_SHIM_PATH": path,
        "HIDRAW_SHIM_SOCKET": emulator.path,
    }
    return subprocess.run(
        [sys.executable, *code, path], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_behind_the_shim(layout, shim, tmp_path):
    with Emulator("hid_pid", tmp_path, "--layout", layout, "--socket", tmp_path / "pid") as emulator:
        done = run_behind(shim, emulator, ["-m", "tests.emulators.pid_exercise"])
        assert done.returncode == 0, done.stderr
        time.sleep(0.05)
        frames = emulator.quit()
    judge(layout, json.loads(done.stdout.split("result ", 1)[1]), frames)


UNPLUG = """
import sys, time
import numpy as np
from hapticd.drivers.hid_pid import HidPid
from hapticd.errors import DeviceError
device = HidPid({"path": sys.argv[1]})
device.open()
raw, out = np.zeros(device.capabilities.input_size, np.uint8), np.frombuffer(device.off, np.uint8)
print("opened", flush=True)
for _ in range(5000):
    try:
        device.exchange(out, len(out), raw)
    except DeviceError as error:
        print("gone:", error)
        break
    time.sleep(0.001)
device.close()
"""


def test_unplugged_device_is_an_error(shim, tmp_path):
    with Emulator("hid_pid", tmp_path, "--socket", tmp_path / "pid") as emulator:
        environment = {
            **os.environ, "LD_PRELOAD": str(shim), "HIDRAW_SHIM_PATH": "/dev/hidraw77",
            "HIDRAW_SHIM_SOCKET": emulator.path, "PYTHONUNBUFFERED": "1",
        }  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-c", UNPLUG, "/dev/hidraw77"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "opened\n"
        emulator.say("unplug")
        out, _ = process.communicate(timeout=30)
    assert out.startswith("gone: /dev/hidraw77: ") and "plug" in out and process.returncode == 0


def test_full_device_says_so(shim, tmp_path):
    with Emulator("hid_pid", tmp_path, "--socket", tmp_path / "pid") as emulator:
        emulator.say("full")
        time.sleep(0.1)
        done = run_behind(shim, emulator, ["-m", "tests.emulators.pid_exercise"])
    assert done.returncode != 0 and "no room for another effect" in done.stderr


@pytest.mark.parametrize("layout", LAYOUTS)
def test_panic_bytes_are_whole_reports(layout):
    """Zero magnitudes, stops, actuators off: each by itself, so that any one of them helps."""
    device = driver(layout)
    assert [report[0] for report in device.panic] == [5, 5, 10, 10, 12]
    assert device.panic[0] == b"\x05\x01\x00\x00" and device.panic[2] == b"\x0a\x01\x03\x01"
    assert device.panic[4] == b"\x0c\x02"
    assert device.capabilities.transport is Transport.BLOCKING


@pytest.mark.parametrize("layout", LAYOUTS)
def test_force_keeps_its_direction_at_the_limit(layout):
    device = driver(layout)
    out, rendered = np.zeros(device.capabilities.output_size, np.uint8), np.zeros(6)
    device.encode(np.array([30.0, -40.0, 9, 9, 9, 9]), out, rendered)
    assert rendered[:2] == pytest.approx([3.75, -5.0], abs=0.02) and not rendered[2:].any()
    values = [struct.unpack_from("<h", out, motor.offset)[0] for motor in device.capabilities.motors]
    assert values[1] == -RANGES[layout] and values[0] == pytest.approx(0.75 * RANGES[layout], abs=1)


def test_position_velocity_and_buttons():
    rig = Rig("openffboard")
    for k in range(40):
        assert rig.tick(axes("openffboard", 0.002 * k, -0.5)) == SAMPLE_OK
    assert rig.sample[:2] == pytest.approx([0.078 * 0.05, -0.025], abs=1e-5)
    assert rig.sample[SAMPLE_VELOCITY] == pytest.approx(0.1, abs=2e-3)


@pytest.mark.parametrize("state", [b"\x02\x12\x00", b"\x02\x06\x00"])
def test_safety_switch_and_power_are_the_dead_man(state):
    """Safety switch (bit 2) open, or actuator power (bit 4) gone: not held, in the same tick."""
    rig = Rig("sidewinder")
    rig.tick(axes("sidewinder", 0, 0))
    assert rig.sample[SAMPLE_HELD] == 1.0
    rig.tick(axes("sidewinder", 0, 0, state))
    assert rig.sample[SAMPLE_HELD] == 0.0
    rig.tick(axes("sidewinder", 0, 0))
    assert rig.sample[SAMPLE_HELD] == 1.0


def test_jumps_are_refused_and_the_third_is_a_fault():
    rig = Rig("arduino", speed_limit_m_s=2.0)
    rig.tick(axes("arduino", 0, 0))
    codes = [rig.tick(axes("arduino", 0.5, 0)) for _ in range(3)]
    assert codes == [SAMPLE_REFUSED, SAMPLE_REFUSED, SAMPLE_ENCODER]


def test_foreign_and_short_reports_are_no_samples():
    rig = Rig("arduino")
    assert rig.tick(b"") == SAMPLE_NONE
    assert rig.tick(axes("arduino", 0, 0)[:5]) == SAMPLE_NONE
    assert rig.tick(b"\x07" + axes("arduino", 0, 0)[1:]) == SAMPLE_NONE


def test_scan_knows_force_feedback_from_its_descriptor():
    assert all(_is_force_feedback(descriptor(layout)) for layout in LAYOUTS)
    assert not _is_force_feedback(MOUSE)
    assert HidPid.scan() == []


def test_absent_device_says_what_to_do():
    with pytest.raises(DeviceOpenError, match="`hapticd devices`"):
        HidPid({"path": "/dev/hidraw99"}).open()
    with pytest.raises(ConfigError, match="path"):
        HidPid({"pth": "/dev/hidraw99"})


def test_config_is_shipped():
    assert (Path(ROOT) / "configs" / "device" / "hid_pid.toml").is_file()
