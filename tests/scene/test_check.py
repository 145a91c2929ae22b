"""Bad corners are refused with a typed error that names body and vertex, and soon."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hapticd.errors import SceneError
from hapticd.scene.check import MOST_CORNERS, MOST_INPUT
from hapticd.scene.convex import ConvexShape

CORNERS = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]


def with_vertex(i: int, vertex: list[float]) -> list[list[float]]:
    return [*CORNERS[:i], vertex, *CORNERS[i + 1 :]]


@pytest.mark.parametrize(
    ("vertices", "words"),
    [
        (with_vertex(5, [0.0, np.nan, 1.0]), r"lid: vertex 5 is \[0.0, nan, 1.0\]; .* finite"),
        (with_vertex(2, [np.inf, 0.0, 1.0]), r"lid: vertex 2 is \[inf, 0.0, 1.0\]; .* finite"),
        (with_vertex(7, [1e7, 0.0, 1.0]), r"lid: vertex 7 is \[10000000.0, 0.0, 1.0\]; .* at most 1e\+06"),
        (with_vertex(7, [1e300, 0.0, 1.0]), r"lid: vertex 7 .* at most 1e\+06"),
        (with_vertex(6, [0.0, 1.0, 0.0]), r"lid: vertex 6 repeats vertex 2 at \[0.0, 1.0, 0.0\]"),
        (CORNERS[:3], "lid: 3 vertices; a solid has at least 4"),
        ([], r"lid: vertices of shape \(0,\)"),
        (CORNERS[:4], "lid: all vertices lie in the plane of vertices 0, . and ."),
        ([[t, 2 * t, 3 * t] for t in range(9)], "lid: all vertices lie on the line of vertices 0 and 8"),
        ((np.array(CORNERS) * 1e-9).tolist(), "lid: longest side 1e-09 m"),
        ([[0.0, 0.0]] * 8, r"lid: vertices of shape \(8, 2\)"),
        ([["a", "b", "c"]] * 8, "lid: vertices are not numbers"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0]], "lid: vertices are not numbers"),
        (None, "lid: vertices .*"),
    ],
)
def test_refused(vertices, words: str) -> None:
    with pytest.raises(SceneError, match=words) as caught:
        ConvexShape(vertices, name="lid")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("thickness", [1e-12, 1e-10])
def test_nearly_flat_in_any_direction(thickness: float) -> None:
    rng = np.random.default_rng(2)
    normal = np.array([1.0, 2.0, 2.0]) / 3
    points = rng.uniform(-1, 1, (50, 3))
    points -= np.outer(points @ normal, normal) * (1 - thickness)
    with pytest.raises(SceneError, match="plane of vertices"):
        ConvexShape(points)


def test_thin_plate_is_fine() -> None:
    assert ConvexShape.box((1e3, 1e3, 1e-3)).volume == pytest.approx(1e3, rel=1e-12)


def test_a_million_points_of_a_box() -> None:
    points = np.random.default_rng(3).uniform(-1, 1, (1_000_000, 3))
    points[-8:] = 2 * np.array(CORNERS) - 1
    shape = ConvexShape(points)
    assert len(shape.vertices) == 8 and shape.volume == pytest.approx(8.0, rel=1e-12)


def test_a_million_points_of_a_sphere() -> None:
    points = np.random.default_rng(4).normal(size=(1_000_000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    with pytest.raises(
        SceneError, match=f"globe: 1000000 vertices, .* corners .vertex 0 .* allowed are {MOST_CORNERS} corners"
    ):
        ConvexShape(points, name="globe")


def test_too_many_corners() -> None:
    points = np.random.default_rng(5).normal(size=(MOST_CORNERS + 1, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    with pytest.raises(SceneError, match=f"globe: {MOST_CORNERS + 1} corners .*; allowed are {MOST_CORNERS}"):
        ConvexShape(points, name="globe")


def test_far_too_many_corners() -> None:
    points = np.random.default_rng(6).normal(size=(20_000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    with pytest.raises(SceneError, match=r"globe: no solid .* 20000 vertices: about 20000 corners"):
        ConvexShape(points, name="globe")


def test_too_many_points_to_look_at() -> None:
    points = np.broadcast_to(np.zeros(3), (MOST_INPUT + 1, 3))
    with pytest.raises(SceneError, match=f"allowed are {MOST_INPUT}"):
        ConvexShape(points)


@settings(max_examples=200, deadline=None)
@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=0, max_dims=3, max_side=12), elements=st.floats()))
def test_any_floats_give_a_shape_or_a_scene_error(vertices: np.ndarray) -> None:
    try:
        shape = ConvexShape(vertices, name="fuzz")
    except SceneError as error:
        assert str(error).startswith("fuzz: ") and "\n" not in str(error)
    else:
        assert shape.volume > 0 and np.isfinite(shape.planes).all()


@settings(max_examples=300, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(4, 20), st.just(3)),
        elements=st.sampled_from([-1.0, 0.0, 1.0, 1e-3, 1e3, 1e-9, 1 + 1e-15, 1 - 1e-12, 0.1, 1 / 3, -7.0]),
        unique=False,
    )
)
def test_spiteful_floats_give_a_shape_or_a_scene_error(vertices: np.ndarray) -> None:
    """Numbers whose sums and differences are equal, nearly equal, or thirteen orders apart."""
    try:
        shape = ConvexShape(np.unique(vertices, axis=0), name="fuzz")
    except SceneError as error:
        assert str(error).startswith("fuzz: ")
    else:
        highest = (vertices @ shape.planes[:, :3].T - shape.planes[:, 3]).max()
        assert shape.volume > 0 and highest <= 1e-9 * np.abs(vertices).max()
