"""The SPIDAR driver: the contract, the way from a pose to bytes and back, bad sensors, every flipped bit."""

import math
import struct
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hapticd.device import Transport
from hapticd.document import load
from hapticd.drivers import spidar_protocol as protocol
from hapticd.drivers import string_device as sd
from hapticd.drivers.spidar import FRAMES, SKIPPED, STALE, Spidar
from hapticd.errors import ConfigError, DeviceOpenError
from hapticd.kernel.layout import SAMPLE_OMEGA, SAMPLE_SIZE, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED
from tests.drivers.contract import DriverContract
from tests.emulators.board_thread import Boards
from tests.oracle.grip import angle_between, random_pose, string_lengths

FOLDER = Path(__file__).parents[2] / "configs" / "device"
B3M = (5, 12, 4, 4, 0, 0, 4)
B5M = (7, 12, 8, 0, 4, 0, 4)


def options(name="spidar_g6_x3r", **more):
    table = {**load(FOLDER / f"{name}.toml").data, **more}
    table.pop("driver")
    return table


class Rig:
    """A driver with known boards but no line: bytes are packed here, plainly, from true poses."""

    def __init__(self, name="spidar_g6_x3r", boards=((0, *B3M), (1, *B3M)), start=30000, **more):
        self.device = Spidar(options(name, **more))
        self.device.use_boards([protocol.Board(*board) for board in boards])
        self.motors = [board[3] for board in boards]
        self.ids, self.first = [board[0] for board in boards], boards[0]
        g = self.device.geometry
        strings = g.rows()
        self.exits, self.knots, self.pulse = strings[:, :3], strings[:, 3:6], np.array(g.metres_per_pulse)
        self.start = np.arange(g.n_string) * 999 + start
        self.home = string_lengths(self.exits, self.knots, np.zeros(3), [0, 0, 0, 1])
        self.device.use_home(self.start.tolist())
        self.sample, self.rendered = np.zeros(SAMPLE_SIZE), np.zeros(6)
        self.raw = np.zeros(self.device.capabilities.input_size, np.uint8)
        self.out = np.zeros(self.device.capabilities.output_size, np.uint8)

    def counts(self, pose):
        lengths = string_lengths(self.exits, self.knots, pose[:3], pose[3:])
        return np.rint((lengths - self.home) / self.pulse).astype(int) + self.start

    def frame(self, counts):
        words = [int(count) & 0xFFFF for count in counts] + [0] * sum(self.motors)
        data, at = b"", 0
        for board, n in zip(self.ids, self.motors, strict=True):
            data += struct.pack(f"<B{n}H{n}H4H", 0x30 | board, *words[at : at + n], *[0] * n, *[0] * 4)
            at += n
        return data + bytes([0x08 | self.ids[0], *self.first[1:7]])

    def tick(self, data):
        self.raw[: len(data)] = np.frombuffer(data, np.uint8)
        return self.device.decode(self.raw, len(data), self.sample)

    def see(self, pose):
        return self.tick(self.frame(self.counts(pose)))

    def pull(self, wrench):
        count = self.device.encode(np.array(wrench, float), self.out, self.rendered)
        return self.out[:count].tobytes()

    def walk(self, start, end, ticks):
        """From pose to pose in even steps; the codes."""
        turn = Rotation.from_quat(end[3:]) * Rotation.from_quat(start[3:]).inv()
        codes = []
        for k in range(1, ticks + 1):
            s = k / ticks
            q = (Rotation.from_rotvec(s * turn.as_rotvec()) * Rotation.from_quat(start[3:])).as_quat()
            codes.append(self.see(np.concatenate([start[:3] + s * (end[:3] - start[:3]), q])))
        return codes


HOME = np.array([0, 0, 0, 0, 0, 0, 1.0])


class TestContract(DriverContract):
    @pytest.fixture(params=[("5,5", "0,1", "old"), ("5,5", "3,6", "new"), ("7", "2", "new")], ids=["old", "new", "B5M"])
    def device(self, request):
        models, ids, generation = request.param
        with Boards(models, ids, generation) as boards:
            device = Spidar(options(port=boards.path))
            assert device.open() >= 0
            yield device
            device.close()

    def frames(self, device):
        rng = np.random.default_rng(7)
        rig = Rig()
        frames = []
        for k in range(20):
            pose = np.array([1e-4 * k, 0, -5e-5 * k, 0, 0, 0, 1.0])
            counts = rig.counts(pose) - rig.start + np.array(device.home_counts)
            data, at = b"", 0
            for board in device.boards:
                words = [int(count) & 0xFFFF for count in counts[at : at + board.n_motor]]
                extra = rng.integers(0, 65536, board.n_motor + board.extra).tolist()
                data += struct.pack(f"<B{2 * board.n_motor + board.extra}H", 0x30 | board.id, *words, *extra)
                at += board.n_motor
            frames.append(data + device.boards[0].info)
        return frames


@pytest.mark.parametrize("boards", [((0, *B3M), (1, *B3M)), ((5, *B5M),)], ids=["two B3M", "B5M"])
@pytest.mark.parametrize(("name", "reach", "angle"), [
    ("spidar_g6_x3r", 0.02, 20), ("spidar_g6_x3l", 0.02, 20), ("spidar_g6_x4", 0.025, 20), ("spidar_g6_c", 0.03, 25),
    ("spidar_g6_45", 0.08, 25), ("spidar_i7", 0.003, 6), ("spidar_4", 0.03, 0),
])  # fmt: skip
def test_pose_to_bytes_to_pose(name, boards, reach, angle):
    """Within the resolution of one count, over the workspace: |A (pose - true)| stays below a count on every string."""
    rng = np.random.default_rng(3)
    rig = Rig(name, boards)
    worst = 0.0
    for _ in range(200):
        pose = random_pose(rng, reach, math.radians(angle))
        rig.device.use_home(rig.start.tolist())
        assert rig.see(pose) == SAMPLE_OK
        back = string_lengths(rig.exits, rig.knots, rig.sample[:3], rig.sample[3:7])
        true = string_lengths(rig.exits, rig.knots, pose[:3], pose[3:])
        worst = max(worst, np.abs((back - true) / rig.pulse).max())
        assert np.abs((back - true) / rig.pulse).max() <= 1.0
        if name == "spidar_g6_x3r":
            assert np.linalg.norm(rig.sample[:3] - pose[:3]) < 60e-6
            assert angle_between(rig.sample[3:7], pose[3:]) < 3e-3
    assert worst > 0.3, "counts were not quantised"


def test_counters_wrap_without_a_trace():
    """From near the end of the 16 bits in both directions: the pose goes on."""
    for start in (32760, -32760, 65530, 0):
        rig = Rig(start=start)
        rig.see(HOME)
        assert set(rig.walk(HOME, np.array([0.015, 0.01, -0.01, 0, 0, 0, 1.0]), 60)) == {SAMPLE_OK}
        assert np.abs(rig.sample[:3] - [0.015, 0.01, -0.01]).max() < 40e-6
        assert rig.device.memory[sd.REFUSED] == 0


def test_velocity_of_a_steady_motion():
    """0.1 m/s and 1 rad/s: right to 2 mm/s and 0.1 rad/s, with no wobble beyond that."""
    rig = Rig()
    rig.see(HOME)
    end = np.concatenate([[0.02, 0, 0], Rotation.from_rotvec([0, 0.2, 0]).as_quat()])
    rig.walk(HOME, end, 180)
    seen = []
    start = end
    for k in range(20):
        s = 1 + (k + 1) / 180
        rig.see(np.concatenate([[0.02 * s, 0, 0], Rotation.from_rotvec([0, 0.2 * s, 0]).as_quat()]))
        seen.append(rig.sample[SAMPLE_VELOCITY : SAMPLE_OMEGA + 3].copy())
    true = np.array([0.02 / 0.18, 0, 0, 0, 0.2 / 0.18, 0])
    assert start is end
    assert np.abs(np.array(seen)[:, :3] - true[:3]).max() < 4e-3
    assert np.abs(np.array(seen)[:, 3:] - true[3:]).max() < 0.2


@pytest.mark.parametrize("power", range(9, 16))
def test_jump_is_refused_and_the_third_is_a_fault(power):
    rig = Rig()
    rig.see(HOME)
    kept = rig.sample.copy()
    counts = rig.counts(HOME)
    counts[3] += 1 << power
    assert [rig.tick(rig.frame(counts)) for _ in range(3)] == [SAMPLE_REFUSED, SAMPLE_REFUSED, SAMPLE_ENCODER]
    assert np.array_equal(rig.sample, kept)
    assert rig.device.memory[sd.SUSPECT] == 3


def test_single_jump_is_forgiven():
    rig = Rig()
    rig.see(HOME)
    counts = rig.counts(HOME)
    counts[0] += 5000
    assert rig.tick(rig.frame(counts)) == SAMPLE_REFUSED
    assert [rig.see(HOME) for _ in range(3)] == [SAMPLE_OK] * 3
    assert np.abs(rig.sample[SAMPLE_VELOCITY:13]).max() < 1e-9


# m and rad: what one flipped bit that no check sees may move the grip by. At K = 2 kN/m that is 1 N; the slew limit of
# the guard holds besides.
FLIP_MOVES, FLIP_TURNS = 0.5e-3, 0.04


def test_every_flipped_bit_is_refused_or_small():
    rig = Rig()
    good = rig.frame(rig.counts(HOME))
    outcome = {SAMPLE_OK: 0, SAMPLE_REFUSED: 0, SAMPLE_NONE: 0}
    for bit in range(8 * len(good)):
        rig.device.use_home(rig.start.tolist())
        assert [rig.tick(good) for _ in range(3)] == [SAMPLE_OK] * 3
        spoilt = bytearray(good)
        spoilt[bit // 8] ^= 1 << bit % 8
        code = rig.tick(bytes(spoilt))
        outcome[code] += 1
        assert np.linalg.norm(rig.sample[:3]) <= FLIP_MOVES
        assert angle_between(rig.sample[3:7], HOME[3:]) <= FLIP_TURNS
        assert rig.tick(good) in (SAMPLE_OK, SAMPLE_NONE) and rig.tick(good) == SAMPLE_OK
    # 9 known bytes; 8 positions of 16 bits, of which the high ones must be seen
    assert outcome[SAMPLE_NONE] == 9 * 8
    assert outcome[SAMPLE_REFUSED] >= 8 * 9


@pytest.mark.parametrize("string", range(8))
def test_stuck_encoder_is_found(string):
    """At home a string that stands still while the grip moves on a circle of 8 mm: a fault within the first turns."""
    rig = Rig()
    rig.see(HOME)
    stuck = rig.counts(HOME)[string]
    for k in range(2000):
        a = 2 * math.pi * k / 500
        counts = rig.counts(
            np.array([8e-3 * math.sin(a), 8e-3 * (1 - math.cos(a)), 4e-3 * math.sin(2 * a), 0, 0, 0, 1])
        )
        counts[string] = stuck
        code = rig.tick(rig.frame(counts))
        if code == SAMPLE_ENCODER:
            assert k < 300
            return
        assert code in (SAMPLE_OK, SAMPLE_REFUSED)
    raise AssertionError("never found")


def test_turning_about_a_string_is_no_fault():
    """A grip that turns about the line of one string keeps its length; the others agree, so it is believed."""
    rig = Rig()
    rig.see(HOME)
    axis = rig.exits[0] - rig.knots[0]
    axis /= np.linalg.norm(axis)
    codes = set()
    for k in range(400):
        turn = Rotation.from_rotvec(axis * 0.35 * math.sin(2 * math.pi * k / 400))
        p = rig.knots[0] - turn.apply(rig.knots[0])  # the knot stays where it is
        codes.add(rig.see(np.concatenate([p, turn.as_quat()])))
    assert codes == {SAMPLE_OK}


def test_lost_string_runs_in_and_is_a_fault():
    """A torn string is wound up: its length falls by ten metres per second squared."""
    rig = Rig()
    rig.see(HOME)
    home = rig.counts(HOME)
    for k in range(200):
        counts = home.copy()
        counts[5] += round(-5.0 * (k * 1e-3) ** 2 / rig.pulse[5])
        if rig.tick(rig.frame(counts)) == SAMPLE_ENCODER:
            assert k < 60
            return
    raise AssertionError("never found")


def test_wrong_calibration_is_refused_at_once():
    rig = Rig()
    rig.device.use_home((rig.start + np.array([400, 400, -300, -300, 200, 500, 0, -500])).tolist())
    codes = [rig.see(HOME) for _ in range(40)]
    assert codes[-1] == SAMPLE_ENCODER


def test_lost_frames_are_counted_and_bridged():
    rig = Rig()
    rig.see(HOME)
    rig.walk(HOME, np.array([0.01, 0, 0, 0, 0, 0, 1.0]), 100)
    for _ in range(3):
        assert rig.tick(b"") == SAMPLE_NONE
    assert rig.see(np.array([0.0104, 0, 0, 0, 0, 0, 1.0])) == SAMPLE_OK
    assert rig.sample[SAMPLE_VELOCITY] == pytest.approx(0.1, abs=0.01)
    assert rig.device.memory[FRAMES] == 102


def test_duplicates_and_garbage_are_counted():
    rig = Rig()
    frame = rig.frame(rig.counts(HOME))
    rig.tick(frame * 3)
    assert rig.device.memory[STALE] == 2
    rig.tick(bytes([0xEE] * 40) + frame)
    assert rig.device.memory[SKIPPED] == 40


def test_wrench_is_rendered_inside_and_reported_outside():
    rng = np.random.default_rng(4)
    rig = Rig()
    inside = 0
    for _ in range(150):
        pose = random_pose(rng, 0.03, math.radians(40))
        rig.device.use_home(rig.start.tolist())
        rig.see(pose)
        wrench = rng.normal(size=6) * ([2] * 3 + [0.02] * 3)
        frame = rig.pull(wrench)
        units = np.array([struct.unpack_from("<h", frame, at)[0] for at in protocol.motor_offsets(rig.device.boards)])
        tension = units / (0.365297 * 4096 / 3.3)
        assert (tension >= 0.299).all() and (tension <= 9.1).all()
        # by plain statics, from the true pose
        arms = Rotation.from_quat(pose[3:]).apply(rig.knots)
        pulls = rig.exits - arms - pose[:3]
        pulls *= (tension / np.linalg.norm(pulls, axis=1))[:, None]
        true = np.concatenate([pulls.sum(axis=0), np.cross(arms, pulls).sum(axis=0)])
        assert np.abs(true - rig.rendered)[:3].max() < 0.02 and np.abs(true - rig.rendered)[3:].max() < 1e-3
        if rig.device.memory[sd.GAIN] == 1.0 and rig.device.memory[sd.SHARE] == 1.0:
            inside += 1
            assert np.linalg.norm((rig.rendered - wrench)[:3]) < 0.01 * np.linalg.norm(wrench[:3])
            assert np.linalg.norm((rig.rendered - wrench)[3:]) < 0.01 * np.linalg.norm(wrench[3:]) + 1e-4
    assert 40 < inside < 150


def test_force_fades_at_the_edge_without_a_step():
    """Turned slowly out of the workspace under a constant wrench: the force falls to almost nothing, smoothly."""
    rig = Rig()
    forces = []
    for k in range(600):
        rig.see(np.concatenate([[0, 0, 0], Rotation.from_rotvec([math.radians(0.1 * k), 0, 0]).as_quat()]))
        rig.pull([2.0, 0, 0, 0, 0, 0])
        forces.append(rig.rendered[:3].copy())
    forces = np.array(forces)
    assert abs(forces[0, 0] - 2) < 0.02 and np.linalg.norm(forces[-1]) < 0.1
    assert np.linalg.norm(np.diff(forces, axis=0), axis=1).max() < 0.1


def test_no_wrench_pulls_with_least_tension():
    rig = Rig()
    rig.see(HOME)
    assert rig.pull([0] * 6) != rig.device.off
    assert np.abs(rig.rendered).max() < 0.01
    units = [struct.unpack_from("<h", rig.device.rest, at)[0] for at in protocol.motor_offsets(rig.device.boards)]
    assert units == [round(0.3 * 0.365297 * 4096 / 3.3)] * 8


def test_signs_of_x4_pull_inwards():
    """volts_per_newton is negative for strings 2-5: their currents are, too, and the clamp allows no other sign."""
    rig = Rig("spidar_g6_x4", ((0, *B5M),))
    rig.see(HOME)
    rig.pull([0, 1, 0, 0, 0, 0])
    units = rig.device.units
    assert (np.sign(units) == [1, 1, -1, -1, -1, -1, 1, 1]).all()
    for motor, unit in zip(rig.device.capabilities.motors, units, strict=True):
        assert motor.low <= unit <= motor.high and motor.high - motor.low == 1024
    assert rig.rendered[1] == pytest.approx(1.0, abs=0.02)


def test_capabilities():
    device = Rig().device
    have = device.capabilities
    assert have.transport is Transport.STREAM and have.watchdog is None and have.dof == 6
    assert have.delay == pytest.approx(1.48e-3)
    assert 12 < have.force_peak < 20 and 0.2 < have.torque_peak < 0.3
    assert all(0.015 < half < 0.06 for half in have.workspace.half) and math.radians(20) < have.workspace.angle < 0.8
    assert len(device.panic[0]) >= 84 and not any(device.panic[0]) and device.panic[1:] == (device.off, device.off)


def test_too_few_motors_are_refused():
    with Boards("5", "0") as boards:
        device = Spidar(options(port=boards.path))
        with pytest.raises(DeviceOpenError, match="4 motors on the boards 0: B3M; SPIDAR-G6 X3R has 8 strings"):
            device.open()


def test_hardware_is_not_simulated(tmp_path):
    device = Spidar(options(simulated=True))
    with pytest.raises(ConfigError, match="no pseudo terminal"):
        device.use_boards([protocol.Board(0, *B3M), protocol.Board(1, *B3M)], pseudo=False)


def test_calibration_is_used_and_checked(tmp_path):
    path = tmp_path / "home.toml"
    text = 'geometry = "SPIDAR-G6 X3R"\nboards = [[0, 5], [1, 5]]\nhome_counts = [1, 2, 3, 4, 5, 6, 7, 8]\n'
    path.write_text(text)
    with Boards("5,5", "0,1") as boards:
        device = Spidar(options(port=boards.path, calibration=str(path)))
        device.open()
        assert device.home_counts.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
        device.close()
        path.write_text(text.replace("[1, 5]", "[1, 7]"))
        with pytest.raises(ConfigError, match="run `hapticd calibrate`"):
            device.open()


@pytest.mark.parametrize(
    ("key", "value"), [("reply", "newest"), ("baud", 1), ("prt", "x"), ("residual_limit_mm", -1.0)]
)
def test_bad_options_are_named(key, value):
    with pytest.raises(ConfigError, match=key):
        Spidar(options(**{key: value}))
