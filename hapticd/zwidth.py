"""Z-width: how stiff a virtual spring an emulated device can hold, by damping; found by trying.

For `hapticd zwidth`. The grip hangs on a virtual spring and damper along one axis, is pushed by a step of the spring's
rest point, and the motion must die away. The largest stiffness that does is found by bisection for each damping. It is
compared with the linear bound K = b / (T/2 + t_d) of the declared damping and delay.

Only for simulated devices: on hardware this would drive a hand into instability. The loop here runs as fast as the
emulator answers and knows no real time; an emulator that moves its grip by one period per command (`--clock ticks`)
makes the result exact.
"""

import os
import select
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hapticd.device import Device, Transport
from hapticd.errors import ConfigError, DeviceTimeout
from hapticd.kernel.layout import SAMPLE_SIZE, SAMPLE_VELOCITY, WRENCH_SIZE
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_OK

STEP = 1e-3  # m, of the rest point
CENTRING = 40.0  # N/m that keeps the other axes near home
SETTLE, WATCH = 150, 450  # ticks of rest before a step, and after it
ANSWER_TIME = 0.5  # s
TRIES = 8  # bisections: the limit to 1/256 of the range


@dataclass(frozen=True)
class Row:
    """One line of the map."""

    damping: float  # Ns/m, virtual
    stiffness: float  # N/m, the largest that is stable
    predicted: float  # N/m


class Bench:
    """The device and the tick."""

    def __init__(self, device: Device, descriptor: int, period: float) -> None:
        have = device.capabilities
        if not have.simulated:
            raise ConfigError("zwidth: the device is not simulated; on hardware this would hurt the hand that holds it")
        if have.transport is not Transport.STREAM:
            raise ConfigError("zwidth: works with emulated devices on a stream (spidar, hapi)")
        self.device, self.descriptor, self.period = device, descriptor, period
        self.raw, self.out = np.zeros(have.input_size, np.uint8), np.zeros(have.output_size, np.uint8)
        self.sample, self.wrench = np.zeros(SAMPLE_SIZE), np.zeros(WRENCH_SIZE)
        self.rendered = np.zeros(WRENCH_SIZE)

    def tick(self, rest: float, stiffness: float, damping: float, axis: int) -> float:
        """Send the force for the last sample, wait for the next one; the position along the axis."""
        position, velocity = self.sample[:3], self.sample[SAMPLE_VELOCITY : SAMPLE_VELOCITY + 3]
        self.wrench[:3] = -CENTRING * position
        self.wrench[axis] = stiffness * (rest - position[axis]) - damping * velocity[axis]
        count = self.device.encode(self.wrench, self.out, self.rendered)
        os.write(self.descriptor, self.out[:count].tobytes())
        self.receive()
        return float(self.sample[axis])

    def receive(self) -> None:
        for _ in range(100):  # an answer may come in pieces
            if not select.select([self.descriptor], [], [], ANSWER_TIME)[0]:
                break
            data = os.read(self.descriptor, len(self.raw))
            self.raw[: len(data)] = np.frombuffer(data, np.uint8)
            code = self.device.decode(self.raw, len(data), self.sample)
            if code in (SAMPLE_OK, SAMPLE_ENCODER):
                return
        raise DeviceTimeout("zwidth: the emulator does not answer")

    def settle(self, axis: int) -> None:
        """A soft, well damped spring until the grip rests at home."""
        for _ in range(20 * SETTLE):
            self.tick(0.0, CENTRING, 1.0, axis)
            if np.abs(self.sample[:3]).max() < 5e-4 and np.abs(self.sample[SAMPLE_VELOCITY:][:3]).max() < 5e-3:
                return

    def is_stable(self, stiffness: float, damping: float, axis: int) -> bool:
        """Does the motion after a step of the rest point die away?"""
        self.settle(axis)
        for _ in range(SETTLE):
            self.tick(0.0, stiffness, damping, axis)
        track = np.array([self.tick(STEP, stiffness, damping, axis) for _ in range(WATCH)])
        early, late = _swing(track[: WATCH // 3]), _swing(track[-WATCH // 3 :])
        return bool(late < 0.9 * early + 2e-5)


def _swing(track: npt.NDArray[np.float64]) -> float:
    """Root mean square of the motion about its own line."""
    x = np.arange(len(track))
    return float(np.std(track - np.polyval(np.polyfit(x, track, 1), x)))


def search(bench: Bench, dampings: Sequence[float], axis: int = 0) -> list[Row]:
    """The map, a row per damping."""
    have = bench.device.capabilities
    predicted = have.damping / (0.5 * bench.period + have.delay)
    rows = []
    for damping in dampings:
        low, high = 0.0, 8.0 * predicted
        for _ in range(TRIES):
            middle = 0.5 * (low + high)
            if bench.is_stable(middle, damping, axis):
                low = middle
            else:
                high = middle
        rows.append(Row(damping, low, predicted))
    return rows
