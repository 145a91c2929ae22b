"""Convex parts into the kernel's arrays (layout.Shapes), and the scratch memory that a pair of them needs.

Gets shapes whose frame is already that of their body; gives `kernel/contact` its constant input. Start-up only.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.kernel.layout import POSE_SIZE, SOLID_COUNTS, Shapes, Solid
from hapticd.scene.convex import ConvexShape

T = TypeVar("T", bound=np.generic)

MARGIN = 16  # nodes: a cut at a corner may make a few nodes more than faces before the old ones are free again


def pack_shapes(parts: Sequence[ConvexShape]) -> Shapes:
    """All parts end to end; indices inside a part stay local to it, except those of edge_start."""
    if not parts:
        raise SceneError("a scene needs at least one part")
    edge_starts, edges = [np.zeros(1, dtype=np.int32)], 0
    for part in parts:
        edge_starts.append(part.graph.edge_start[1:] + np.int32(edges))
        edges += len(part.graph.edge_vertex)
    return Shapes(
        vertex_start=_starts([len(part.vertices) for part in parts]),
        plane_start=_starts([len(part.planes) for part in parts]),
        node_start=_starts([len(part.graph.node_vertex) for part in parts]),
        vertex=_joined([part.vertices for part in parts]),
        edge_start=_joined(edge_starts),
        edge_vertex=_joined([part.graph.edge_vertex for part in parts]),
        plane=_joined([part.planes for part in parts]),
        node_vertex=_joined([part.graph.node_vertex for part in parts]),
        node_twin=_joined([part.graph.node_twin for part in parts]),
        node_face=_joined([part.graph.node_face for part in parts]),
        box=np.array([_box(part) for part in parts]),
    )


def make_solid(shapes: Shapes) -> Solid:
    """Scratch memory that no pair of these parts can outgrow.

    The solid has at most F faces, the planes of both parts together; a 3-regular planar graph of F faces has 2 F - 4
    nodes. A cut makes two new nodes for each face it divides, shared by two faces each: at most F more, which exist
    before the nodes above the plane are given back.
    """
    counts = np.sort(np.diff(shapes.plane_start))[-2:]
    n_face = int(counts.sum()) if len(counts) == 2 else 2 * int(counts[0])
    n_node = 3 * n_face + MARGIN
    return Solid(
        node=np.zeros((3, n_node)),
        twin=np.zeros(4 * n_node, dtype=np.int32),
        face=np.zeros(4 * n_node, dtype=np.int32),
        height=np.zeros(n_node),
        plane=np.zeros((n_face, 4)),
        corner=np.zeros(n_face, dtype=np.int32),
        loop=np.zeros(4 * n_node, dtype=np.int32),
        pose=np.zeros((1, POSE_SIZE)),
        centroid=np.zeros(3),
        count=np.zeros(SOLID_COUNTS, dtype=np.int64),
    )


def _starts(counts: list[int]) -> npt.NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _joined(arrays: Sequence[npt.NDArray[T]]) -> npt.NDArray[T]:
    return np.ascontiguousarray(np.concatenate(arrays))


def _box(part: ConvexShape) -> npt.NDArray[np.float64]:
    """Centre and half sides; the half sides are rounded up, so that no corner is left outside."""
    low, high = part.bounds
    centre = (low + high) / 2
    half = np.maximum(high - centre, centre - low)
    return np.concatenate([centre, np.nextafter(half, np.inf)])
