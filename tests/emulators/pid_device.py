"""A force-feedback joystick that takes the reports of the PID class, in three byte layouts; a stick, a spring, a hand.

Bytes are read at fixed places, as firmware does; nothing is shared with the driver. As the kernel leaves it at plug-in,
it starts with actuators on and an autocenter spring running in block 1, until it is reset or told to stop all.
"""

import math
import struct
import time

from tests.emulators.pid_descriptor import FEATURES, RANGES, descriptor

LOOP = 1e-3  # s between input reports


class PidDevice:
    def __init__(self, layout, log, slow_loads=1):
        self.layout, self.log, self.slow_loads = layout, log, slow_loads
        self.descriptor = descriptor(layout)
        self.create, self.load, self.pool = FEATURES[layout]
        self.enabled, self.gain, self.held = True, 255, True
        self.effects = {1: {"type": 8, "plays": True, "magnitude": 0, "direction": 0.0}}
        self.last_block, self.load_tries, self.full = 0, 0, False
        self.position, self.velocity = [0.0, 0.0], [0.0, 0.0]  # of the stick, -1..1
        self.target = [0.0, 0.0]
        self.tick, self.then = 0, time.monotonic()

    # reports from the host

    def output(self, data):
        self.log.add(self.tick, "rx", bytes(data))
        handler = {1: self.set_effect, 5: self.constant, 0x0A: self.operate, 0x0B: self.free, 0x0C: self.control}
        if data[0] == 0x0D:
            self.gain = data[1]
        elif data[0] in handler:
            handler[data[0]](bytes(data))

    def control(self, data):
        word = data[1]
        if self.layout == "openffboard":
            word = {1: 1, 2: 2, 4: 3, 8: 4, 16: 5, 32: 6}.get(word, 0)
        if word == 1:
            self.enabled = True
        elif word == 2:
            self.enabled = False
        elif word == 3:
            for effect in self.effects.values():
                effect["plays"] = False
        elif word == 4:
            self.effects, self.enabled = {}, False

    def set_effect(self, data):
        block, kind = data[1], data[2]
        if block not in self.effects:
            return
        if self.layout == "openffboard":
            length, axes, direction = 18, data[13], struct.unpack_from("<H", data, 14)[0] / 36000
        else:
            length, axes, direction = 14, data[11], data[12] / (180 if self.layout == "sidewinder" else 255)
        assert len(data) == length, (len(data), length)
        duration = struct.unpack_from("<H", data, 3)[0]
        for_ever = (0x7FFF,) if self.layout != "openffboard" else (0, 0xFFFF)
        effect = self.effects[block]
        effect["type"], effect["for ever"] = kind, duration in for_ever
        # without "direction enable" (bit 2) the device takes the axes as they come
        effect["direction"] = direction * 2 * math.pi if axes & 4 else None

    def constant(self, data):
        block, magnitude = struct.unpack_from("<Bh", data, 1)
        if block in self.effects and abs(magnitude) <= RANGES[self.layout]:
            self.effects[block]["magnitude"] = magnitude / RANGES[self.layout]

    def operate(self, data):
        block, kind = data[1], data[2]
        if block in self.effects:
            self.effects[block]["plays"] = kind in (1, 2)

    def free(self, data):
        self.effects.pop(data[1], None)

    def set_feature(self, data):
        self.log.add(self.tick, "set", bytes(data))
        if data[0] == self.create and data[1] == 1:
            free = [block for block in range(1, 41) if block not in self.effects]
            self.last_block, self.load_tries = (0 if self.full else free[0]), 0
            if self.last_block:
                self.effects[self.last_block] = {"type": 1, "plays": False, "magnitude": 0, "direction": None}

    def get_feature(self, number):
        self.log.add(self.tick, "get", bytes([number]))
        if number == self.load:
            self.load_tries += 1
            if self.load_tries <= self.slow_loads:
                return struct.pack("<BBBH", number, 0, 3, 0)  # busy shows as an error
            return struct.pack("<BBBH", number, self.last_block, 1 if self.last_block else 2, 1000)
        if number == self.pool:
            return struct.pack("<BHBB", number, 4096, 40, 3)
        return None

    # the stick

    def force(self):
        """What the motors give, -1..1 per axis; the hand's switch cuts them."""
        x = y = 0.0
        for effect in self.effects.values():
            if effect["plays"] and effect["type"] == 1 and effect["direction"] is not None:
                x += effect["magnitude"] * math.sin(effect["direction"])
                y -= effect["magnitude"] * math.cos(effect["direction"])
        on = self.gain / 255 if self.enabled and self.held else 0.0
        return x * on, y * on

    def advance(self, seconds):
        steps = max(1, round(seconds / 2e-3))
        for _ in range(steps):
            for k, push in enumerate(self.force()):
                pull = 40.0 * (self.target[k] - self.position[k]) - 6.0 * self.velocity[k] + 30.0 * push
                self.velocity[k] += seconds / steps * pull / 0.1
                self.position[k] = max(-1.0, min(1.0, self.position[k] + seconds / steps * self.velocity[k]))

    def step(self):
        """Time goes on; the input reports that are due."""
        now = time.monotonic()
        self.advance(min(now - self.then, 0.05))
        self.then = now
        self.tick += 1
        return [self.axes_report(), self.state_report()]

    def axes_report(self):
        x, y = self.position
        if self.layout == "sidewinder":
            x, y = (round(511 * v) & 0x3FF for v in (x, y))
            return struct.pack("<BHHBBBB4x", 1, x, y, 0, 0, 0x0F, 0b10)
        x, y = (round(32767 * v) for v in (x, y))
        if self.layout == "arduino":
            return struct.pack("<BhhH", 1, x, y, 0b10)
        return struct.pack("<BQ8h", 1, 0b10, x, y, 0, 0, 0, 0, 0, 0)

    def state_report(self):
        status = self.enabled << 1 | self.held << 2 | 1 << 4
        return bytes([2, status, 0])

    def word(self, words):
        if words[0] == "held":
            self.held = words[1] == "1"
        elif words[0] == "target":
            self.target = [float(x) for x in words[1:3]]
        elif words[0] == "full":
            self.full = True
        self.log.note(self.tick, " ".join(words))
