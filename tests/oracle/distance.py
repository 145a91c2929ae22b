"""Distance of two convex polyhedra by looking at every pair of features: slow, plain, nothing shared with the kernel.

Two polyhedra that do not overlap are nearest at a corner and a triangle or at two edges. Overlap is decided by a linear
program for the largest ball in both.
"""

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]


def feature_distance(corners_a: Floats, faces_a: list[Floats], corners_b: Floats, faces_b: list[Floats]) -> float:
    """corners (n, 3); faces: the corners of each face in order, (k, 3)."""
    best = np.inf
    for corners, faces in ((corners_a, faces_b), (corners_b, faces_a)):
        for face in faces:
            for k in range(1, len(face) - 1):
                best = min(best, _points_triangle(corners, face[0], face[k], face[k + 1]))
    edges_b = _edges(faces_b)
    for p, q in _edges(faces_a):
        for r, s in edges_b:
            best = min(best, _segments(p, q, r, s))
    return best


def ball_radius(planes_a: Floats, planes_b: Floats) -> float:
    """Radius of the largest ball in both; if there is none, minus what the planes must move outwards for a point."""
    planes = np.vstack([planes_a, planes_b])
    answer = linprog(
        [0, 0, 0, -1],
        A_ub=np.column_stack([planes[:, :3], np.ones(len(planes))]),
        b_ub=planes[:, 3],
        bounds=[(None, None)] * 4,
    )
    return float(answer.x[3])


def _edges(faces: list[Floats]) -> list[tuple[Floats, Floats]]:
    """Every edge once: of the two faces beside it only one runs from the lesser corner to the greater."""
    pairs = ((face[k - 1], face[k]) for face in faces for k in range(len(face)))
    return [(p, q) for p, q in pairs if tuple(p) < tuple(q)]


def _points_triangle(points: Floats, a: Floats, b: Floats, c: Floats) -> float:
    best = np.inf
    normal = np.cross(b - a, c - a)
    weights = np.linalg.lstsq(np.column_stack([b - a, c - a, normal]), (points - a).T, rcond=None)[0]
    inside = (weights[0] >= 0) & (weights[1] >= 0) & (weights[0] + weights[1] <= 1)
    if inside.any():
        best = float(np.abs(weights[2][inside]).min() * np.linalg.norm(normal))
    for p, q in itertools.combinations((a, b, c), 2):
        along = np.clip((points - p) @ (q - p) / ((q - p) @ (q - p)), 0, 1)
        best = min(best, float(np.linalg.norm(points - p - along[:, None] * (q - p), axis=1).min()))
    return best


def _segments(p: Floats, q: Floats, r: Floats, s: Floats) -> float:
    """Of two segments whose nearest points are both inside them; the other cases are corners against triangles."""
    u, v, w = q - p, s - r, r - p
    matrix = np.array([[u @ u, -u @ v], [u @ v, -v @ v]])
    if abs(np.linalg.det(matrix)) < 1e-14 * (u @ u) * (v @ v):
        return np.inf
    x, y = np.linalg.solve(matrix, [u @ w, v @ w])
    if 0 <= x <= 1 and 0 <= y <= 1:
        return float(np.linalg.norm(p + x * u - r - y * v))
    return np.inf
