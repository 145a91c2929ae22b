"""Faults at the emulated SPIDAR: the firmware misbehaves in its own process, the driver is served as the servo does.

What the whole daemon does about each code is tried at the test rig (tests/test_faults*.py); here it is what the driver
says, tick by tick, for bytes that come through a pseudo terminal.
"""

import os
import select
import struct

import numpy as np
import pytest

from hapticd.drivers import string_device as sd
from hapticd.drivers.spidar import FRAMES, SKIPPED, STALE, Spidar
from hapticd.kernel.layout import SAMPLE_SIZE
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_NONE, SAMPLE_OK, SAMPLE_REFUSED
from tests.drivers.test_spidar import options
from tests.emulators.process import Emulator

WAIT = 0.25  # s for an answer that should come; ticks are counted, not timed


class Loop:
    """Read, decode, encode, write; the emulator moves on by one tick for each frame."""

    def __init__(self, emulator):
        self.device = Spidar(options(port=emulator.path, simulated=True))
        self.descriptor = self.device.open()
        self.sample, self.rendered = np.zeros(SAMPLE_SIZE), np.zeros(6)
        self.raw = np.zeros(self.device.capabilities.input_size, np.uint8)
        self.out = np.zeros(self.device.capabilities.output_size, np.uint8)

    def tick(self, wrench=(0, 0, 0, 0, 0, 0), wait=WAIT):
        """One frame out, what has come in; a sample code."""
        count = self.device.encode(np.array(wrench, float), self.out, self.rendered)
        os.write(self.descriptor, self.out[:count].tobytes())
        code, whole = SAMPLE_NONE, self.device.memory[FRAMES]
        # an answer may come in pieces; on a busy machine the first may be late
        while select.select([self.descriptor], [], [], wait)[0]:
            data = os.read(self.descriptor, len(self.raw))
            self.raw[: len(data)] = np.frombuffer(data, np.uint8)
            gap = self.device.memory[sd.GAP]
            code = self.device.decode(self.raw, len(data), self.sample)
            if self.device.memory[FRAMES] != whole:
                return code
            self.device.memory[sd.GAP] = gap  # a piece is no lost tick
        self.device.memory[sd.GAP] += 1
        return code

    def run(self, ticks, wait=WAIT):
        return [self.tick(wait=wait) for _ in range(ticks)]

    def close(self):
        os.write(self.descriptor, self.device.off)
        self.device.close()


@pytest.fixture
def start(tmp_path):
    """A loop on an emulator with a script; ticks of the script count from the first frame of the handshake on."""
    running = []

    def begin(script="", *arguments):
        emulator = Emulator("spidar", tmp_path, "--script", script, *arguments)
        running.append(emulator)
        return Loop(emulator), emulator

    yield begin
    for emulator in running:
        emulator.close()


def test_silent_device_gives_no_samples(start):
    loop, _ = start("30 off")
    codes = loop.run(28) + loop.run(6, wait=0.05)
    first = codes.index(SAMPLE_NONE)
    assert 20 <= first <= 30 and set(codes[first:]) == {SAMPLE_NONE}


def test_slow_device_answers_every_second_tick(start):
    loop, _ = start("20 slow 2")
    loop.run(20)
    codes = [loop.tick(wait=0.05) for _ in range(12)]
    assert codes.count(SAMPLE_OK) == 6 and codes.count(SAMPLE_NONE) == 6


def test_lost_answers_are_counted_exactly(start):
    loop, emulator = start("20 intermittent 0.1")
    codes = loop.run(300, wait=0.05)
    loop.close()
    frames = emulator.quit()
    lost = int(frames[-1].data.decode().split()[1])
    assert codes.count(SAMPLE_NONE) == lost and 10 < lost < 60
    assert set(codes) == {SAMPLE_OK, SAMPLE_NONE}


@pytest.mark.parametrize("cut", [1, 24, 25, 26, 49, 50, 56])
def test_cut_answer_is_one_lost_tick(start, cut):
    loop, _ = start(f"30 cut {cut}")
    codes = [loop.tick(wait=0.05) for _ in range(60)]
    assert 1 <= codes.count(SAMPLE_NONE) <= 2 and codes.count(SAMPLE_OK) >= 58


def test_garbage_is_passed_over(start):
    """64 KiB from a device: at most 512 bytes are looked at in a tick, and the loop comes back."""
    loop, emulator = start()
    loop.run(20)
    for _ in range(8):  # the pseudo terminal holds 4 KiB at a time
        emulator.say("garbage 3000")
        loop.tick(wait=0.1)
    codes = loop.run(20, wait=0.1)
    assert loop.device.memory[SKIPPED] > 2000
    assert set(codes[-5:]) == {SAMPLE_OK}


def test_every_answer_twice(start):
    loop, _ = start("20 duplicate")
    codes = loop.run(60)
    assert set(codes) == {SAMPLE_OK} and loop.device.memory[STALE] >= 20


def test_stuck_encoder_while_the_hand_moves(start):
    loop, emulator = start("20 stuck 3")
    loop.run(30)
    emulator.say("target 0.012 0.006 -0.008")
    codes = loop.run(800)
    assert SAMPLE_ENCODER in codes
    assert loop.device.memory[sd.SUSPECT] in range(8)


def test_jump_is_refused_and_the_third_is_a_fault(start):
    loop, _ = start("30 wrong 2 1024")
    codes = loop.run(45)
    first = codes.index(SAMPLE_REFUSED)
    assert codes[first : first + 3] == [SAMPLE_REFUSED, SAMPLE_REFUSED, SAMPLE_ENCODER]
    assert np.abs(loop.sample[:3]).max() < 2e-3, "the pose moved with the jump"


def test_counter_wrap_is_no_event(start):
    """A counter that starts at the end of its 16 bits, and a hand that pulls it over."""
    loop, emulator = start("", "--start", 32760)
    loop.run(10)
    emulator.say("target 0.01 0.01 0.01")
    codes = loop.run(600)
    assert set(codes) == {SAMPLE_OK} and loop.device.memory[sd.REFUSED] == 0
    loop.close()
    poses = [struct.unpack("<13d", frame.data) for frame in emulator.quit() if frame.kind == "pose"]
    assert np.abs(loop.sample[:3] - poses[-2][:3]).max() < 2e-4


def test_unplugged_line_is_an_error_of_the_descriptor(start):
    loop, emulator = start()
    loop.run(10)
    emulator.say("unplug")
    with pytest.raises(OSError):
        for _ in range(200):
            if not os.read(loop.descriptor, 512) if select.select([loop.descriptor], [], [], 0.05)[0] else False:
                raise OSError("end of file")
            os.write(loop.descriptor, loop.device.off)
    loop.device.close()


def test_closed_loop_renders_what_it_says(start):
    """A constant wrench against the hand's spring: the grip goes where statics put it, as is reported."""
    loop, emulator = start()
    for _ in range(1500):
        loop.tick((1.0, 0.5, -0.5, 0, 0, 0))
    assert np.abs(loop.rendered[:3] - [1.0, 0.5, -0.5]).max() < 0.02
    assert np.abs(loop.sample[:3] - np.array([1.0, 0.5, -0.5]) / 135.0).max() < 4e-4
    loop.close()
    assert emulator.quit()[-1].data.decode().endswith("collisions 0")
