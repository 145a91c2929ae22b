"""A ring filled as the servo does it, with random ticks whose contents are known: for tests of those who read it."""

from pathlib import Path

import numpy as np

from hapticd.control import NEWEST
from hapticd.kernel.guard import layout as g
from hapticd.ring import Ring, SlotSize
from hapticd.snapshot import Snapshots, snapshot_templates

SIZE = SlotSize(bodies=8, input_size=64, output_size=27, rate_hz=1000)
STATE_SIZE = 5000


def make_ring(folder: Path) -> Ring:
    return Ring.create(folder / "ring", SIZE, {"snapshot": snapshot_templates(STATE_SIZE)}, {"device": "test"})


class RingWriter:
    """Tick k is a function of k alone; every hundredth has a command, every `snapshot_ticks`-th a snapshot."""

    def __init__(self, ring: Ring, snapshot_ticks: int = 1000) -> None:
        self.ring, self.tick, self.snapshot_ticks = ring, 0, snapshot_ticks
        self.snapshots = Snapshots(ring.memory.tree["snapshot"])
        self.pattern = np.random.default_rng(5).normal(size=4096)

    def write(self, count: int = 1) -> None:
        for _ in range(count):
            k = self.tick
            i = k % self.ring.count
            self.ring.slots["sequence"][i] = 2 * k + 1
            self.fill(self.ring.slots[i], k)
            self.ring.slots["sequence"][i] = 2 * k + 2
            if k % self.snapshot_ticks == 0:
                self.snapshots.write(k, [state_after(k)])
            self.ring.control[NEWEST, 0] = k + 1
            self.tick += 1

    def fill(self, slot: np.ndarray, k: int) -> None:
        some = self.pattern[k % 1000 :]
        slot["tick"] = k
        slot["time"] = 10**9 + k * 10**6 + np.arange(g.TIME_SIZE) * 1000
        slot["input"] = 0
        slot["input"][g.INPUT_RAW] = k % 43
        slot["input"][g.INPUT_COMMANDS] = 2 if k % 100 == 0 else 0
        slot["command"][:2] = some[:24].reshape(2, 12)
        slot["sample"] = some[: slot["sample"].size]
        slot["pointer"] = some[20:33]
        slot["wrench"] = some[40:64].reshape(4, 6)
        slot["word"] = k % 7
        slot["word"][g.WORD_SENT] = k % 27
        slot["word"][g.WORD_BODIES] = 6
        slot["word"][g.WORD_CONTACTS] = k % 5
        slot["word"][g.WORD_GENERATION] = 1 + k // 1500
        slot["guard"] = some[70:75]
        slot["body"] = some[80:184].reshape(8, 13)
        slot["contact"][:8] = some[200:328].reshape(8, 16)
        slot["contact_of"][:8] = k
        slot["raw"] = k % 251
        slot["sent"] = k % 241


def state_after(k: int) -> np.ndarray:
    """The bytes that a snapshot of tick k holds."""
    return np.random.default_rng(k).integers(0, 256, STATE_SIZE).astype(np.uint8)
