"""What lies in the shared memory beside the slots: the live state, its snapshots, and two arenas for scenes.

    live        State, Safety, driver, sample: all that one tick hands to the next; the servo writes it
    snapshot    two copies of `live` and of what commands change in the model, in turn (snapshot.py)
    arena       Model, its State at the start, what carries over from the scene before, and the scene's description

The builder (builder.py) fills the arena that is not in force; a command flips to it at a tick boundary. So nothing is
allocated in the servo, whatever scene comes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.kernel.guard.layout import Safety
from hapticd.kernel.layout import SAMPLE_SIZE, Model, State
from hapticd.memory import LINE, Memory
from hapticd.ring import TEXT_SIZE
from hapticd.safety import empty_safety
from hapticd.snapshot import Snapshots, snapshot_templates

GENERATION, TEXT_LENGTH, KEEP = 0, 1, 2  # words of an arena


def area_templates(model: Model, state: State, driver: NDArray[Any]) -> dict[str, Any]:
    """Templates for `Ring.create`, from a world of the right capacities and the driver's memory."""
    bodies, parts = len(model.kind), len(model.part_body)
    live = {
        "state": state,
        "safety": empty_safety(bodies),
        "driver": driver,
        "sample": np.zeros(SAMPLE_SIZE),
    }
    arena = {
        "word": np.zeros(8, np.int64),
        "carry_body": np.zeros(bodies, np.int32),
        "carry_part": np.zeros(parts, np.int32),
        "start": state,
        "model": model,
        "text": np.zeros(TEXT_SIZE, np.uint8),
    }
    size = _size(live) + _size(changeable(model))
    return {"live": live, "snapshot": snapshot_templates(size), "arena0": arena, "arena1": arena}


def changeable(model: Model) -> dict[str, NDArray[Any]]:
    """The model but for its shapes: what commands may change."""
    return {name: array for name, array in model._asdict().items() if name != "shapes"}


def _size(tree: Any) -> int:
    """Bytes of a subtree once it is placed: every array starts on a cache line."""
    items = tree._asdict() if hasattr(tree, "_asdict") else tree
    sizes = (-(-item.nbytes // LINE) * LINE if isinstance(item, np.ndarray) else _size(item) for item in items.values())
    return sum(sizes)


@dataclass(frozen=True)
class Arena:
    """One of the two places for a scene."""

    word: NDArray[np.int64]
    carry_body: NDArray[np.int32]  # old body of each new one, -1 for none
    carry_part: NDArray[np.int32]  # new part of each old one, -1 for none
    start: State
    model: Model
    text: NDArray[np.uint8]

    @classmethod
    def of(cls, memory: Memory, index: int) -> Arena:
        return cls(**memory.tree[f"arena{index}"])

    @property
    def generation(self) -> int:
        return int(self.word[GENERATION])

    def describe(self, description: dict[str, Any]) -> None:
        """Put the scene's description beside its model; one that is too long gives up all but the name."""
        data = json.dumps(description).encode()
        if len(data) > len(self.text):
            data = json.dumps({"name": str(description.get("name", ""))[:100]}).encode()
        self.text[: len(data)] = np.frombuffer(data, np.uint8)
        self.word[TEXT_LENGTH] = len(data)

    @property
    def description(self) -> dict[str, Any]:
        text = self.text[: int(self.word[TEXT_LENGTH])].tobytes()
        return dict(json.loads(text)) if text else {}


class Live:
    """The live state, and how it is copied into a snapshot."""

    def __init__(self, memory: Memory) -> None:
        tree = memory.tree["live"]
        self.state: State = tree["state"]
        self.safety: Safety = tree["safety"]
        self.driver: NDArray[Any] = tree["driver"]
        self.sample: NDArray[np.float64] = tree["sample"]
        self.snapshots = Snapshots(memory.tree["snapshot"])
        whole = memory.bytes_of(tree)
        self._pieces = [
            (whole, memory.bytes_of(changeable(memory.tree[f"arena{index}"]["model"]))) for index in range(2)
        ]

    def snapshot(self, tick: int, arena: int, driver: NDArray[Any]) -> None:
        """Copy all of it, and what the driver remembers, as it is after `tick`; nothing is allocated."""
        self.driver[...] = driver
        self.snapshots.write(tick, self._pieces[arena])
