"""What every driver must do (hapticd/device.py): subclass `DriverContract`, give a fixture `device`, and run.

class TestMine(DriverContract):
    @pytest.fixture
    def device(self): ...            # an opened device; closed again afterwards

    def frames(self, device): ...    # a few valid input byte strings, one per tick
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest

from hapticd.device import Device, check_frames
from hapticd.kernel.layout import SAMPLE_Q, SAMPLE_SIZE, WRENCH_SIZE
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED

CODES = {SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED, SAMPLE_ENCODER}
HOSTILE = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0]
GUARD_BYTE = 0xC3  # fills what a driver must not touch


class Bench:
    """The servo's buffers for one driver, with a margin behind each that must stay as it was."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.raw = np.zeros(device.capabilities.input_size, np.uint8)
        self.out = np.full(device.capabilities.output_size + 64, GUARD_BYTE, np.uint8)
        self.sample = np.full(SAMPLE_SIZE + 8, 123.0)
        self.rendered = np.full(WRENCH_SIZE + 8, 123.0)
        self.sample[:SAMPLE_SIZE] = 0.0
        self.sample[SAMPLE_Q + 3] = 1.0
        self.rendered[:WRENCH_SIZE] = 0.0

    def decode(self, data: bytes) -> int:
        self.raw[: len(data)] = np.frombuffer(data, np.uint8)
        code = self.device.decode(self.raw, len(data), self.sample[:SAMPLE_SIZE])
        assert np.all(self.sample[SAMPLE_SIZE:] == 123.0)
        return code

    def encode(self, wrench: np.ndarray) -> bytes:
        kept = wrench.copy()
        count = self.device.encode(
            wrench, self.out[: self.device.capabilities.output_size], self.rendered[:WRENCH_SIZE]
        )
        assert np.array_equal(kept, wrench, equal_nan=True), "encode changed the wrench"
        assert np.all(self.out[self.device.capabilities.output_size :] == GUARD_BYTE)
        assert np.all(self.rendered[WRENCH_SIZE:] == 123.0)
        assert 0 < count <= self.device.capabilities.output_size
        return self.out[:count].tobytes()


class DriverContract:
    """One instance per driver; see the module's head."""

    def frames(self, device: Device) -> Sequence[bytes]:
        raise NotImplementedError

    def test_constant_frames_fit(self, device: Device) -> None:
        check_frames(device)

    def test_capabilities_are_physical(self, device: Device) -> None:
        have = device.capabilities
        for value in (have.force_continuous, have.thermal_time, have.velocity_peak, have.rate_limit):
            assert 0 < value < np.inf
        assert have.force_continuous <= have.force_peak < np.inf
        assert 0 <= have.torque_continuous <= have.torque_peak < np.inf
        assert have.delay >= 0 and have.damping >= 0 and have.dof in (1, 2, 3, 6)
        assert have.identity and have.title and have.motors

    def test_valid_frames_decode(self, device: Device) -> None:
        bench = Bench(device)
        codes = [bench.decode(frame) for frame in self.frames(device)]
        assert SAMPLE_OK in codes and set(codes) <= {SAMPLE_OK, SAMPLE_NONE}
        assert np.all(np.isfinite(bench.sample[:SAMPLE_SIZE]))
        assert np.linalg.norm(bench.sample[SAMPLE_Q : SAMPLE_Q + 4]) == pytest.approx(1.0, abs=1e-9)

    def test_any_bytes_decode_to_a_code_and_a_finite_sample(self, device: Device) -> None:
        bench, random = Bench(device), np.random.default_rng(1)
        valid = b"".join(self.frames(device))
        for k in range(400):
            if k % 3:
                data = random.integers(0, 256, random.integers(0, device.capabilities.input_size + 1), np.uint8)
            else:  # valid bytes with one bit flipped: closer to the edge of what passes
                data = np.frombuffer(valid, np.uint8)[: device.capabilities.input_size].copy()
                data[random.integers(len(data))] ^= 1 << random.integers(8)
            assert bench.decode(data.tobytes()) in CODES
            assert np.all(np.isfinite(bench.sample[:SAMPLE_SIZE]))
            assert np.linalg.norm(bench.sample[SAMPLE_Q : SAMPLE_Q + 4]) == pytest.approx(1.0, abs=1e-9)

    def test_any_wrench_encodes(self, device: Device) -> None:
        bench, random = Bench(device), np.random.default_rng(2)
        for _ in range(300):
            wrench = random.normal(size=WRENCH_SIZE) * 10.0 ** random.uniform(-3, 4)
            spoilt = random.integers(0, WRENCH_SIZE, 2)
            wrench[spoilt] = random.choice(HOSTILE, 2)
            bench.encode(wrench)
            assert np.all(np.isfinite(bench.rendered[:WRENCH_SIZE]))

    def test_no_wrench_is_no_wrench(self, device: Device) -> None:
        bench = Bench(device)
        for frame in self.frames(device):
            bench.decode(frame)
        bench.encode(np.zeros(WRENCH_SIZE))
        assert np.all(np.abs(bench.rendered[:WRENCH_SIZE]) < 1e-2 * device.capabilities.force_peak)

    def test_remembers_only_in_state(self, device: Device) -> None:
        """Same bytes from the same state: same samples and same frames, bit for bit. Exact replay rests on it."""
        bench, start, runs = Bench(device), device.state.copy(), []
        wrench = np.array([0.4, -0.2, 0.1, 0.01, 0.0, -0.02])
        for _ in range(2):
            device.state[...] = start
            bench.sample[:SAMPLE_SIZE] = 0.0
            bench.sample[SAMPLE_Q + 3] = 1.0
            run = []
            for k, frame in enumerate(self.frames(device)):
                code = bench.decode(frame)
                run.append((code, bench.sample.tobytes(), bench.encode(wrench * np.cos(k)), bench.rendered.tobytes()))
            runs.append(run)
        assert runs[0] == runs[1]

    def test_a_tick_does_not_grow_memory(self, device: Device) -> None:
        bench, frames, wrench = Bench(device), list(self.frames(device)), np.zeros(WRENCH_SIZE)

        def ticks(n: int) -> None:
            for k in range(n):
                bench.decode(frames[k % len(frames)])
                bench.encode(wrench)

        ticks(50)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        ticks(500)
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 16_384
