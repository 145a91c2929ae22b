"""The I/O process's turn: a force once, the newest of both, and the last frame before it goes."""

import numpy as np

from hapticd.control import PLUGGED
from hapticd.device_io import DeviceIO
from hapticd.link import MailLink, mail_templates
from hapticd.ring import Ring, SlotSize


class Slow:
    """A device that remembers what it was sent and answers with a count."""

    class capabilities:  # noqa: N801
        input_size, output_size, rate_limit = 4, 4, 2000.0

    def __init__(self):
        self.sent, self.answers = [], True

    def exchange(self, out, count, raw):
        if count:
            self.sent.append(out[:count].tobytes())
        raw[:2] = len(self.sent), 9
        return 2 if self.answers else 0


def frame(data):
    return np.frombuffer(data, np.uint8).copy()


def make(tmp_path):
    device = Slow()
    ring = Ring.create(tmp_path / "ring", SlotSize(1, 4, 4, 100), mail_templates(device), {})
    return device, ring, DeviceIO(ring, device), MailLink(ring.memory.tree)


def test_newest_force_goes_out_once_and_the_newest_input_comes_in(tmp_path):
    device, ring, io, servo = make(tmp_path)
    io.turn()
    assert device.sent == []
    for data in (b"one", b"two"):
        servo.write(frame(data), 3)
    io.turn()
    io.turn()
    assert device.sent == [b"two"] and ring.control[PLUGGED, 0] == 3
    raw = np.zeros(4, np.uint8)
    assert servo.read(raw) == 2 and raw[:2].tolist() == [1, 9] and servo.read(raw) == 0
    device.answers = False
    io.turn()
    assert servo.read(raw) == 0


def test_last_frame_goes_out_before_the_end(tmp_path):
    device, _, io, servo = make(tmp_path)
    asked = []

    def stopped():
        if len(asked) == 3:
            servo.write(frame(b"off"), 3)
        asked.append(1)
        return len(asked) > 3

    io.run(stopped)
    assert device.sent == [b"off"]
