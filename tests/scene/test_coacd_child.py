"""The child process by itself: arrays in, arrays out, and a non-zero exit code when it cannot."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from hapticd.scene.convex import ConvexShape

COMMAND = [sys.executable, "-m", "hapticd.scene.coacd_child"]


def test_convex_mesh_stays_whole(tmp_path: Path) -> None:
    box = ConvexShape.box((1, 2, 3))
    triangles = np.concatenate([[[f[0], f[1], f[2]], [f[0], f[2], f[3]]] for f in box.faces]).astype(np.int32)
    np.savez(tmp_path / "in.npz", vertices=box.vertices, triangles=triangles)
    done = subprocess.run([*COMMAND, tmp_path / "in.npz", tmp_path / "out.npz", "0.05", "0", "-1"], capture_output=True)
    assert done.returncode == 0 and b"Processing" in done.stdout
    with np.load(tmp_path / "out.npz") as parts:
        assert list(parts) == ["part0"]
        assert np.abs(np.abs(parts["part0"]) - [0.5, 1.0, 1.5]).max() < 1e-5


def test_nothing_to_read(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, tmp_path / "in.npz", tmp_path / "out.npz", "0.05", "0", "-1"], capture_output=True)
    assert done.returncode != 0 and not (tmp_path / "out.npz").exists()
