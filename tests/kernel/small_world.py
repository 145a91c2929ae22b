"""A whole tick without clock, bytes and processes: a small scene, the guard and slots, for the tests in this folder."""

from __future__ import annotations

import numpy as np

from hapticd.kernel.guard import layout as g
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_POSITION, SAMPLE_Q
from hapticd.kernel.status import SAMPLE_OK
from hapticd.kernel.tick import finish_tick, servo_tick
from hapticd.ring import SlotSize, slot_dtype
from hapticd.scene.arrays import allocate
from hapticd.scene.build import Settings, fill, needed
from hapticd.scene.file import load_scene
from hapticd.scene.material import PointerLimit
from hapticd.scene.plan import plan
from tests.kernel.guard.rig import Rig

WOOD = {"wood": {"stiffness": 600, "damping": 1, "mu": 0.3}}
FLOOR = {
    "name": "floor", "kind": "static", "material": "wood", "position": [0, 0, -0.05],
    "shape": {"type": "box", "size": [1, 1, 0.1]},
}  # fmt: skip
TOOL = {
    "name": "tool", "kind": "pointer", "material": "wood", "position": [0, 0, 0.012],
    "shape": {"type": "box", "size": [0.02, 0.02, 0.02]},
}  # fmt: skip


def block(name: str, x: float, z: float = 0.02) -> dict:
    return {
        "name": name, "material": "wood", "mass": 0.1, "position": [x, 0, z],
        "shape": {"type": "box", "size": [0.04, 0.04, 0.04]},
    }  # fmt: skip


def scene(*blocks: dict) -> dict:
    return {"name": "small", "material": WOOD, "body": [FLOOR, TOOL, *blocks]}


class World(Rig):
    """Model, State, guard and slots; `tick` is one tick with the hand at a place."""

    def __init__(self, table: dict, spare: int = 3, **keys: object) -> None:
        super().__init__(**keys)
        self.plan = plan(load_scene(table))
        fits = needed(self.plan)
        grown = {name: getattr(fits, name) + spare * 16 for name in type(fits).__dataclass_fields__}
        self.capacity = type(fits)(**grown)
        self.world = self.fill(table)
        self.model, self.state, self.work, self.solid = self.world
        self.state.device[6] = 1.0
        self.safety = self.safety._replace(push=np.zeros(self.capacity.bodies, np.int64))
        size = SlotSize(self.capacity.bodies, 16, 16, 100)
        self.slots = np.zeros(8, slot_dtype(size))
        self.views = g.Slots(**{name: self.slots[name] for name in g.Slots._fields})
        self.sample[SAMPLE_Q + 3] = self.sample[SAMPLE_HELD] = 1.0
        self.bytes = np.zeros(16, np.uint8)

    def fill(self, table: dict):
        made = allocate(self.capacity)
        fill(made, plan(load_scene(table)), Settings(1e-3, limit=PointerLimit(2.0)))
        return made

    def hand(self, z: float, x: float = 0.0):
        self.sample[SAMPLE_POSITION : SAMPLE_POSITION + 3] = x, 0.0, z

    def press(self, z: float, ticks: int = 15):
        """The hand comes down to z from above the floor, as hands do; the slot of the last tick."""
        for height in np.linspace(0.0102, z, ticks):
            self.hand(height)
            slot = self.tick()
        return slot

    def tick(self, code: int = SAMPLE_OK, **word: int):
        """The slot of this tick."""
        keep = self.inputs.word[g.INPUT_COMMANDS]
        self.inputs.word[:] = 0
        self.inputs.word[g.INPUT_CODE], self.inputs.word[g.INPUT_COMMANDS] = code, keep
        for name, value in word.items():
            self.inputs.word[getattr(g, f"INPUT_{name.upper()}")] = value
        i = int(self.word[g.WORD_TICK]) % len(self.slots)
        with np.errstate(all="ignore"):
            servo_tick(
                self.model, self.state, self.work, self.solid, self.inputs, self.safety, self.views, i
            )  # fmt: skip
        self.safety.wrench[g.WRENCH_RENDERED] = self.safety.wrench[g.WRENCH_SENT]
        finish_tick(
            self.model, self.state, self.work, self.solid, self.inputs, self.safety, self.views, i, self.bytes,
            self.bytes,
        )  # fmt: skip
        self.inputs.word[g.INPUT_COMMANDS] = 0
        return self.slots[i]

    def order(self, code: int, target: int = 0, ticks: int = 0, values: tuple[float, ...] = ()) -> None:
        """A command for the next tick."""
        n = int(self.inputs.word[g.INPUT_COMMANDS])
        row = self.inputs.command[n]
        row[:] = 0.0
        row[: g.COMMAND_VALUE] = n + 1, code, target, ticks
        row[g.COMMAND_VALUE : g.COMMAND_VALUE + len(values)] = values
        self.inputs.word[g.INPUT_COMMANDS] = n + 1

    def bits(self) -> bytes:
        """All that one tick hands to the next."""
        return b"".join(array.tobytes() for part in (self.state, self.safety) for array in part)
