"""Integrals over faces and contact areas by brute force: many small triangles, each a point.

What the force laws compute in closed form or with a few points is judged by this. Plain on purpose: each triangle of a
face's fan is cut into n * n equal ones, and the integrand is read in the middle of each. The error falls as 1/n^2, also
for Coulomb friction about a centre inside the area, where the direction jumps.

    wrench = coulomb_wrench(polygons, pressure, mu, rigid_velocity(v, omega, about), normal, about)
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

Points = np.ndarray  # (k, 3) m
Weights = np.ndarray  # (k,) m2


def face_points(polygon: np.ndarray, n: int = 64) -> tuple[Points, Weights]:
    """Middles and areas of the small triangles of a convex polygon (corners (k, 3) in order)."""
    points, weights = [], []
    thirds = _thirds(n)
    for b, c in pairwise(polygon[1:]):
        area = 0.5 * np.linalg.norm(np.cross(b - polygon[0], c - polygon[0]))
        points.append(thirds @ np.array([polygon[0], b, c]))
        weights.append(np.full(n * n, area / (n * n)))
    return np.concatenate(points), np.concatenate(weights)


def projected_points(polygons: Iterable[np.ndarray], normal: np.ndarray, n: int = 64) -> tuple[Points, Weights]:
    """The same for faces seen along the unit normal: points on the plane through the origin, signed projected areas."""
    points, weights = [], []
    for polygon in polygons:
        p, w = face_points(polygon, n)
        points.append(p - np.outer(p @ normal, normal))
        weights.append(w * float(_unit(_area_vector(polygon)) @ normal))
    return np.concatenate(points), np.concatenate(weights)


def integrate(f: Callable[[Points], np.ndarray], points: Points, weights: Weights) -> np.ndarray:
    """Sum of f over the points; f takes (k, 3) and gives (k,) or (k, m)."""
    return np.tensordot(weights, f(points), axes=1)


def pressure_wrench(
    polygons: Iterable[np.ndarray], pressure: Callable[[Points], np.ndarray], normal: np.ndarray, about: np.ndarray
) -> np.ndarray:
    """(6,) force and torque about a point, of a pressure (Pa, of each projected point) along the normal."""
    points, weights = projected_points(polygons, normal)
    return _wrench(np.outer(pressure(points), normal), points, weights, about)


def solid_spring_wrench(polygons: Iterable[np.ndarray], stiffness: float, normal: np.ndarray) -> np.ndarray:
    """(6,) of k h n over the whole closed surface, h the signed height of each point over the plane through the origin.

    Contact-volume paper (8), (9) with signed areas; equals k V n through the centroid of the volume.
    """
    wrench = np.zeros(6)
    for polygon in polygons:
        points, weights = face_points(polygon)
        weights = weights * float(_unit(_area_vector(polygon)) @ normal)
        wrench += _wrench(np.outer(stiffness * (points @ normal), normal), points, weights, np.zeros(3))
    return wrench


def coulomb_wrench(
    polygons: Iterable[np.ndarray],
    pressure: Callable[[Points], np.ndarray],
    mu: float,
    velocity: Callable[[Points], np.ndarray],
    normal: np.ndarray,
    about: np.ndarray,
    n: int = 64,
) -> np.ndarray:
    """(6,) sliding friction on the body whose points move with `velocity` (m/s, (k, 3)) against the other.

    -mu p v_t / |v_t| at every projected point; nothing where the point stands still.
    """
    points, weights = projected_points(polygons, normal, n)
    v = velocity(points)
    v = v - np.outer(v @ normal, normal)
    speed = np.linalg.norm(v, axis=1)
    direction = np.divide(v, speed[:, None], out=np.zeros_like(v), where=speed[:, None] > 0)
    return _wrench(-mu * pressure(points)[:, None] * direction, points, weights, about)


def rigid_velocity(v: np.ndarray, omega: np.ndarray, about: np.ndarray) -> Callable[[Points], np.ndarray]:
    """Velocity field of a rigid body whose point `about` moves with v."""
    return lambda points: v + np.cross(omega, points - about)


def _wrench(traction: np.ndarray, points: Points, weights: Weights, about: np.ndarray) -> np.ndarray:
    force = weights @ traction
    torque = weights @ np.cross(points - about, traction)
    return np.concatenate([force, torque])


def _thirds(n: int) -> np.ndarray:
    """Barycentric middles of the n * n equal small triangles of a triangle."""
    up = [(3 * i + 1, 3 * j + 1) for i in range(n) for j in range(n - i)]
    down = [(3 * i + 2, 3 * j + 2) for i in range(n - 1) for j in range(n - 1 - i)]
    ij = np.array(up + down) / (3 * n)
    return np.column_stack([1 - ij.sum(axis=1), ij])


def _area_vector(polygon: np.ndarray) -> np.ndarray:
    arms = polygon[1:] - polygon[0]
    return 0.5 * np.cross(arms[:-1], arms[1:]).sum(axis=0)


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)
