"""The packed arrays hold every part as it was, at the place that the starts say."""

import numpy as np
import pytest

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_solid, pack_shapes

PARTS = [
    ConvexShape.box((1, 2, 3)),
    ConvexShape(np.random.default_rng(1).normal(size=(40, 3))),
    ConvexShape.prism(5, 1.0, radius=0.3).moved((10.0, 0.1, 0.7)),
]


def test_parts_come_back() -> None:
    shapes = pack_shapes(PARTS)
    for i, part in enumerate(PARTS):
        vertices = slice(*shapes.vertex_start[i : i + 2])
        nodes = slice(*shapes.node_start[i : i + 2])
        cells = slice(*(4 * shapes.node_start[i : i + 2]))
        assert np.array_equal(shapes.vertex[vertices], part.vertices)
        assert np.array_equal(shapes.plane[slice(*shapes.plane_start[i : i + 2])], part.planes)
        assert np.array_equal(shapes.node_vertex[nodes], part.graph.node_vertex)
        assert np.array_equal(shapes.node_twin[cells], part.graph.node_twin)
        assert np.array_equal(shapes.node_face[cells], part.graph.node_face)
        for v in range(len(part.vertices)):
            start, end = shapes.edge_start[shapes.vertex_start[i] + v : shapes.vertex_start[i] + v + 2]
            near = shapes.edge_vertex[start:end]
            pairs = {(min(v, int(w)), max(v, int(w))) for w in near}
            assert len(near) >= 3 and pairs <= {(int(a), int(b)) for a, b in part.edges}


def test_types_and_order() -> None:
    for array in pack_shapes(PARTS):
        assert array.flags.c_contiguous and array.dtype in (np.float64, np.int32)


def test_boxes_hold_all_corners() -> None:
    for row, part in zip(pack_shapes(PARTS).box, PARTS, strict=True):
        assert (np.abs(part.vertices - row[:3]) <= row[3:]).all()
        assert row[3:] == pytest.approx(np.ptp(part.vertices, axis=0) / 2, rel=1e-14)


def test_solid_has_room_for_the_two_largest() -> None:
    shapes = pack_shapes(PARTS)
    faces = sum(sorted(len(part.planes) for part in PARTS)[-2:])
    solid = make_solid(shapes)
    assert len(solid.plane) == len(solid.corner) == faces + 1  # and the lid
    assert solid.node.shape[1] >= 8 * faces and len(solid.twin) == len(solid.face) == 4 * solid.node.shape[1]
    assert len(make_solid(pack_shapes(PARTS[:1])).plane) == 13  # two bodies may share one shape


def test_no_parts() -> None:
    with pytest.raises(SceneError, match="at least one part"):
        pack_shapes([])
