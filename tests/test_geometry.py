"""hapticd.contact: the same answer as a sum over its own faces, and words for bad poses."""

import numpy as np
import pytest

import hapticd
from hapticd.errors import SceneError

pytestmark = pytest.mark.kernel

NO_TURN = (0.0, 0.0, 0.0, 1.0)


def test_faces_close_the_solid() -> None:
    a = hapticd.ConvexShape.sphere(0.5, 0.02)
    b = hapticd.ConvexShape.box((1.0, 1.0, 1.0))
    q = np.array([0.1, 0.2, 0.3, 0.9])
    c = hapticd.contact(a, ((0.1, 0.1, 0.9), q / np.linalg.norm(q)), b, ((0, 0, 0), NO_TURN))
    assert c is not None and c.status == "ok"
    vectors, volume = {"a": np.zeros(3), "b": np.zeros(3)}, 0.0
    for face in c.faces:
        p = face.corners - c.centroid
        area = np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0) / 2
        vectors[face.owner] += area
        volume += area @ p[0] / 3
    assert vectors["a"] + vectors["b"] == pytest.approx(0.0, abs=1e-12)
    assert vectors["b"] / np.linalg.norm(vectors["b"]) == pytest.approx(c.normal, abs=1e-12)
    assert np.linalg.norm(vectors["b"]) == pytest.approx(c.area, rel=1e-9)
    assert volume == pytest.approx(c.volume, rel=1e-9)
    tops = [face for face in c.faces if face.owner == "b"]
    assert len(tops) == 1 and b.planes[tops[0].plane][2] == pytest.approx(1.0)


def test_apart_is_none() -> None:
    box = hapticd.ConvexShape.box((1, 1, 1))
    assert hapticd.contact(box, ((0, 0, 3), NO_TURN), box, ((0, 0, 0), NO_TURN)) is None


@pytest.mark.parametrize("pose", [((0, 0), NO_TURN), ((0, 0, np.nan), NO_TURN), ((0, 0, 0), (0, 0, 0, 0)), "here"])
def test_bad_poses_are_named(pose: object) -> None:
    box = hapticd.ConvexShape.box((1, 1, 1))
    with pytest.raises(SceneError, match="pose_a"):
        hapticd.contact(box, pose, box, ((0, 0, 0), NO_TURN))  # type: ignore[arg-type]
