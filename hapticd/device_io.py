"""The I/O process of a device whose calls block (HID): between the servo's mailbox and the driver's `exchange`.

    servo ─► box out ─► exchange (write, read: 0.3 ms usually, 5 ms now and then) ─► box in ─► servo

The newest of both counts: a force that was not sent in time is replaced, not queued. A force is sent once; when the
servo is gone nothing new comes. At the end the last frame, which is `off`, is sent before the process goes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hapticd.clock import Clock
from hapticd.control import PLUGGED
from hapticd.device import Device
from hapticd.link import Box
from hapticd.ring import Ring


class DeviceIO:
    """Both boxes from the device's side."""

    def __init__(self, ring: Ring, device: Device) -> None:
        tree: dict[str, Any] = ring.memory.tree
        self.device, self.control = device, ring.control
        self.inward = Box(tree["mail_in"], tree["mail_in_bytes"])
        self.outward = Box(tree["mail_out"], tree["mail_out_bytes"])
        self.raw = np.zeros(device.capabilities.input_size, np.uint8)
        self.out = np.zeros(device.capabilities.output_size, np.uint8)

    def turn(self) -> None:
        """One exchange: the newest force out if there is a new one, the newest input in if there is one."""
        count = self.outward.take(self.out)
        got = self.device.exchange(self.out, count, self.raw)
        if got:
            self.inward.put(self.raw, got)
        self.control[PLUGGED, 0] += 1

    def run(self, stopped: Callable[[], bool]) -> None:
        """Until told to stop; never faster than the device."""
        pace = Clock(int(1e9 / self.device.capabilities.rate_limit))
        pace.start()
        while not stopped():
            self.turn()
            pace.wait()
        self.turn()
        time.sleep(0.005)  # the frame is in the kernel's hands; let it out before the descriptor closes
