"""Arrays in one block of shared memory: planned, placed, and found again by any process from the file alone.

    | magic | version | length | description (JSON) ... | array | array | array ...    each starts on a cache line
    0       8         12       16                       HEAD

A tree is a dict or NamedTuple of arrays, nested as needed. `create` lays a tree of templates into a new file and gives
the same tree back with its arrays in the file; `attach` rebuilds it from the description, so a reader needs neither the
config nor the process that wrote it, and a file that a crash left behind stays readable. The file lies in a private
folder on tmpfs. Python's own shared_memory is not used: before 3.13 its tracker deletes what a reader has attached.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.errors import HapticdError
from hapticd.kernel import layout
from hapticd.kernel.guard import layout as guard_layout

MAGIC = b"HAPTICD\0"
VERSION = 1
HEAD = 1 << 16  # bytes kept for the description
LINE = 64  # bytes of a cache line: two writers never share one
_START = struct.Struct("<8sII")

Bytes = NDArray[np.uint8]


class Memory:
    """One file of arrays: `tree` are the arrays, `note` is what the creator said about them."""

    def __init__(self, path: Path, block: mmap.mmap, tree: dict[str, Any], note: dict[str, Any]) -> None:
        self.path = path
        self.block = block
        self.tree = tree
        self.note = note

    @classmethod
    def create(cls, path: Path, templates: dict[str, Any], note: dict[str, Any]) -> Memory:
        """A new file, 0600, every array zero; an old one of that name stays readable to those who have it open."""
        plan, size = _plan(templates, HEAD)
        text = json.dumps({"arrays": plan, "note": note}).encode()
        if len(text) > HEAD - _START.size:
            raise HapticdError(f"{path}: the description of the shared memory has {len(text)} bytes, allowed {HEAD}")
        path.unlink(missing_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, size)  # a full tmpfs is an error now and not a SIGBUS in a tick
            block = mmap.mmap(file.fileno(), size)
        block[_START.size : _START.size + len(text)] = text
        block[: _START.size] = _START.pack(MAGIC, VERSION, len(text))
        return cls(path, block, _place(plan, block), note)

    @classmethod
    def attach(cls, path: Path, writable: bool = False) -> Memory:
        """The arrays of an existing file; read-only unless asked for."""
        try:
            with path.open("r+b" if writable else "rb") as file:
                access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
                block = mmap.mmap(file.fileno(), 0, access=access)
        except (OSError, ValueError) as error:
            raise HapticdError(f"{path}: no shared memory of a hapticd there ({error})") from error
        plan, note = _description(path, block)
        return cls(path, block, _place(plan, block), note)

    def bytes_of(self, tree: Any) -> Bytes:
        """The bytes of a whole subtree, which lies in one piece: for copying it at once."""
        whole = np.frombuffer(self.block, np.uint8)
        start = whole.__array_interface__["data"][0]
        places = [(array.__array_interface__["data"][0] - start, array.nbytes) for array in _arrays(tree)]
        return whole[min(place for place, _ in places) : max(place + size for place, size in places)]


def _description(path: Path, block: mmap.mmap) -> tuple[dict[str, Any], dict[str, Any]]:
    if len(block) < HEAD:
        raise HapticdError(f"{path}: {len(block)} bytes are too short for shared memory of hapticd")
    magic, version, length = _START.unpack_from(block)
    if magic != MAGIC or version != VERSION or length > HEAD - _START.size:
        raise HapticdError(f"{path}: not shared memory of hapticd, or of another version (ours is {VERSION})")
    text = json.loads(block[_START.size : _START.size + length])
    return text["arrays"], text["note"]


def _items(tree: Any) -> Iterator[tuple[str, Any]]:
    return iter(tree._asdict().items() if hasattr(tree, "_asdict") else tree.items())


def _plan(tree: Any, start: int) -> tuple[dict[str, Any], int]:
    """The description of a tree of templates, and where it ends."""
    plan: dict[str, Any] = {"": type(tree).__name__}
    for name, item in _items(tree):
        if isinstance(item, np.ndarray):
            descr = item.dtype.descr if item.dtype.fields else item.dtype.str
            plan[name] = {"dtype": descr, "shape": item.shape, "offset": start}
            start += -(-item.nbytes // LINE) * LINE
        else:
            plan[name], start = _plan(item, start)
    return plan, start


def _place(plan: dict[str, Any], block: mmap.mmap) -> Any:
    """The tree of a description, its arrays in the block; NamedTuples are those of the kernel's layouts."""
    tree: dict[str, Any] = {}
    for name, item in plan.items():
        if name == "":
            continue
        if "offset" in item and "dtype" in item:
            dtype, shape = _dtype(item["dtype"]), tuple(item["shape"])
            count = int(np.prod(shape, dtype=np.int64))
            tree[name] = np.frombuffer(block, dtype, count, item["offset"]).reshape(shape)
        else:
            tree[name] = _place(item, block)
    kind = getattr(layout, plan[""], None) or getattr(guard_layout, plan[""], None)
    return tree if kind is None else kind(**tree)


def _dtype(description: Any) -> np.dtype[Any]:
    if isinstance(description, str):
        return np.dtype(description)
    return np.dtype([(name, kind, *(tuple(s) for s in shape)) for name, kind, *shape in description])


def _arrays(tree: Any) -> Iterator[NDArray[Any]]:
    for _, item in _items(tree):
        if isinstance(item, np.ndarray):
            yield item
        else:
            yield from _arrays(item)
