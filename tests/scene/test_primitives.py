"""Primitives have the corners they should, round ones stay within their tolerance, bad sizes are refused by name."""

import numpy as np
import pytest

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape


def test_box() -> None:
    shape = ConvexShape.box((1, 2, 3))
    assert shape.bounds.tolist() == [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]]
    assert sorted(shape.planes[:, 3].tolist()) == [0.5, 0.5, 1.0, 1.0, 1.5, 1.5]
    assert np.count_nonzero(shape.planes[:, :3]) == 6


def test_prism_of_an_outline() -> None:
    shape = ConvexShape.prism([[0, 0], [2, 0], [0, 1]], 0.5)
    assert (len(shape.vertices), len(shape.planes)) == (6, 5)
    assert shape.volume == pytest.approx(0.5, rel=1e-14)
    assert shape.bounds[:, 2].tolist() == [-0.25, 0.25]


@pytest.mark.parametrize("tolerance", [0.4, 0.1, 1e-2, 1e-4])
def test_cylinder_within_tolerance(tolerance: float) -> None:
    shape = ConvexShape.cylinder(1.5, 2.0, 1.5 * tolerance)
    sides = shape.planes[np.abs(shape.planes[:, 2]) < 0.5]
    assert 1.5 * (1 - tolerance) <= sides[:, 3].min() and np.hypot(*shape.vertices[:, :2].T).max() <= 1.5 * (1 + 1e-15)


@pytest.mark.parametrize("tolerance", [0.4, 0.1, 1e-2])
def test_sphere_within_tolerance(tolerance: float) -> None:
    shape = ConvexShape.sphere(0.02, 0.02 * tolerance)
    assert shape.planes[:, 3].min() >= 0.02 * (1 - tolerance - 1e-12)
    assert np.linalg.norm(shape.vertices, axis=1) == pytest.approx(np.full(len(shape.vertices), 0.02), rel=1e-14)
    assert np.abs(shape.centroid).max() < 1e-15


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: ConvexShape.box((1, 2), name="lid"), "lid: size = .* three side lengths"),
        (lambda: ConvexShape.box((1, 0, 2), name="lid"), r"lid: size\[1\] = 0"),
        (lambda: ConvexShape.box((1, float("nan"), 2), name="lid"), r"lid: size\[1\] = nan"),
        (lambda: ConvexShape.box((1, "x", 2), name="lid"), r"lid: size\[1\] = 'x'"),
        (lambda: ConvexShape.prism([[0, 0], [1, 0]], 1.0, name="rod"), "rod: outline of shape"),
        (lambda: ConvexShape.prism(2, 1.0, radius=1, name="rod"), "rod: sides = 2"),
        (lambda: ConvexShape.prism(6, 1.0, name="rod"), "rod: .* needs a radius"),
        (lambda: ConvexShape.prism(6, -1.0, radius=1, name="rod"), "rod: height = -1.0"),
        (lambda: ConvexShape.cylinder(1.0, 1.0, 1e-9, name="rod"), "rod: tolerance = 1e-09 m wants .* finest"),
        (lambda: ConvexShape.cylinder(1.0, 1.0, 0.7, name="rod"), "rod: tolerance = 0.7 .* half of the radius"),
        (lambda: ConvexShape.sphere(1.0, 1e-4, name="ball"), "ball: tolerance = 0.0001 m is too fine"),
        (lambda: ConvexShape.sphere(-1.0, 1e-2, name="ball"), "ball: radius = -1.0"),
    ],
)
def test_refused(build, words: str) -> None:
    with pytest.raises(SceneError, match=words):
        build()
