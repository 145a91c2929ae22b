"""ConvexShape as users meet it: what it keeps, how it moves, what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hapticd
from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape, body_frame
from tests.oracle.pairs import random_rotation


def test_public_name() -> None:
    assert hapticd.ConvexShape is ConvexShape


def test_inner_points_are_left_out_and_order_is_kept() -> None:
    box = ConvexShape.box((2, 2, 2)).vertices
    shape = ConvexShape(np.vstack([[[0, 0, 0]], box[::-1], [[0.5, 0.1, 1.0]]]))
    assert np.array_equal(shape.vertices, box[::-1])


def test_arrays_are_read_only() -> None:
    shape = ConvexShape.box((1, 1, 1))
    for array in (shape.vertices, shape.planes, shape.centroid, shape.faces[0], shape.graph.node_twin):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_input_is_not_touched() -> None:
    vertices = np.array(ConvexShape.box((1, 1, 1)).vertices)
    ConvexShape(vertices)
    vertices[0] = 5.0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-3, 3), far=st.sampled_from([0.0, 1.0, 1e3]))
def test_moved_is_the_hull_of_the_moved_corners(seed: int, power: int, far: float) -> None:
    rng = np.random.default_rng(seed)
    shape = ConvexShape(rng.normal(size=(20, 3)))
    R, p, scale = random_rotation(rng), far * rng.normal(size=3), 10.0**power
    moved = shape.moved(p, R, scale)
    rounding = 1e-14 * (scale + far) * 4
    assert np.abs(moved.vertices - (scale * shape.vertices @ R.T + p)).max() <= rounding
    assert np.abs(moved.planes[:, :3] - shape.planes[:, :3] @ R.T).max() <= 1e-12 + 100 * rounding / scale
    assert (moved.vertices @ moved.planes[:, :3].T - moved.planes[:, 3]).max() <= rounding
    assert moved.graph is shape.graph


def test_a_matrix_typed_with_few_digits_does_not_shear() -> None:
    R = np.round(random_rotation(np.random.default_rng(2)), 7)
    shape = ConvexShape.box((1, 2, 3)).moved(rotation=R)
    assert shape.volume == pytest.approx(6.0, rel=1e-14)
    assert np.linalg.norm(shape.planes[:, :3], axis=1) == pytest.approx(np.ones(6), rel=1e-15)
    heights = shape.vertices @ shape.planes[:, :3].T - shape.planes[:, 3]
    assert min(heights[face, i].min() for i, face in enumerate(shape.faces)) >= -1e-15


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rotation": np.eye(2)}, "lid: rotation"),
        ({"rotation": -np.eye(3)}, "lid: rotation .* right-handed"),
        ({"rotation": 2 * np.eye(3)}, "lid: rotation"),
        ({"position": (1, 2)}, "lid: position"),
        ({"position": (1, np.nan, 2)}, "lid: position"),
        ({"scale": 0.0}, "lid: scale"),
    ],
)
def test_moves_refused(arguments: dict, words: str) -> None:
    with pytest.raises(SceneError, match=words) as caught:
        ConvexShape.box((1, 1, 1), name="lid").moved(**arguments)
    assert "\n" not in str(caught.value)


def test_planes_hold_every_corner() -> None:
    """To rounding, at every size: what the clip relies on."""
    rng = np.random.default_rng(1)
    for faces in (20, 300, 1000):
        points = rng.normal(size=(faces // 2 + 2, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        for scale in (1e-3, 1e3):
            shape = ConvexShape(scale * points)
            assert len(shape.planes) == 2 * len(points) - 4
            heights = shape.vertices @ shape.planes[:, :3].T - shape.planes[:, 3]
            assert heights.max() <= 4e-16 * scale
            for plane, face in enumerate(shape.faces):
                assert heights[face, plane].min() >= -2e-15 * scale


def test_body_frame() -> None:
    parts = [ConvexShape.box((1, 1, 1)), ConvexShape.box((1, 1, 3)).moved((4, 0, 0))]
    centre, centred = body_frame(parts)
    assert centre == pytest.approx([3, 0, 0])
    assert centred[0].centroid == pytest.approx([-3, 0, 0]) and centred[1].centroid == pytest.approx(
        [1, 0, 0], abs=1e-15
    )


def test_repr_says_what_it_is() -> None:
    assert repr(ConvexShape.box((1, 2, 3), name="lid")) == "<ConvexShape 'lid': 8 corners, 6 faces, 6 m3>"
