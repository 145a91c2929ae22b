"""The solid that two convex polyhedra share, by integers: which corners exist is decided exactly.

Both solids are taken as the sets n . x <= d of their float planes, every float as the rational number it is; B's planes
are turned by the float matrix R and shifted by t, again exactly: n . R^T (x - t) <= d. A large cube is cut by one plane
after the other. A corner is the meeting of three planes, kept as four integers (X, Y, Z, W), so its digits do not grow
from cut to cut, and the side of a plane on which it lies is the sign of an integer. For the integrals the corners are
rounded once, to 2^-400 m. No code is shared with the kernel.

    solid = clip(planes_a, planes_b, R_AB, t_AB)      # in A's frame; None when the interiors do not meet
    solid.volume, solid.centroid, solid.area_vector(OWNER_B), solid.area_moments(normal)
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

OWNER_CUBE, OWNER_A, OWNER_B = 0, 1, 2
CUBE = 2**24  # m, half a side: around everything that a scene may hold
DIGITS = 400  # binary places of the corners in the integrals

Plane = tuple[int, int, int, int]  # n . x <= d, all four times one power of two
Corner = tuple[int, int, int, int]  # x = (X, Y, Z) / W, W > 0
Vector = tuple[Fraction, Fraction, Fraction]


@dataclass
class AreaMoments:
    """Of the side owned by B, projected along n on the plane through the solid's centroid; signed."""

    area: float
    centre: np.ndarray  # (3,)
    moment: np.ndarray  # (3, 3), integral of (p - centre)(p - centre)^T


class ExactSolid:
    """The clipped solid: faces with their owner, integrals as rationals."""

    def __init__(self, faces: dict[tuple[int, int], list[Corner]]) -> None:
        self.owners = [owner for owner, _ in faces]
        self.planes = [index for _, index in faces]  # number of the plane in its owner's list
        self._fixed = [[_fixed(corner) for corner in corners] for corners in faces.values()]
        self.volume, self.centroid = self._volume_and_centroid()

    def polygons(self, owner: int | None = None) -> list[np.ndarray]:
        """Corners of the faces relative to the centroid, counter-clockwise from outside, each number rounded once."""
        centre = [round(c * 2**DIGITS) for c in self.centroid]
        return [
            np.array([[(x - c) / 2**DIGITS for x, c in zip(corner, centre, strict=True)] for corner in loop])
            for loop, whose in zip(self._fixed, self.owners, strict=True)
            if owner in (None, whose)
        ]

    def area_vector(self, owner: int) -> Vector:
        """Sum of area times outward normal over the faces of one owner."""
        total = [0, 0, 0]
        for loop, whose in zip(self._fixed, self.owners, strict=True):
            if whose == owner:
                for _, b, c in _fan(loop, loop[0]):
                    total = [s + x for s, x in zip(total, _cross(b, c), strict=True)]
        x, y, z = (Fraction(s, 2 * 2 ** (2 * DIGITS)) for s in total)
        return x, y, z

    def area(self, owner: int) -> float:
        """Sum of the plain areas of one owner's faces."""
        return sum(float(np.linalg.norm(_polygon_area_vector(p))) for p in self.polygons(owner))

    def area_moments(self, normal: np.ndarray) -> AreaMoments:
        """One-sided projected moments for a given unit normal; in floats, about the centroid."""
        n = np.asarray(normal, dtype=float)
        area, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
        for polygon in self.polygons(OWNER_B):
            flat = polygon - np.outer(polygon @ n, n)
            for b, c in pairwise(flat[1:]):
                triangle = np.array([flat[0], b, c])
                s = 0.5 * float(n @ np.cross(b - flat[0], c - flat[0]))
                total = triangle.sum(axis=0)
                area += s
                first += s / 3 * total
                second += s / 12 * (triangle.T @ triangle + np.outer(total, total))
        centre = first / area
        middle = np.array([float(c) for c in self.centroid])
        return AreaMoments(area, middle + centre, second - area * np.outer(centre, centre))

    def _volume_and_centroid(self) -> tuple[Fraction, Vector]:
        apex = self._fixed[0][0]
        six, moment = 0, [0, 0, 0]
        for loop in self._fixed:
            for a, b, c in _fan(loop, apex):
                part = sum(x * y for x, y in zip(a, _cross(b, c), strict=True))
                six += part
                moment = [m + part * (x + y + z) for m, x, y, z in zip(moment, a, b, c, strict=True)]
        unit = 2**DIGITS
        x, y, z = (Fraction(m, 4 * six * unit) + Fraction(o, unit) for m, o in zip(moment, apex, strict=True))
        return Fraction(six, 6 * unit**3), (x, y, z)


def clip(planes_a: np.ndarray, planes_b: np.ndarray, R_AB: np.ndarray, t_AB: np.ndarray) -> ExactSolid | None:
    """A's planes and B's planes (m, 4), each in its own frame; x_A = R_AB x_B + t_AB. The result is in A's frame."""
    cutters = [(OWNER_A, i, _integers(row)) for i, row in enumerate(planes_a.tolist())]
    cutters += [(OWNER_B, i, _turned(row, R_AB, t_AB)) for i, row in enumerate(planes_b.tolist())]
    planes, faces = _cube()
    for owner, index, plane in cutters:
        key = (owner, index)
        planes[key] = plane
        faces = _cut(faces, planes, key)
        if not faces:
            return None
    assert all(owner != OWNER_CUBE for owner, _ in faces), "the solids are larger than the cube"
    return ExactSolid(faces)


def _cut(faces: dict, planes: dict, key: tuple[int, int]) -> dict:
    """What is left of the solid on the inner side of one plane; nothing when it lies outside but for a touch."""
    a, b, c, d = planes[key]
    corners = {corner for loop in faces.values() for corner in loop}
    side = {(x, y, z, w): a * x + b * y + c * z - d * w for x, y, z, w in corners}
    if all(s <= 0 for s in side.values()):
        return faces
    if all(s >= 0 for s in side.values()):
        return {}
    face_of_edge = {edge: face for face, loop in faces.items() for edge in _edges(loop)}
    met: dict = {}  # corners that the cut makes on edges, found once from each side
    left, rim = {}, {}
    for face, loop in faces.items():
        kept = []
        for u, v in _edges(loop):
            if side[u] <= 0:
                kept.append(u)
            if (side[u] < 0 < side[v]) or (side[v] < 0 < side[u]):
                edge = (min(u, v), max(u, v))
                if edge not in met:
                    met[edge] = _meeting(planes[face], planes[face_of_edge[v, u]], planes[key])
                    side[met[edge]] = 0
                kept.append(met[edge])
        if any(side[u] < 0 for u in kept):  # a face with no corner inside has shrunk to an edge or a corner
            left[face] = kept
            rim.update({v: u for u, v in _edges(kept) if side[u] == side[v] == 0})  # the new face runs the other way
    left[key] = _loop(rim)
    return left


def _edges(corners: list) -> list:
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


def _loop(following: dict) -> list:
    start = next(iter(following))
    loop, at = [start], following[start]
    while at != start:
        loop.append(at)
        at = following[at]
    assert len(loop) == len(following) >= 3
    return loop


def _meeting(p: Plane, q: Plane, r: Plane) -> Corner:
    """The common point of three planes by Cramer's rule; w is not 0, since a proper edge crosses the third plane."""
    qr, rp, pq = _cross(q, r), _cross(r, p), _cross(p, q)
    w = p[0] * qr[0] + p[1] * qr[1] + p[2] * qr[2]
    x, y, z = (p[3] * i + q[3] * j + r[3] * k for i, j, k in zip(qr, rp, pq, strict=True))
    return (x, y, z, w) if w > 0 else (-x, -y, -z, -w)


def _cross(p: tuple, q: tuple) -> tuple[int, int, int]:
    return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])


def _fan(loop: list, origin: tuple) -> list:
    arms = [tuple(x - o for x, o in zip(corner, origin, strict=True)) for corner in loop]
    return [(arms[0], b, c) for b, c in pairwise(arms[1:])]


def _fixed(corner: Corner) -> tuple[int, int, int]:
    x, y, z, w = corner
    return ((x << DIGITS) // w, (y << DIGITS) // w, (z << DIGITS) // w)


def _integers(numbers: list) -> Plane:
    """The numbers times the least power of two that makes them whole."""
    ratios = [Fraction(number) for number in numbers]
    shift = max(ratio.denominator for ratio in ratios)
    a, b, c, d = (int(ratio * shift) for ratio in ratios)
    return a, b, c, d


def _turned(plane: list, R: np.ndarray, t: np.ndarray) -> Plane:
    n, d = [Fraction(x) for x in plane[:3]], Fraction(plane[3])
    turned = [sum(Fraction(x) * y for x, y in zip(row, n, strict=True)) for row in np.asarray(R, float).tolist()]
    shift = sum(x * Fraction(y) for x, y in zip(turned, np.asarray(t, float).tolist(), strict=True))
    return _integers([*turned, d + shift])


def _cube() -> tuple[dict, dict]:
    sides = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    loops = [
        [(1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)],
        [(-1, -1, -1), (-1, -1, 1), (-1, 1, 1), (-1, 1, -1)],
        [(-1, 1, -1), (-1, 1, 1), (1, 1, 1), (1, 1, -1)],
        [(-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)],
        [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
        [(-1, -1, -1), (-1, 1, -1), (1, 1, -1), (1, -1, -1)],
    ]
    planes = {(OWNER_CUBE, i): (*side, CUBE) for i, side in enumerate(sides)}
    corners = [[(CUBE * x, CUBE * y, CUBE * z, 1) for x, y, z in loop] for loop in loops]
    return planes, dict(zip(planes, corners, strict=True))


def _polygon_area_vector(polygon: np.ndarray) -> np.ndarray:
    arms = polygon[1:] - polygon[0]
    return 0.5 * np.cross(arms[:-1], arms[1:]).sum(axis=0)
