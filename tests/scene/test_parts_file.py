"""The parts file gives back what was put in, to the last bit, and refuses what is damaged."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape
from hapticd.scene.parts_file import digest, parts_path, read_origin, read_parts, write_parts

PARTS = [ConvexShape(np.random.default_rng(i).normal(size=(9, 3)) / 3) for i in range(3)]
ORIGIN = {"source": "cup.obj", "sha256": "ab", "threshold": 0.05}


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "cup.parts.obj"
    write_parts(path, ORIGIN, PARTS)
    assert read_origin(path) == ORIGIN
    for part, back in zip(PARTS, read_parts(path, "cup"), strict=True):
        assert np.array_equal(part.vertices, back.vertices) and np.array_equal(part.planes, back.planes)
    assert [file.name for file in tmp_path.iterdir()] == ["cup.parts.obj"]


def test_any_viewer_reads_it(tmp_path: Path) -> None:
    """Faces run counter-clockwise and count their corners from one, over all parts."""
    write_parts(tmp_path / "cup.parts.obj", ORIGIN, PARTS)
    mesh = trimesh.load_mesh(tmp_path / "cup.parts.obj", process=False)
    assert mesh.volume == pytest.approx(sum(part.volume for part in PARTS), rel=1e-6)


def test_names() -> None:
    assert parts_path(Path("a/cup.obj")) == Path("a/cup.parts.obj")


def test_digest(tmp_path: Path) -> None:
    (tmp_path / "cup.obj").write_bytes(b"abc")
    assert digest(tmp_path / "cup.obj") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(SceneError, match="none: cannot read"):
        digest(tmp_path / "none.obj")


@pytest.mark.parametrize(
    "text", ["", "# hapticd parts 1\n", "# hapticd parts 1\n# [1]\n", "# hapticd parts 1\n# {\n", "v 0 0 0"]
)
def test_not_one_of_ours(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.parts.obj").write_text(text)
    assert read_origin(tmp_path / "x.parts.obj") is None


def test_damaged(tmp_path: Path) -> None:
    path = tmp_path / "cup.parts.obj"
    for body, words in [
        ("o part0\nv 0 0 x\n", "cup: line 4 of .* is no vertex"),
        ("v 0 0 0\n", "cup: line 3 of .* is no vertex"),
        ("", "cup: .* holds 0 parts"),
        ("o part0\nv 0 0 0\nv 1 0 0\n", "cup/0: 2 vertices"),
        ("o part0\nv 0 0 0\nv 1 0\n", "cup/0: |cup: "),
    ]:
        path.write_text(f"# hapticd parts 1\n# {{}}\n{body}")
        with pytest.raises(SceneError, match=words):
            read_parts(path, "cup")


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot write"):
        write_parts(tmp_path / "none" / "cup.parts.obj", ORIGIN, PARTS)
