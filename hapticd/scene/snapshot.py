"""The state of a world as bytes, and its hash: what a log keeps, what a replay compares.

Only rows in use count, so a world of larger capacities with the same scene has the same hash.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.kernel.layout import OPTION_BODIES, OPTION_PARTS
from hapticd.scene.arrays import World


def used(world: World) -> Iterator[npt.NDArray[Any]]:
    """The rows in use of every field of State, in the order of the layout; views."""
    bodies, parts = int(world.model.option[OPTION_BODIES]), int(world.model.option[OPTION_PARTS])
    pairs = int(world.state.pair_count[0])
    rows = {"body": bodies, "applied": bodies, "fat_low": parts, "fat_high": parts}
    rows |= dict.fromkeys(("pair", "touch", "contact", "law"), pairs)
    for name, array in world.state._asdict().items():
        yield array[: rows.get(name, len(array))]


def state_hash(world: World) -> str:
    """64 hexadecimal digits of all bits of the state."""
    digest = hashlib.sha256()
    for array in used(world):
        digest.update(array.tobytes())
    return digest.hexdigest()


def take(world: World) -> bytes:
    """The whole state; 8 bytes for the number of pairs, then the rows in use."""
    return b"".join([world.state.pair_count.tobytes(), *(array.tobytes() for array in used(world))])


def put(world: World, data: bytes) -> None:
    """Put a state back that was taken from a world of the same scene."""
    count = int(np.frombuffer(data[:8], dtype=np.int64)[0]) if len(data) >= 8 else -1
    if not 0 <= count <= len(world.state.pair):
        raise SceneError(f"a snapshot with {count} pairs; this world holds {len(world.state.pair)}")
    before = int(world.state.pair_count[0])
    world.state.pair_count[0] = count
    if len(data) != 8 + sum(array.nbytes for array in used(world)):
        world.state.pair_count[0] = before
        raise SceneError(f"a snapshot of {len(data)} bytes is not one of this scene; nothing was changed")
    for array in (world.state.pair, world.state.touch, world.state.contact, world.state.law):
        array[count:] = 0
    start = 8
    for array in used(world):
        array[...] = np.frombuffer(data, array.dtype, array.size, start).reshape(array.shape)
        start += array.nbytes
