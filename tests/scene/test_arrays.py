"""scene/arrays.py: every field of the layout has a size, and views are views."""

import numpy as np

from hapticd.kernel.layout import Model, Shapes, Solid, State, Work
from hapticd.scene.arrays import Capacity, fields, world

SMALL = Capacity(
    bodies=4,
    parts=5,
    pairs=8,
    materials=2,
    vertices=40,
    planes=30,
    nodes=40,
    edge_ends=120,
    part_planes=6,
    part_vertices=8,
)


def test_every_field_is_there_once():
    names = list(fields(SMALL))
    wanted = sum(len(kind._fields) for kind in (Shapes, Model, State, Work, Solid)) - 1  # Model.shapes is a group
    assert len(names) == len(set(names)) == wanted


def test_a_world_is_made_of_the_arrays_given():
    arrays = {name: np.zeros(field.shape, field.dtype) for name, field in fields(SMALL).items()}
    made = world(arrays)
    made.state.body[2, 3] = 7.0
    made.model.shapes.box[1, 1] = 5.0
    assert arrays["state.body"][2, 3] == 7.0 and arrays["shapes.box"][1, 1] == 5.0


def test_what_does_not_fit_is_named():
    larger = Capacity(**{**vars(SMALL), "bodies": 9, "nodes": 41})
    assert SMALL.holds(larger) == ["bodies", "nodes"] and larger.holds(SMALL) == []
