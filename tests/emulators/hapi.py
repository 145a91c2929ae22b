"""An emulated hAPI board with a 2DIY pantograph on a pseudo terminal.

    python -m tests.emulators.hapi --link /tmp/hapticd-hapi

Written from the frame description; shares no code with the driver. The firmware reads what is there without waiting:
a frame that is cut is lost, together with what it was read as. It answers command 2 only, with the angles from before
the new torques. The tip moves by one period per answered command.
"""

import argparse
import math
import struct

from tests.emulators.faults import Faults
from tests.emulators.frame_log import FrameLog
from tests.emulators.pantograph_plant import Arm, PantographPlant
from tests.emulators.pty_device import PtyDevice

TORQUE_CLIP = 0.123  # Nm


class Hapi(PtyDevice):
    def __init__(self, arguments):
        self.faults = Faults(arguments.script)
        self.plant = PantographPlant(Arm(held=not arguments.free))
        self.period = 1.0 / arguments.rate
        self.tick, self.broken = 0, 0
        self.motors, self.encoders = [], []  # set up by the host: active ports, (offset, counts per turn)
        self.log = FrameLog(arguments.log)
        super().__init__(self.faults, arguments.link)

    def receive(self, data):
        answers = b""
        while data:
            used, answer = self.frame(data)
            answers += answer
            data = data[used:]
        return answers

    def frame(self, data):
        """One frame from the front of what is there: (bytes used, answer)."""
        if data[0] == 0 and len(data) >= 2:
            self.motors, self.encoders = [], []
            return 2, b""
        if data[0] == 1:
            return self.set_up(data)
        size = 2 + 4 * len(self.motors)
        if data[0] == 2 and len(data) >= size and self.motors:
            self.log.add(self.tick, "rx", data[:size])
            return size, self.torques(data)
        self.broken += 1
        self.log.note(self.tick, f"broken {data[:12].hex()}")
        return len(data), b""

    def set_up(self, data):
        at = 2
        self.motors = [k for k in range(4) if data[at] >> k & 1]
        at += 1 + len(self.motors)
        ports = [k for k in range(4) if data[at] >> k & 1]
        at += 1 + len(ports)
        at += 1 + data[at]  # analog pins
        at += 1 + data[at]  # PWM pins
        self.encoders = [struct.unpack_from("<2f", data, at + 8 * k) for k in range(len(ports))]
        self.log.add(self.tick, "setup", data[: at + 8 * len(ports)])
        return at + 8 * len(ports), b""

    def torques(self, data):
        answer = bytes([data[1]]) + b"".join(struct.pack("<f", angle) for angle in self.shown())
        torque = struct.unpack_from(f"<{len(self.motors)}f", data, 2)
        self.plant.torque[:] = [max(-TORQUE_CLIP, min(TORQUE_CLIP, t)) if math.isfinite(t) else 0.0 for t in torque]
        self.plant.advance(self.period)
        self.tick += 1
        for words in self.faults.due(self.tick):
            self.word(words)
        answer = self.faults.answer(self.tick, answer)
        if answer:
            self.log.add(self.tick, "tx", answer)
        self.log.add(self.tick, "pose", struct.pack("<4d", *self.plant.p, *self.plant.v))
        return answer

    def counts(self):
        turns = self.plant.angles() / (2 * math.pi)
        pairs = zip(turns, self.encoders, strict=True)
        return [math.floor((turn - offset / 360) * per_turn) for turn, (offset, per_turn) in pairs]

    def shown(self):
        counts = self.faults.counts(self.counts())
        return [offset + 360 * n / per_turn for n, (offset, per_turn) in zip(counts, self.encoders, strict=True)]

    def word(self, words):
        if self.faults.say(words, self.counts() if self.encoders else [0, 0]):
            pass
        elif words[0] == "target":
            self.plant.target[:] = [float(x) for x in words[1:3]]
        elif words[0] == "shock":
            self.plant.v[:] = [float(x) for x in words[1:3]]
        else:
            return super().word(words)
        self.log.note(self.tick, " ".join(words))
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--free", action="store_true", help="no hand holds the tip")
    parser.add_argument("--script", default="")
    parser.add_argument("--link", default="")
    parser.add_argument("--log", default="")
    device = Hapi(parser.parse_args())
    try:
        device.serve()
    finally:
        device.log.note(device.tick, f"lost {device.faults.lost} broken {device.broken}")
        device.log.close()
        device.unplug()


if __name__ == "__main__":
    main()
