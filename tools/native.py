"""Engines of the system, ODE and Bullet: a small C or C++ file beside this one, compiled when first needed.

Their six functions have one binary face (engine_ode.c draws it), loaded by ctypes: n steps are one call, so no Python
is in the time.
"""

import ctypes
import hashlib
import shutil
import subprocess
from pathlib import Path

import numpy as np
from engines import Floats, friction_of, items

from hapticd.scene.file import Scene

BUILD = Path(__file__).resolve().parents[1] / "out" / "bench" / "native"
DOUBLES = ctypes.POINTER(ctypes.c_double)


class NativeWorld:
    """A world behind the binary face."""

    def __init__(self, library: ctypes.CDLL, scene: Scene, dt: float) -> None:
        self._library = library
        self._world = ctypes.c_void_p(library.world_new(dt, _doubles(scene.table.gravity), friction_of(scene)))
        listed = items(scene)
        for item in listed:
            library.world_box(self._world, _doubles(item.size), item.mass, _doubles(item.pose), _doubles(item.twist))
        self._count = sum(1 for item in listed if item.mass)

    def step(self, n: int) -> None:
        self._library.world_step(self._world, n)

    def poses(self) -> Floats:
        return self._read()[:, :7]

    def twists(self) -> Floats:
        return self._read()[:, 7:]

    def push(self, wrenches: Floats) -> None:
        self._library.world_push(self._world, _doubles(np.ravel(wrenches)))

    def _read(self) -> Floats:
        rows = np.zeros((self._count, 13))
        self._library.world_read(self._world, rows.ctypes.data_as(DOUBLES))
        return rows

    def __del__(self) -> None:
        self._library.world_free(self._world)


def compiled(source: str, package: str) -> ctypes.CDLL:
    """The library of one source file against a system package that pkg-config knows."""
    path = Path(__file__).with_name(source)
    compiler = shutil.which("g++" if path.suffix == ".cpp" else "gcc")
    if compiler is None:
        raise RuntimeError("no C compiler; apt-get install g++")
    flags = _pkg_config(package, "--cflags", "--libs")
    key = hashlib.sha256(path.read_bytes() + " ".join(flags).encode()).hexdigest()[:12]
    target = BUILD / f"{path.stem}-{key}.so"
    if not target.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-w", str(path), "-o", str(target), *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{source} does not compile: {done.stderr.splitlines()[0]}")
    return _declared(ctypes.CDLL(str(target)))


def package_version(package: str) -> str:
    return _pkg_config(package, "--modversion")[0]


def _pkg_config(package: str, *arguments: str) -> list[str]:
    tool = shutil.which("pkg-config")
    if tool is None:
        raise RuntimeError("no pkg-config; apt-get install pkg-config")
    done = subprocess.run([tool, *arguments, package], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"no {package} library; apt-get install lib{package}-dev")
    return done.stdout.split()


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    world, number, count = ctypes.c_void_p, ctypes.c_double, ctypes.c_int
    library.world_new.restype = world
    for name, types in {
        "world_new": (number, DOUBLES, number),
        "world_box": (world, DOUBLES, number, DOUBLES, DOUBLES),
        "world_step": (world, count),
        "world_read": (world, DOUBLES),
        "world_push": (world, DOUBLES),
        "world_free": (world,),
    }.items():
        getattr(library, name).argtypes = types
    return library


def _doubles(values: object) -> ctypes.Array[ctypes.c_double]:
    listed = list(np.asarray(values, dtype=float))
    return (ctypes.c_double * len(listed))(*listed)
