"""How large the kernel's arrays are: the fields of a world for given capacities, and the world made of them.

    fields(capacity)            {"state.body": Field((128, 19), float64), ...}: what a shared-memory arena has to hold
    world(arrays)               Model, State, Work and Solid as views of such arrays; nothing is copied
    allocate(capacity)          the same in memory of this process

`build.py` fills a world; a scene smaller than its capacities leaves the rest zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.kernel.layout import (
    BODY_SIZE,
    CONTACT_SIZE,
    DEVICE_SIZE,
    GAIN_SIZE,
    LAW_SIZE,
    MASS_SIZE,
    OPTION_SIZE,
    POSE_SIZE,
    REPORT_SIZE,
    SCRIPT_SIZE,
    WORLD_SIZE,
    Model,
    Shapes,
    Solid,
    State,
    Work,
)
from hapticd.scene.pack import make_near, solid_for


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """The most that a world may hold."""

    bodies: int
    parts: int
    pairs: int
    materials: int
    vertices: int  # of all parts
    planes: int
    nodes: int
    edge_ends: int  # two for each edge
    part_planes: int  # of the part with most faces
    part_vertices: int  # of the part with most corners

    def holds(self, other: "Capacity") -> list[str]:
        """The names of what `other` needs more of."""
        return [f.name for f in dataclass_fields(self) if getattr(other, f.name) > getattr(self, f.name)]


class Field(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class World(NamedTuple):
    """Everything that `kernel.step.step` takes."""

    model: Model
    state: State
    work: Work
    solid: Solid


def fields(c: Capacity) -> dict[str, Field]:
    """Every array of a world by name, in the order of the layout."""
    real: dict[str, tuple[int, ...]] = {
        "shapes.vertex": (c.vertices, 3), "shapes.plane": (c.planes, 4), "shapes.box": (c.parts, 6),
        "model.origin": (c.bodies, 3), "model.mass": (c.bodies, MASS_SIZE), "model.script": (c.bodies, SCRIPT_SIZE),
        "model.gain": (c.materials**2, GAIN_SIZE), "model.world": (WORLD_SIZE,),
        "state.body": (c.bodies, BODY_SIZE), "state.applied": (c.bodies, 6), "state.device": (DEVICE_SIZE,),
        "state.fat_low": (c.parts, 3), "state.fat_high": (c.parts, 3),
        "state.contact": (c.pairs, CONTACT_SIZE), "state.law": (c.pairs, LAW_SIZE),
        "work.X_W": (c.bodies, POSE_SIZE), "work.wrench": (c.bodies, 6), "work.pair_wrench": (c.pairs, 6),
        "work.pointer": (6,), "work.stiffness": (c.pairs,), "work.low": (c.parts, 3), "work.high": (c.parts, 3),
        "work.old_contact": (c.pairs, CONTACT_SIZE), "work.old_law": (c.pairs, LAW_SIZE),
    }  # fmt: skip
    index: dict[str, tuple[int, ...]] = {
        "shapes.vertex_start": (c.parts + 1,), "shapes.plane_start": (c.parts + 1,),
        "shapes.node_start": (c.parts + 1,), "shapes.edge_start": (c.vertices + 1,),
        "shapes.edge_vertex": (c.edge_ends,), "shapes.node_vertex": (c.nodes,),
        "shapes.node_twin": (4 * c.nodes,), "shapes.node_face": (4 * c.nodes,),
        "model.part_body": (c.parts,), "model.kind": (c.bodies,), "model.material": (c.bodies,),
        "state.pair": (c.pairs, 2), "state.touch": (c.pairs,), "work.old_pair": (c.pairs, 2),
        "work.partner": (c.pairs,), "work.latest": (2, c.bodies), "work.old_touch": (c.pairs,),
    }  # fmt: skip
    count: dict[str, tuple[int, ...]] = {
        "model.option": (OPTION_SIZE,), "state.tick": (1,), "state.pair_count": (1,), "work.report": (REPORT_SIZE,),
    }  # fmt: skip
    every = {name: Field(shape, np.dtype(np.float64)) for name, shape in real.items()}
    every |= {name: Field(shape, np.dtype(np.int32)) for name, shape in index.items()}
    every |= {name: Field(shape, np.dtype(np.int64)) for name, shape in count.items()}
    every |= {
        "model.still": Field((c.bodies,), np.dtype(np.int8)),
        "work.near": Field((c.pairs,), np.dtype(np.int8)),
    }
    solid, near = solid_for(2 * c.part_planes, c.part_vertices), make_near(c.parts, c.pairs)
    every |= {f"solid.{name}": Field(array.shape, array.dtype) for name, array in solid._asdict().items()}
    for name in ("order", "head", "entry", "count", "pair"):
        array = getattr(near, name)
        every["work.found" if name == "pair" else f"work.{name}"] = Field(array.shape, array.dtype)
    return {name: every[name] for name in NAMES}


NAMES = tuple(
    f"{group}.{name}"
    for group, kind in (("shapes", Shapes), ("model", Model), ("state", State), ("work", Work), ("solid", Solid))
    for name in kind._fields
    if name != "shapes"
)


def world(arrays: Mapping[str, npt.NDArray[Any]]) -> World:
    """The arrays by their names in `fields`, as the kernel takes them."""

    def group(name: str) -> dict[str, npt.NDArray[Any]]:
        return {key.partition(".")[2]: array for key, array in arrays.items() if key.startswith(f"{name}.")}

    model = Model(shapes=Shapes(**group("shapes")), **group("model"))
    return World(model, State(**group("state")), Work(**group("work")), Solid(**group("solid")))


def allocate(capacity: Capacity) -> World:
    return world({name: np.zeros(field.shape, field.dtype) for name, field in fields(capacity).items()})
