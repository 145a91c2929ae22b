"""A whole daemon on the emulated SPIDAR: its hand presses the grip onto a floor, and the firmware goes wrong on demand.

with SpidarRig(tmp_path) as rig:
    rig.press()
    rig.emulator.say("off")
rig.currents()        what the boards were told, cycle by cycle, as the firmware counted them
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from hapticd.kernel.guard import layout as g
from tests.emulators.process import ROOT, Emulator
from tests.emulators.rig import Rig, wait_for

DEVICE = f"""
include = ["{ROOT}/configs/device/spidar_g6_x3r.toml"]
port = "{{port}}"
simulated = true
arm_on_start = true
"""
MOUNT = "\n[mount]\nposition = [0, 0, 0.012]\n"


class SpidarRig(Rig):
    """As Rig, with another device. Home is 2 mm above contact: 13 mm further the strings' workspace begins to end."""

    def __init__(self, folder: Path, script: str = "", **options: str) -> None:
        super().__init__(folder, **options)
        self.link, self.script = folder / "spidar", script
        text = self.config.read_text()
        scene = text[text.index("[safety]") :]
        self.config.write_text(f'device = "{folder}/device.toml"\n{MOUNT}\n{scene}')
        (folder / "device.toml").write_text(DEVICE.format(port=self.link))

    def __enter__(self) -> SpidarRig:
        self.plug_in()
        self.start()
        return self

    def plug_in(self) -> None:
        self.emulator = Emulator("spidar", self.memory.name, "--link", self.link, "--script", self.script)

    def press(self) -> None:
        """The hand leans on the floor until it feels more than half a newton."""
        self.wait_mode("ACTIVE")
        self.emulator.say("target 0 0 -0.02")
        wait_for(lambda: self.slot()["wrench"][g.WRENCH_SENT, 2] > 0.5 or self.mode()[0] == "FAULT", 30)
        assert self.slot()["wrench"][g.WRENCH_SENT, 2] > 0.5, self.mode()

    def say(self, words: str) -> int:
        """Tell the firmware; its own tick at which it obeyed."""
        before = len(self.emulator.frames("note"))
        self.emulator.say(words)
        self.emulator.wait_for(lambda frames: sum(frame.kind == "note" for frame in frames) > before)
        return self.emulator.frames("note")[-1].tick

    def currents(self) -> dict[int, np.ndarray]:
        """Units of all eight motors by the firmware's tick."""
        found: dict[int, list[int]] = {}
        for frame in self.emulator.frames("rx"):
            found.setdefault(frame.tick, []).extend(struct.unpack_from("<4h", frame.data, 1))
        return {tick: np.array(units) for tick, units in found.items() if len(units) == 8}

    def end(self) -> None:
        super().end()
        self.emulator.close()
