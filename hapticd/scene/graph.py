"""The corner graph of a polyhedron: neighbours of every corner, and the 3-regular node graph that the kernel cuts.

Gets the face loops of `hull`, gives `pack` the index arrays of `kernel/layout.py` (Shapes).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


class Graph(NamedTuple):
    """Indices inside one part; the meaning of each is that of the field of the same name in layout.Shapes."""

    edge_start: Ints
    edge_vertex: Ints
    node_vertex: Ints
    node_twin: Ints
    node_face: Ints


def corner_graph(n_vertex: int, loops: list[list[int]]) -> Graph:
    """Corners in their order, the neighbours of each counter-clockwise from outside."""
    rings = _rings(n_vertex, loops)
    start = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    neighbours = [w for ring in rings for w, _ in ring]
    return Graph(start.astype(np.int32), np.array(neighbours, dtype=np.int32), *_nodes(rings))


def _rings(n_vertex: int, loops: list[list[int]]) -> list[list[tuple[int, int]]]:
    """For every corner the pairs (neighbour, face on the left of the edge to it), counter-clockwise from outside."""
    left, previous = {}, {}
    for face, loop in enumerate(loops):
        for k, v in enumerate(loop):
            left[v, loop[(k + 1) % len(loop)]] = face
            # the face left of (v, w) lies between (v, w) and the edge after it round v, by which its loop came in
            previous[v, loop[(k + 1) % len(loop)]] = loop[k - 1]
    first: dict[int, int] = {}
    for v, w in left:
        first.setdefault(v, w)
    rings = []
    for v in range(n_vertex):
        ring: list[tuple[int, int]] = []
        w = first[v]
        while not ring or w != first[v]:
            ring.append((w, left[v, w]))
            w = previous[v, w]
        rings.append(ring)
    return rings


def _nodes(rings: list[list[tuple[int, int]]]) -> tuple[Ints, Ints, Ints]:
    """Split a corner of degree d > 3 into d - 2 nodes in a row; the last face of its ring runs along all of them.

         e1       e2      e3             cells 0, 1, 2 of a node, counter-clockwise:
     f0  |   f1   |  f2   |  f3          first:  e0    e1      forth
    e0--[0]------[1]-----[2]--e4         inner:  back  e(j+1)  forth
             f4 = f(d-1)                 last:   back  e(d-2)  e(d-1)
    """
    start = np.concatenate([[0], np.cumsum([len(ring) - 2 for ring in rings])]).tolist()
    half_edge = {}  # (corner, neighbour) -> half-edge
    for v, ring in enumerate(rings):
        for k, (w, _) in enumerate(ring):
            node = start[v] + min(max(k - 1, 0), len(ring) - 3)
            half_edge[v, w] = 4 * node + (0 if k == 0 else 2 if k == len(ring) - 1 else 1)
    node_vertex, node_twin, node_face = [], [], []
    for v, ring in enumerate(rings):
        twins = [half_edge[w, v] for w, _ in ring]
        faces = [face for _, face in ring]
        last = len(ring) - 3
        for j in range(last + 1):
            node = start[v] + j
            back = twins[0] if j == 0 else 4 * (node - 1) + 2
            forth = twins[-1] if j == last else 4 * (node + 1)
            node_vertex.append(v)
            node_twin += [back, twins[j + 1], forth, -1]
            node_face += [faces[j], faces[j + 1], faces[-1], -1]
    return tuple(np.array(column, dtype=np.int32) for column in (node_vertex, node_twin, node_face))  # type: ignore[return-value]
