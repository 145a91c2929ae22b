"""Decomposition: the parts fill the mesh, come out the same again, are found again, and are refused when stale."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from hapticd.errors import SceneError
from hapticd.scene.decompose import decompose, load_parts
from hapticd.scene.parts_file import parts_path


@pytest.fixture(scope="module")
def bracket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An L of two boxes, as one closed outline drawn along z: 2 x 2 with a unit square taken out, 1 high."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    bottom, top = np.pad(outline, ((0, 0), (0, 1))), np.pad(outline, ((0, 0), (0, 1)), constant_values=1.0)
    cap = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]])
    sides = [[i, (i + 1) % 6, 6 + (i + 1) % 6] for i in range(6)] + [[i, 6 + (i + 1) % 6, 6 + i] for i in range(6)]
    mesh = trimesh.Trimesh(
        np.vstack([bottom, top]), [*cap[:, ::-1].tolist(), *(cap + 6).tolist(), *sides], process=False
    )
    assert mesh.is_watertight and mesh.volume == pytest.approx(3.0)
    path = tmp_path_factory.mktemp("mesh") / "bracket.obj"
    mesh.export(path)
    decompose(path)
    return path


def test_parts_fill_the_mesh(bracket: Path) -> None:
    parts = load_parts(bracket, name="b")
    assert len(parts) == 2 and [part.name for part in parts] == ["b/0", "b/1"]
    assert sum(part.volume for part in parts) == pytest.approx(3.0, rel=1e-3)
    low, high = np.min([p.bounds[0] for p in parts], axis=0), np.max([p.bounds[1] for p in parts], axis=0)
    assert low == pytest.approx([0, 0, 0], abs=1e-3) and high == pytest.approx([2, 2, 1], abs=1e-3)
    assert sum(part.volume for part in load_parts(bracket, scale=0.1)) == pytest.approx(3e-3, rel=1e-3)


def test_same_seed_same_file(bracket: Path) -> None:
    before = parts_path(bracket).read_bytes()
    parts_path(bracket).unlink()
    said: list[tuple[str, float]] = []
    assert decompose(bracket, progress=lambda what, share: said.append((what, share))).made
    assert parts_path(bracket).read_bytes() == before
    assert said[0] == ("preparing", 0.0) and said[-1] == ("done", 1.0)
    assert any(what.startswith("cutting, round 1") for what, _ in said)
    assert all(0.0 <= share <= 1.0 for _, share in said)


def test_kept_parts_are_used(bracket: Path) -> None:
    stamp = parts_path(bracket).stat().st_mtime_ns
    again = decompose(bracket)
    assert not again.made and parts_path(bracket).stat().st_mtime_ns == stamp
    for kept, read in zip(again.parts, load_parts(bracket), strict=True):
        assert np.array_equal(kept.vertices, read.vertices)


def test_changed_mesh_and_missing_parts(tmp_path: Path, bracket: Path) -> None:
    mesh = tmp_path / "cup.obj"
    mesh.write_bytes(bracket.read_bytes())
    with pytest.raises(SceneError, match=r"cup: .*cup\.parts\.obj is not there; make it with: hapticd decompose"):
        load_parts(mesh)
    parts_path(mesh).write_bytes(parts_path(bracket).read_bytes())
    assert len(load_parts(mesh)) == 2
    mesh.write_bytes(bracket.read_bytes() + b"# more\n")
    with pytest.raises(SceneError, match=r"cup: .* has changed since it was decomposed"):
        load_parts(mesh)


@pytest.mark.parametrize(
    ("settings", "words"), [({"threshold": 0.0}, "threshold = 0.0"), ({"most_parts": 0}, "most_parts = 0")]
)
def test_bad_settings(bracket: Path, settings: dict, words: str) -> None:
    with pytest.raises(SceneError, match=f"bracket: {words}; allowed"):
        decompose(bracket, **settings)


def test_bad_mesh(tmp_path: Path) -> None:
    (tmp_path / "cup.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 nan\nf 1 2 3\nf 1 2 4\n")
    with pytest.raises(SceneError, match="cup: vertex 3"):
        decompose(tmp_path / "cup.obj")
    with pytest.raises(SceneError, match="none: cannot read"):
        decompose(tmp_path / "none.obj")
    assert not list(tmp_path.glob("*.parts*"))


def test_flat_mesh_gives_an_error_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    with pytest.raises(SceneError, match="sheet: all vertices lie in the plane"):
        decompose(tmp_path / "sheet.obj")
