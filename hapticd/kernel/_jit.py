"""The one decorator of the kernel, and where its compiled code is kept.

numba's disk cache looks at the file of the function alone: a constant changed in another kernel file would give the old
result for ever. So the cache folder is named by a hash of all kernel sources and of the function's own folder (that is
how a driver, ours or a third party's, gets its own): any edit means a new folder. Old folders are removed by `prune`.

The cache is pickle, so whoever can write it can run code as us: the folder is 0700 and must be ours.
"""

import atexit
import functools
import hashlib
import importlib.util
import os
import shutil
import stat
import tempfile
from pathlib import Path

import numba
from numba.core import config, types

KERNEL_FOLDER = Path(__file__).resolve().parent
_FOUND = set()  # names of all kernels decorated so far: how far a compilation has come
FOLDERS_KEPT = 12  # newest cache folders that `prune` leaves: a few checkouts side by side, with their drivers


def kernel(function):
    """Compile for the tick: no fastmath (it deletes NaN guards), no exceptions on division, the GIL released."""
    return _compiled(function, forceinline=False)


def kernel_inline(function):
    """As `kernel`, and always inlined: for the few-line helpers inside inner loops."""
    return _compiled(function, forceinline=True)


def entry(compiled, *arguments):
    """The code of a kernel for arguments like these, which it is told once: the types must never change afterwards.

    numba looks at the types of all arguments in every call. For the sixty arrays of a world that takes 13 us of the 15
    that a tick of an empty world takes (2026-11-18).
    """
    if config.DISABLE_JIT:
        return compiled
    kinds = tuple(numba.typeof(argument) for argument in arguments)
    compiled.compile(kinds)
    return compiled.get_overload(kinds)


def count() -> int:
    """Kernels known so far."""
    return len(_FOUND)


def _compiled(function, forceinline):
    _FOUND.add((function.__module__, function.__qualname__))
    if config.DISABLE_JIT:
        return function
    outer = config.CACHE_DIR
    # numba reads CACHE_DIR when the function is decorated; other users of numba in this process keep their own.
    config.CACHE_DIR = str(cache_folder(Path(function.__code__.co_filename).resolve().parent))
    try:
        # Without numba's run time for memory (_nrt) an allocation does not compile, and arrays in tuples are not
        # counted atomically at every use: QuickHull of 100 points went from 78 to 28 us (2026-11-18).
        dispatcher = numba.njit(
            cache=True,
            fastmath=False,
            error_model="numpy",
            nogil=True,
            boundscheck=None,
            forceinline=forceinline,
            _nrt=False,
        )(function)
        dispatcher.get_call_template = functools.partial(_plain_call, dispatcher)
        return dispatcher
    finally:
        config.CACHE_DIR = outer


def _plain_call(dispatcher, args, keywords):
    """A call from kernel to kernel, by one version of the callee for all integers.

    numba compiles it anew for each constant that it is passed (1, 2, 3) and for each width: `note` of guard/events.py
    21 times. All kernels together took 101 s to compile, now 84 (2026-11-18).
    """
    plain = tuple(_plain(kind) for kind in args)
    return type(dispatcher).get_call_template(dispatcher, plain, {key: _plain(kind) for key, kind in keywords.items()})


def _plain(kind):
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


@functools.cache
def cache_folder(own_folder: Path) -> Path:
    """The private folder for kernels whose source lies in `own_folder`."""
    digest = hashlib.sha256()
    sources = {*KERNEL_FOLDER.rglob("*.py"), *own_folder.glob("*.py")}
    for path in sorted(sources):
        text = path.read_bytes()
        digest.update(f"{path.parent.name}/{path.name}:{len(text)}:".encode())
        digest.update(text)
        digest.update(_outdated_bytecode(path))
    folder = cache_root() / f"kernel-{digest.hexdigest()[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    os.utime(folder)  # prune() goes by last use
    return folder


def _outdated_bytecode(path: Path) -> bytes:
    """Nothing, or what tells apart a process that may have loaded bytecode older than its source; removes that.

    Python goes by whole seconds and size: after an edit of the same size in the same second it loads the old constants,
    which would then lie in the new sources' folder for ever. Here they go to a folder that no later start asks for.
    """
    bytecode = Path(importlib.util.cache_from_source(path))
    try:
        written, edited = bytecode.stat().st_mtime_ns, path.stat().st_mtime_ns
        if written >= edited or written // 10**9 != edited // 10**9:
            return b""
        bytecode.unlink()
    except OSError:
        return b""  # there is none, or it is not ours to remove: an installed package, which nobody edits
    return f"bytecode of {written}".encode()


@functools.cache
def cache_root() -> Path:
    """HAPTICD_CACHE_DIR, systemd's CACHE_DIRECTORY, or the user's cache folder; a temporary one if none is private."""
    # systemd separates several CACHE_DIRECTORY by colons
    named = os.environ.get("HAPTICD_CACHE_DIR") or os.environ.get("CACHE_DIRECTORY", "").partition(":")[0]
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = Path(named) if named else base / "hapticd"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(root):
            return root
        root.chmod(0o700)
        if _is_private(root):
            return root
    except OSError:
        pass  # no home, a read-only disk or another user's folder: compile anew each time, but compile
    folder = tempfile.mkdtemp(prefix="hapticd-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _is_private(folder: Path) -> bool:
    info = folder.stat()
    return info.st_uid == os.geteuid() and not info.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def prune(keep: int = FOLDERS_KEPT) -> None:
    """Remove all but the `keep` most recently used cache folders."""
    folders = sorted(cache_root().glob("kernel-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in folders[keep:]:
        shutil.rmtree(folder, ignore_errors=True)  # another process may be pruning, too
