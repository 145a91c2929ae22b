"""Shared volume by clipping every face of each body at the planes of the other: no graph, no code of the kernel's.

Fast enough for 1e5 pairs. Wrong where faces of both lie in one plane (they count twice or not at all), so that a
disagreement with it is no verdict: the rationals have the last word.
"""

import numba
import numpy as np

from hapticd.scene.convex import ConvexShape


def shared_volume(a: ConvexShape, b: ConvexShape, R_AB: np.ndarray, t_AB: np.ndarray) -> float:
    """Of a and of b seen from a: x_a = R x_b + t."""
    corners = b.vertices @ R_AB.T + t_AB
    normals = b.planes[:, :3] @ R_AB.T
    planes = np.c_[normals, (normals[:, None] @ corners.T[None]).max(axis=(1, 2))]
    inside = a.vertices.mean(axis=0)  # a is the smaller body: the cones' sum loses no digits to a far apex
    return float(_cone_sum(*_flat(a), a.vertices, planes, inside) + _cone_sum(*_flat(b), corners, a.planes, inside))


def _flat(shape: ConvexShape) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0] + [len(face) for face in shape.faces])
    return starts, np.concatenate(shape.faces)


@numba.njit(cache=True)
def _cone_sum(starts, loops, corners, planes, apex):
    """Sum of the cones from the apex over what the planes leave of every face."""
    total = 0.0
    ring, spare = np.zeros((4096, 3)), np.zeros((4096, 3))
    for f in range(len(starts) - 1):
        n = starts[f + 1] - starts[f]
        for k in range(n):
            for c in range(3):
                ring[k, c] = corners[loops[starts[f] + k], c] - apex[c]
        for plane in planes:
            n = _clipped(ring, n, plane, plane[3] - (plane[:3] * apex).sum(), spare)
            ring, spare = spare, ring
            if n == 0:
                break
        for k in range(1, n - 1):
            u, v, w = ring[0], ring[k], ring[k + 1]
            total += u[0] * (v[1] * w[2] - v[2] * w[1]) / 6.0
            total += u[1] * (v[2] * w[0] - v[0] * w[2]) / 6.0
            total += u[2] * (v[0] * w[1] - v[1] * w[0]) / 6.0
    return total


@numba.njit(cache=True)
def _clipped(ring, n, plane, offset, out):
    """The part of a polygon under one plane, into out; returns its corners."""
    m = 0
    for k in range(n):
        p, q = ring[k], ring[(k + 1) % n]
        hp = plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] - offset
        hq = plane[0] * q[0] + plane[1] * q[1] + plane[2] * q[2] - offset
        if hp <= 0.0:
            for c in range(3):
                out[m, c] = p[c]
            m += 1
        if (hp <= 0.0) != (hq <= 0.0):
            for c in range(3):
                out[m, c] = p[c] + (q[c] - p[c]) * (hp / (hp - hq))
            m += 1
    return m
