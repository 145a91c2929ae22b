"""The simulated device: the contract, and a hand that moves as Newton says."""

import numpy as np
import pytest

from hapticd.device import open_device
from hapticd.errors import ConfigError
from hapticd.kernel.layout import SAMPLE_OMEGA, SAMPLE_POSITION, SAMPLE_Q, SAMPLE_SIZE, SAMPLE_VELOCITY
from tests.drivers.contract import DriverContract

LINE = [[0, 0, 0, 0], [1, 0.05, 0, 0], [2, 0, 0, 0]]


class Run:
    """A device, ticked by hand."""

    def __init__(self, **options):
        self.device, _ = open_device("virtual", options)
        self.raw = np.zeros(self.device.capabilities.input_size, np.uint8)
        self.out = np.zeros(self.device.capabilities.output_size, np.uint8)
        self.sample, self.rendered = np.zeros(SAMPLE_SIZE), np.zeros(6)

    def tick(self, wrench=(0, 0, 0, 0, 0, 0)):
        count = self.device.encode(np.array(wrench, float), self.out, self.rendered)
        n = self.device.exchange(self.out, count, self.raw)
        assert self.device.decode(self.raw, n, self.sample) == 1
        return self.sample

    def frame(self):
        self.tick()
        return self.raw.tobytes()


class TestVirtual(DriverContract):
    @pytest.fixture(params=["spidar", "handle"])
    def device(self, request):
        device, descriptor = open_device("virtual", {"kind": request.param, "path": LINE})
        assert descriptor == -1
        yield device
        device.close()

    def frames(self, device):
        run = Run(kind=device.options.kind, path=LINE)
        return [run.frame() for _ in range(6)]


def test_stiff_hand_follows_its_path_to_the_point():
    run = Run(hand="stiff", path=[[0, 0, 0, 0], [1, 0.05, -0.02, 0.01, 0.2, 0, 0], [2, 0, 0, 0]])
    positions = np.array(
        [run.tick((20, 0, 0, 0, 0, 0))[SAMPLE_POSITION : SAMPLE_POSITION + 3].copy() for _ in range(2000)]
    )
    assert np.allclose(positions[999], [0.05, -0.02, 0.01], atol=1e-9) and np.allclose(positions[-1], 0, atol=1e-6)
    assert np.abs(np.diff(positions, axis=0)).max() < 0.05 * 1.9e-3


def test_velocity_is_the_derivative_of_the_position():
    run = Run(hand="stiff", path=[[0, 0, 0, 0, 0, 0, 0], [1, 0.05, 0, 0, 0.4, 0, 0], [2, 0, 0, 0]])
    samples = np.array([run.tick().copy() for _ in range(900)])
    slope = np.gradient(samples[:, SAMPLE_POSITION], 1e-3)
    assert np.abs(slope - samples[:, SAMPLE_VELOCITY])[1:-1].max() < 1e-5
    angle = 2 * np.arcsin(samples[:, SAMPLE_Q])
    assert np.abs(np.gradient(angle, 1e-3) - samples[:, SAMPLE_OMEGA])[1:-1].max() < 1e-3


def test_soft_hand_yields_by_force_over_stiffness():
    run = Run(hand="soft", stiffness=200.0)
    for _ in range(4000):
        x = run.tick((0, 0, 3.0, 0, 0, 0))[SAMPLE_POSITION + 2]
    assert x == pytest.approx(3.0 / 200.0, rel=1e-3)
    for _ in range(4000):
        turn = 2 * np.arcsin(run.tick((0, 0, 0, 0.05, 0, 0))[SAMPLE_Q])
    assert turn == pytest.approx(0.05 / (200.0 * 0.03**2), rel=0.01)


def test_handle_has_two_axes():
    run = Run(kind="handle", path=[[0, 0, 0, 0], [1, 0.05, 0.03, 0.04], [2, 0, 0, 0]])
    for _ in range(500):
        sample = run.tick((1, 1, 1, 1, 1, 1))
    assert sample[SAMPLE_POSITION + 2] == 0 and sample[SAMPLE_Q + 3] == 1 and sample[SAMPLE_POSITION] != 0
    assert np.array_equal(run.rendered, [1, 1, 0, 0, 0, 0])


def test_resolution_is_that_of_an_encoder():
    run = Run(hand="stiff", path=LINE, resolution=1e-4)
    steps = np.array([run.tick()[SAMPLE_POSITION] for _ in range(1000)]) / 1e-4
    assert np.allclose(steps, np.round(steps), atol=1e-9) and len(np.unique(np.round(steps))) > 100


@pytest.mark.parametrize(
    "path, words",
    [
        ([[0, 0, 0, 0]], "two points"),
        ([[0, 0, 0], [1, 0, 0]], "4 numbers"),
        ([[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], "rise"),
        ([[0, 0, 0, 0], [1, 0, 0, 0, 0.9, 0.9, 0]], "radian"),
    ],
)
def test_bad_path_is_refused(path, words):
    with pytest.raises(ConfigError, match=words):
        open_device("virtual", {"path": path})
