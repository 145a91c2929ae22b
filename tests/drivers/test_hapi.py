"""The hAPI driver: the contract, frames, jumps, and the pantograph's emulator at the other end."""

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from hapticd.document import load
from hapticd.drivers import hapi_tick as tick
from hapticd.drivers.hapi import Hapi
from hapticd.errors import ConfigError, DeviceTimeout
from hapticd.kernel.layout import SAMPLE_SIZE, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED
from tests.drivers.contract import DriverContract
from tests.emulators.pantograph_plant import Arm, PantographPlant
from tests.emulators.process import Emulator

CONFIG = Path(__file__).parents[2] / "configs" / "device" / "hapi_2diy.toml"
COUNT = 360 / 13824


def options(**more):
    table = {**load(CONFIG).data, **more}
    table.pop("driver")
    return table


class Rig:
    def __init__(self, **more):
        self.device = Hapi(options(**more))
        self.sample, self.rendered = np.zeros(SAMPLE_SIZE), np.zeros(6)
        self.raw, self.out = np.zeros(256, np.uint8), np.zeros(10, np.uint8)

    def tick(self, data):
        self.raw[: len(data)] = np.frombuffer(data, np.uint8)
        return self.device.decode(self.raw, len(data), self.sample)

    def see(self, x, y):
        return self.tick(answer_at(x, y))


def answer(first, second, device=3):
    return struct.pack("<Bff", device, first, second)


def answer_at(x, y):
    """Whole counts, as the encoders give them."""
    angles = np.degrees(PantographPlant(Arm(), (x, y)).angles())
    return answer(*(COUNT * np.floor(angles / COUNT + 0.5)))


class TestContract(DriverContract):
    @pytest.fixture
    def device(self):
        return Hapi(options())

    def frames(self, device):
        return [answer_at(0.01 + 1e-4 * k, 0.07 - 5e-5 * k) for k in range(20)]


def test_set_up_bytes_are_the_published_ones(tmp_path):
    with Emulator("hapi", tmp_path) as emulator:
        device = Hapi(options(port=emulator.path))
        assert device.open() >= 0
        device.close()
        frames = emulator.quit()
    setup = next(frame for frame in frames if frame.kind == "setup").data
    wanted = bytes.fromhex("01 03 03 00 00 03 00 00 00 00 00003443 00005846 00000000 00005846")
    assert setup == wanted
    torques = [frame.data for frame in frames if frame.kind == "rx"]
    assert torques and all(data == bytes.fromhex("02 03 00000000 00000000") for data in torques)


def test_tip_within_a_count():
    """20-28 um per count at the worst: every tip of the workspace comes back within one."""
    rng = np.random.default_rng(1)
    rig = Rig()
    for _ in range(200):
        x, y = 0.01 + rng.uniform(-0.03, 0.03), 0.07 + rng.uniform(-0.025, 0.025)
        rig.device.state[:] = 0.0
        assert rig.see(x, y) == SAMPLE_OK
        assert math.hypot(rig.sample[0] + 0.01 - x, rig.sample[1] + 0.07 - y) < 28e-6


def test_velocity_of_a_steady_motion():
    rig = Rig()
    for k in range(60):
        assert rig.see(0.01 + 1e-4 * k, 0.07 + 5e-5 * k) == SAMPLE_OK
    assert rig.sample[SAMPLE_VELOCITY] == pytest.approx(0.1, abs=4e-3)
    assert rig.sample[SAMPLE_VELOCITY + 1] == pytest.approx(0.05, abs=4e-3)


@pytest.mark.parametrize("cut", range(1, 9))
def test_cut_answers_lose_themselves_and_at_most_the_next(cut):
    rig = Rig()
    rig.see(0.01, 0.07)
    assert rig.tick(answer_at(0.01, 0.07)[:cut]) == SAMPLE_NONE
    codes = [rig.see(0.01, 0.07) for _ in range(3)]
    assert codes[1:] == [SAMPLE_OK, SAMPLE_OK]
    assert math.hypot(*rig.sample[:2]) < 30e-6


@pytest.mark.parametrize("cut", range(1, 9))
def test_answer_in_two_ticks(cut):
    rig = Rig()
    rig.see(0.01, 0.07)
    data = answer_at(0.0101, 0.07)
    assert rig.tick(data[:cut]) == SAMPLE_NONE
    assert rig.tick(data[cut:]) == SAMPLE_OK


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e30])
def test_angles_that_are_none_are_not_taken(bad):
    rig = Rig()
    rig.see(0.01, 0.07)
    kept = rig.sample.copy()
    assert rig.tick(answer(bad, 30.0)) in (SAMPLE_NONE, SAMPLE_REFUSED)
    assert np.array_equal(rig.sample, kept)


def test_jumps_are_refused_and_the_third_is_a_fault():
    rig = Rig()
    rig.see(0.01, 0.07)
    angles = np.degrees(PantographPlant(Arm(), (0.01, 0.07)).angles())
    codes = [rig.tick(answer(angles[0] + 8.0, angles[1])) for _ in range(3)]
    assert codes == [SAMPLE_REFUSED, SAMPLE_REFUSED, SAMPLE_ENCODER]


def test_newest_answer_wins():
    rig = Rig()
    assert rig.tick(answer_at(0.01, 0.07) + answer_at(0.0101, 0.07) + answer_at(0.0102, 0.07)) == SAMPLE_OK
    assert rig.sample[0] == pytest.approx(0.0002, abs=30e-6)
    assert rig.device.memory[tick.STALE] == 2


def test_force_fades_where_the_links_are_in_line():
    rig = Rig()
    forces = []
    for y in np.linspace(0.07, 0.1195, 400):
        assert rig.see(0.01, y) == SAMPLE_OK
        rig.device.encode(np.array([0, 1.0, 0, 0, 0, 0]), rig.out, rig.rendered)
        forces.append(rig.rendered[1])
    assert forces[0] == pytest.approx(1.0) and forces[-1] < 0.4
    assert np.abs(np.diff(forces)).max() < 0.05


def test_closed_loop_holds_a_wall(tmp_path):
    """Hand, linkage, bytes and a wall of 300 N/m at the start: the tip stays near it, and every frame came whole."""
    with Emulator("hapi", tmp_path) as emulator:
        device = Hapi(options(port=emulator.path, simulated=True))
        device.open()
        rig = Rig()
        rig.device = device
        device.link.write(device.off)
        emulator.say("target 0.01 0.06")
        for _ in range(1500):
            data = device.link.read(9, 0.5)
            assert rig.tick(data) == SAMPLE_OK
            depth = max(0.0, -rig.sample[1])
            wrench = np.array([0.0, 300.0 * depth if depth else 0.0, 0, 0, 0, 0])
            count = device.encode(wrench, rig.out, rig.rendered)
            device.link.write(rig.out[:count].tobytes())
        device.close()
        frames = emulator.quit()
    poses = np.array([struct.unpack("<4d", frame.data) for frame in frames if frame.kind == "pose"])
    # balance of the hand's spring (135 N/m to 10 mm below) and the wall's: 3.1 mm deep
    assert poses[-1][1] == pytest.approx(0.07 - 0.0031, abs=0.0005)
    assert np.abs(poses[-200:, 2:]).max() < 0.01
    assert frames[-1].data.decode() == "lost 0 broken 0"


def test_silent_board_times_out(tmp_path):
    with Emulator("hapi", tmp_path, "--script", "0 off") as emulator:
        emulator.say("off")
        device = Hapi(options(port=emulator.path))
        with pytest.raises(DeviceTimeout, match="no hAPI board answers"):
            device.open()


def test_hardware_is_not_simulated():
    with pytest.raises(ConfigError, match="no pseudo terminal"):
        Hapi(options(port="/dev/null", simulated=True)).open()
