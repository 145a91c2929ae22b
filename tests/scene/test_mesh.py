"""Mesh files: what is read is what was written, and what is not convex is refused with its place."""

import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape
from hapticd.scene.mesh import SUFFIXES, Mesh, check_convex, load_mesh

BOX = trimesh.creation.box((1, 2, 3))


def written(folder: Path, mesh: trimesh.Trimesh, suffix: str = ".obj") -> Path:
    path = folder / f"lid{suffix}"
    mesh.export(path)
    return path


def turned(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    copy = mesh.copy()
    copy.apply_transform(trimesh.transformations.random_rotation_matrix(np.array([0.1, 0.6, 0.3])))
    return copy


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_box_of_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    shape = ConvexShape.load(written(tmp_path, BOX, suffix))
    assert (len(shape.vertices), len(shape.planes), shape.name) == (8, 6, "lid")
    assert shape.volume == pytest.approx(6.0, rel=1e-12)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_turned_round_body(tmp_path: Path, suffix: str) -> None:
    """Single-precision files are uneven by 1e-7 of the size; that is no dent."""
    mesh = turned(trimesh.creation.cylinder(0.5, 2.0, sections=40))
    shape = ConvexShape.load(written(tmp_path, mesh, suffix))
    assert shape.volume == pytest.approx(mesh.volume, rel=1e-6)


def test_scale(tmp_path: Path) -> None:
    assert ConvexShape.load(written(tmp_path, BOX), scale=1e-3).volume == pytest.approx(6e-9, rel=1e-12)
    with pytest.raises(SceneError, match="lid: scale = 0"):
        ConvexShape.load(written(tmp_path, BOX), scale=0)


def test_mesh_keeps_corners_once(tmp_path: Path) -> None:
    mesh = load_mesh(written(tmp_path, BOX, ".stl"), name="chest")
    assert mesh.name == "chest" and mesh.vertices.shape == (8, 3) and mesh.triangles.shape == (12, 3)


def test_dent_at_a_vertex(tmp_path: Path) -> None:
    mesh = BOX.subdivide()
    middle = int(np.argmin(np.linalg.norm(mesh.vertices - [0, 0, 1.5], axis=1)))
    mesh.vertices[middle] -= [0, 0, 0.25]
    with pytest.raises(
        SceneError, match=r"lid: not convex: a dent 0.25 m deep at vertex \d+, \(0, 0, 1.25\).*decompose"
    ):
        ConvexShape.load(written(tmp_path, mesh))
    assert ConvexShape.load(written(tmp_path, mesh), hull=True).volume == pytest.approx(6.0, rel=1e-12)


def test_dent_along_an_edge(tmp_path: Path) -> None:
    """All corners lie on the hull, but a raised quadrilateral is folded along the wrong diagonal."""
    vertices = [[1, 1, 0], [-1, 1, 0.5], [-1, -1, 0], [1, -1, 0.5], [0, 0, -2]]
    faces = [[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]]
    right, wrong = [[0, 1, 3], [1, 2, 3]], [[0, 1, 2], [0, 2, 3]]
    ConvexShape.load(written(tmp_path, trimesh.Trimesh(vertices, faces + right, process=False)))
    with pytest.raises(SceneError, match=r"lid: not convex: a dent .* at triangle \d, \(0, 0, 0\)"):
        ConvexShape.load(written(tmp_path, trimesh.Trimesh(vertices, faces + wrong, process=False)))


def test_ring_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"not convex: a dent 0\.3"):
        ConvexShape.load(written(tmp_path, trimesh.creation.annulus(0.3, 0.6, 1.0, sections=64)))


def test_hollow_box_is_refused() -> None:
    inner = trimesh.creation.box((0.5, 1, 1.5))
    inner.invert()
    both = trimesh.util.concatenate([BOX, inner])
    with pytest.raises(SceneError, match="hollow: not convex"):
        check_convex(Mesh("hollow", both.vertices, both.faces), ConvexShape(BOX.vertices).planes)


def test_inverted_faces(tmp_path: Path) -> None:
    one = BOX.copy()
    one.faces[3] = one.faces[3][::-1]
    with pytest.raises(SceneError, match=r"lid: 1 faces are inverted: triangle 3 \(vertices"):
        ConvexShape.load(written(tmp_path, one))
    whole = BOX.copy()
    whole.invert()
    with pytest.raises(SceneError, match="lid: all faces are inverted: triangle 0"):
        ConvexShape.load(written(tmp_path, whole))


def test_hole(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"lid: the surface is open along the edge of vertices \d and \d"):
        ConvexShape.load(written(tmp_path, trimesh.Trimesh(BOX.vertices, BOX.faces[1:], process=False)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 nan\nf 1 2 3\nf 1 2 4\nf 2 3 4\n", "lid: vertex 3 .* finite"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 inf\nf 1 2 3\nf 1 2 4\nf 2 3 4\n", "lid: vertex 3 .* finite"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "lid: "),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "lid: 3 vertices; a solid has at least 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n", "lid: all vertices lie in the plane"),
        ("v 0 0 0\nv 1 0 0\n", "lid: "),
        ("", "lid: "),
        ("\x00\x01 no mesh at all", "lid: "),
    ],
)
def test_bad_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "lid.obj"
    path.write_text(text)
    with pytest.raises(SceneError, match=words):
        ConvexShape.load(path)


def test_cut_off_files(tmp_path: Path) -> None:
    """A file that ends too early is refused, wherever it ends."""
    for suffix in (".stl", ".glb"):
        whole = written(tmp_path, BOX, suffix).read_bytes()
        for length in (0, 3, 50, 90, len(whole) // 2, len(whole) - 2):
            (tmp_path / f"lid{suffix}").write_bytes(whole[:length])
            with pytest.raises(SceneError, match="lid: "):
                ConvexShape.load(tmp_path / f"lid{suffix}")


def test_no_file_and_wrong_kind(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"lid: cannot read .*No such file"):
        ConvexShape.load(tmp_path / "lid.obj")
    with pytest.raises(SceneError, match=r"lid: .* is no mesh file; allowed are \.obj"):
        ConvexShape.load(tmp_path / "lid.step")


def test_without_trimesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, BOX)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(SceneError, match=r"pip install 'hapticd\[mesh\]'"):
        ConvexShape.load(path)
