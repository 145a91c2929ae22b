"""The node graph is 3-regular, planar and that of the solid, whatever the points are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hapticd.scene.convex import ConvexShape
from hapticd.scene.graph import corner_graph


def face_loop(shape: ConvexShape, half_edge: int) -> list[int]:
    """The nodes of the face on the left of a half-edge, by walking: to the other end, then one slot back."""
    twin, loop, h = shape.graph.node_twin, [], half_edge
    while not loop or h != half_edge:
        assert len(loop) <= len(shape.graph.node_vertex)
        loop.append(h >> 2)
        other = int(twin[h])
        h = (other & ~3) | (((other & 3) + 2) % 3)
    return loop


def assert_graph(shape: ConvexShape) -> None:
    graph, n = shape.graph, len(shape.graph.node_vertex)
    half_edges = (4 * np.arange(n)[:, None] + np.arange(3)).ravel()
    twin = graph.node_twin
    assert np.array_equal(twin[twin[half_edges]], half_edges)
    assert (twin[half_edges] >> 2 != half_edges >> 2).all()
    assert (twin[3::4] == -1).all() and (graph.node_face[3::4] == -1).all()
    assert n - len(half_edges) // 2 + len(shape.planes) == 2
    assert len(shape.vertices) - len(shape.edges) + len(shape.planes) == 2
    size = np.abs(shape.vertices).max()
    for face, corners in enumerate(shape.faces):
        h = int(np.flatnonzero(graph.node_face == face)[0])
        loop = face_loop(shape, h)
        assert len(loop) == np.count_nonzero(graph.node_face == face)
        walked = graph.node_vertex[loop]
        kept = [int(v) for v, before in zip(walked, np.roll(walked, 1), strict=True) if v != before]
        turn = kept.index(int(corners[0]))
        assert kept[turn:] + kept[:turn] == corners.tolist()
        heights = shape.vertices[corners] @ shape.planes[face, :3] - shape.planes[face, 3]
        assert np.abs(heights).max() <= 1e-13 * size


def test_tetrahedron_by_hand() -> None:
    graph = corner_graph(4, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    assert graph.node_vertex.tolist() == [0, 1, 2, 3]
    assert graph.edge_start.tolist() == [0, 3, 6, 9, 12]
    # round corner 0, from its edge to 2: face 0 (0 2 1) lies before the edge to 1, face 1 (0 1 3) before that to 3
    assert graph.edge_vertex[:3].tolist() == [2, 1, 3]
    assert graph.node_face[:4].tolist() == [0, 1, 3, -1]


def test_pyramid_apex_is_split() -> None:
    shape = ConvexShape([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0], [0, 0, 1]])
    assert len(shape.vertices) == 5 and len(shape.graph.node_vertex) == 6
    assert_graph(shape)


@pytest.mark.parametrize(
    "shape",
    [
        ConvexShape.box((1, 2, 3)),
        ConvexShape.prism(500, 1.0, radius=1.0),
        ConvexShape.sphere(1.0, 0.01),
        ConvexShape(np.vstack([ConvexShape.prism(200, 0.1, radius=1).vertices[:200], [[0, 0, 1]]])),  # a cone
    ],
    ids=repr,
)
def test_primitives(shape: ConvexShape) -> None:
    assert_graph(shape)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 60), digits=st.integers(0, 16), scale=st.integers(-3, 3))
def test_any_points(seed: int, n: int, digits: int, scale: int) -> None:
    """Few digits make flush faces and collinear edges, many make general position."""
    rng = np.random.default_rng(seed)
    points = np.unique(np.round(rng.uniform(-2, 2, (n, 3)), digits), axis=0)
    if len(points) >= 4 and np.linalg.matrix_rank(points - points[0]) == 3:
        assert_graph(ConvexShape(points * 10.0**scale))
