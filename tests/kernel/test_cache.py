"""Where compiled kernels are kept: private, never stale, not for ever. Each case is a process of its own."""

import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import hapticd

PACKAGE = Path(hapticd.__file__).parent

# The friction force while sliding is F times a factor of tolerance.py: a kernel in one file, a constant in another.
SLIDE = """
from hapticd.friction import Kikuuwe
from hapticd.warmup import shown
with shown() as compiled:
    force = float(Kikuuwe(K=1000.0, F=2.0, T=1e-3).step(-5.0))
print(force.hex(), compiled.done)
"""
ROOT = "from hapticd.kernel._jit import cache_root; print(cache_root())"


def python(program: str, **environment: str | Path) -> str:
    inherited = {k: v for k, v in os.environ.items() if k not in ("HAPTICD_CACHE_DIR", "NUMBA_DISABLE_JIT")}
    texts = inherited | {key: str(value) for key, value in environment.items()}
    # -P: the working directory, where pytest may find a hapticd/ of its own, is not on the path.
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, env=texts)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def copied_tree(tmp_path: Path) -> Path:
    """A tree that may be edited; it goes before the installed one on the path."""
    shutil.copytree(PACKAGE, tmp_path / "tree/hapticd", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "tree"


def test_an_edited_constant_changes_a_kernel_of_another_file(copied_tree: Path, tmp_path: Path) -> None:
    # Python's own .pyc files go by second and size, and this test edits faster than that.
    where = {"PYTHONPATH": copied_tree, "HAPTICD_CACHE_DIR": tmp_path / "cache", "PYTHONDONTWRITEBYTECODE": "1"}
    force, compiled = python(SLIDE, **where).split()
    assert float.fromhex(force) == pytest.approx(2.0) and int(compiled) > 0
    assert python(SLIDE, **where).split() == [force, "0"]  # the second start finds everything

    tolerance = copied_tree / "hapticd/kernel/tolerance.py"
    text = tolerance.read_text()
    assert "SLIP_ROUNDING = 1.0" in text
    tolerance.write_text(text.replace("SLIP_ROUNDING = 1.0", "SLIP_ROUNDING = 0.5"))
    force, compiled = python(SLIDE, **where).split()
    assert float.fromhex(force) == pytest.approx(1.0) and int(compiled) > 0

    tolerance.write_text(text)  # and back: the first folder is still there
    assert python(SLIDE, **where).split()[1] == "0"


def test_bytecode_older_than_its_source_leaves_no_trace(copied_tree: Path, tmp_path: Path) -> None:
    """Python takes an edit of the same size in the same second for none; the kernels must not."""
    where = {"PYTHONPATH": copied_tree, "HAPTICD_CACHE_DIR": tmp_path / "cache", "PYTHONDONTWRITEBYTECODE": ""}
    tolerance = copied_tree / "hapticd/kernel/tolerance.py"
    second = 1_700_000_000 * 10**9
    os.utime(tolerance, ns=(second, second))
    old = python(SLIDE, **where).split()[0]
    tolerance.write_text(tolerance.read_text().replace("SLIP_ROUNDING = 1.0", "SLIP_ROUNDING = 0.5"))
    os.utime(tolerance, ns=(second + 2, second + 2))
    bytecode = Path(importlib.util.cache_from_source(str(tolerance)))
    os.utime(bytecode, ns=(second + 1, second + 1))
    python(SLIDE, **where)  # has the old constant if it was imported before the first kernel: Python's own doing
    assert float.fromhex(python(SLIDE, **where).split()[0]) == pytest.approx(float.fromhex(old) / 2)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_private_whatever_the_umask(tmp_path: Path) -> None:
    program = (
        "import os; os.umask(0)\nfrom pathlib import Path\n"
        "from hapticd.kernel._jit import cache_folder; print(cache_folder(Path('.')))"
    )
    inner = Path(python(program, HAPTICD_CACHE_DIR=tmp_path / "new"))
    assert inner.parent == tmp_path / "new"
    assert mode(inner) == mode(inner.parent) == 0o700


def test_a_folder_of_ours_that_others_can_write_is_closed(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert python(ROOT, HAPTICD_CACHE_DIR=tmp_path / "open") == str(tmp_path / "open")
    assert mode(tmp_path / "open") == 0o700


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    # Another owner needs root to make: let the process believe that it is somebody else.
    (tmp_path / "foreign").mkdir(mode=0o700)
    disguised = "import os; real = os.geteuid(); os.geteuid = lambda: real + 1\n"
    used = Path(python(disguised + ROOT, HAPTICD_CACHE_DIR=tmp_path / "foreign", TMPDIR=tmp_path))
    assert used.parent == tmp_path and used.name.startswith("hapticd-")
    assert not used.exists()  # a temporary one, gone with its process


def test_a_place_that_cannot_be_made_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert Path(python(ROOT, HAPTICD_CACHE_DIR=tmp_path / "file/cache", TMPDIR=tmp_path)).parent == tmp_path


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HAPTICD_CACHE_DIR": "{}/a", "CACHE_DIRECTORY": "{}/b"}, "a"),
        ({"CACHE_DIRECTORY": "{}/b:{}/c"}, "b"),
        ({"CACHE_DIRECTORY": "", "XDG_CACHE_HOME": "{}/x"}, "x/hapticd"),
        ({"CACHE_DIRECTORY": "", "XDG_CACHE_HOME": "", "HOME": "{}/home"}, "home/.cache/hapticd"),
    ],
)
def test_where_the_folder_is(environment: dict[str, str], folder: str, tmp_path: Path) -> None:
    places = {key: value.replace("{}", str(tmp_path)) for key, value in environment.items()}
    assert python(ROOT, **places) == str(tmp_path / folder)


def test_prune_keeps_the_newest(tmp_path: Path) -> None:
    for age in range(5):
        folder = tmp_path / f"kernel-{age}"
        (folder / "deep").mkdir(parents=True)
        (folder / "deep/file").touch()
        os.utime(folder, (1000 - age, 1000 - age))
    (tmp_path / "other").mkdir()
    tmp_path.chmod(0o700)
    python("from hapticd.kernel._jit import prune; prune(keep=2)", HAPTICD_CACHE_DIR=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernel-0", "kernel-1", "other"]
