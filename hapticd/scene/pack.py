"""Convex parts into the kernel's arrays (layout.Shapes), and the scratch memory that a pair of them needs.

Gets shapes whose frame is already that of their body; gives `kernel/contact` its constant input. Start-up only.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.kernel.contact.layout import GAP_SIZE, HULL_COUNTS, Gap, Hull
from hapticd.kernel.layout import COLUMNS, POSE_SIZE, SOLID_COUNTS, Near, Shapes, Solid
from hapticd.scene.convex import ConvexShape

T = TypeVar("T", bound=np.generic)


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
    """Scratch memory that no pair of these parts can outgrow."""
    return solid_for(_most_faces(shapes), int(np.diff(shapes.vertex_start).max()))


def solid_for(n_face: int, n_vertex: int) -> Solid:
    """Scratch memory for pairs of n_face faces together, and parts of n_vertex corners.

    The solid has at most F faces, the planes of both parts together, so at most 2 F - 4 nodes (a 3-regular planar
    graph); one that rounding has made slightly concave may have a few more. A cut asks for three new nodes for each
    one above the plane before it gives those back: four times as many. One more plane is for the lid of a part cut at
    load.
    """
    n_node = 8 * n_face
    return Solid(
        node=np.zeros((3, n_node)),
        twin=np.zeros(4 * n_node, dtype=np.int32),
        face=np.zeros(4 * n_node, dtype=np.int32),
        height=np.zeros(n_node),
        plane=np.zeros((n_face + 1, 4)),
        corner=np.zeros(n_face + 1, dtype=np.int32),
        mark=np.zeros((3, max(n_face, n_vertex) + 1), dtype=np.int32),
        loop=np.zeros(4 * n_node, dtype=np.int32),
        pose=np.zeros((2, POSE_SIZE)),
        centroid=np.zeros(3),
        count=np.zeros(SOLID_COUNTS, dtype=np.int64),
    )


def make_near(n_part: int, n_pair: int) -> Near:
    """Memory of the broad phase for so many parts and pairs; a part usually lies in one to four columns of its grid."""
    return Near(
        low=np.zeros((n_part, 3)),
        high=np.zeros((n_part, 3)),
        order=np.arange(n_part, dtype=np.int32),
        head=np.zeros(COLUMNS, dtype=np.int32),
        entry=np.zeros((4 * n_part, 2), dtype=np.int32),
        count=np.zeros(n_part + 1, dtype=np.int32),
        pair=np.zeros((2 * n_pair, 2), dtype=np.int32),
    )


def make_gap() -> Gap:
    """Scratch memory of one distance query."""
    return Gap(
        corner=np.zeros((4, 3)),
        index=np.zeros((4, 2), dtype=np.int32),
        weight=np.zeros(4),
        held_weight=np.zeros(4),
        held_index=np.zeros((4, 2), dtype=np.int32),
        row=np.zeros(GAP_SIZE),
    )


def make_hull(shapes: Shapes) -> Hull:
    """Scratch memory of the dual way for any pair of these parts."""
    return hull_for(_most_faces(shapes))


def hull_for(n: int) -> Hull:
    """Scratch memory for the hull of n points, which has at most 2 n - 4 facets."""

    def integers(length: int) -> npt.NDArray[np.int32]:
        return np.zeros(length, dtype=np.int32)

    return Hull(
        point=np.zeros((n, 3)),
        link=integers(n),
        fan=integers(n),
        vertex=integers(8 * n),
        twin=integers(8 * n),
        plane=np.zeros((2 * n, 6)),
        head=integers(2 * n),
        mark=integers(2 * n),
        waits=integers(2 * n),
        pending=integers(2 * n),
        seen=integers(2 * n),
        edge=integers(2 * n),
        fresh=integers(2 * n),
        count=np.zeros(HULL_COUNTS, dtype=np.int64),
        centre=np.zeros(9),
        basis=np.zeros((4, 5)),
    )


def _most_faces(shapes: Shapes) -> int:
    """The planes of the two largest parts; of one part twice, if there is only one."""
    counts = np.sort(np.diff(shapes.plane_start))[-2:]
    return int(counts.sum()) if len(counts) == 2 else 2 * int(counts[0])


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
