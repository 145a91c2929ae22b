"""Live state and snapshots: a copy is whole, holds what the driver remembers, and does not follow what comes after."""

import numpy as np

from hapticd.areas import Arena, Live, area_templates
from hapticd.kernel import layout as k
from hapticd.ring import Ring, SlotSize
from hapticd.scene.arrays import Capacity, allocate

CAPACITY = Capacity(
    bodies=3, parts=3, pairs=4, materials=2, vertices=32, planes=64, nodes=128, edge_ends=192, part_planes=8,
    part_vertices=8,
)  # fmt: skip


def test_snapshot_is_the_state_the_driver_and_the_changeable_model(tmp_path):
    world = allocate(CAPACITY)
    areas = area_templates(world.model, world.state, np.zeros(5))
    ring = Ring.create(tmp_path / "ring", SlotSize(3, 8, 8, 100), areas, {})
    live, arena = Live(ring.memory), Arena.of(ring.memory, 1)
    live.state.body[2, 3] = 1.25
    live.safety.memory[7] = -2.5
    arena.model.gain[1, 0] = 600.0
    live.snapshot(41, 1, np.array([1.0, 2, 3, 4, 5]))
    live.state.body[2, 3] = 9.0
    tick, data = live.snapshots.read(40)
    assert tick == 41
    whole = ring.memory.bytes_of(ring.memory.tree["live"])
    assert len(data) >= len(whole)
    whole[:] = np.frombuffer(data[: len(whole)], np.uint8)
    assert live.state.body[2, 3] == 1.25 and live.safety.memory[7] == -2.5 and live.driver.tolist() == [1, 2, 3, 4, 5]
    assert np.array([600.0]).tobytes() in data[len(whole) :]


def test_description_beside_the_model(tmp_path):
    world = allocate(CAPACITY)
    ring = Ring.create(
        tmp_path / "ring", SlotSize(3, 8, 8, 100), area_templates(world.model, world.state, np.zeros(1)), {}
    )
    arena = Arena.of(ring.memory, 0)
    assert arena.description == {} and arena.generation == 0
    arena.describe({"name": "würfel", "body": [1]})
    assert arena.description == {"name": "würfel", "body": [1]}
    arena.describe({"name": "big", "body": ["x" * 1000] * 1000})
    assert arena.description == {"name": "big"}
    assert isinstance(arena.model, k.Model) and isinstance(arena.start, k.State)
