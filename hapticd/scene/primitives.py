"""Corners of boxes, prisms, faceted cylinders and spheres; `convex` builds the shapes from them.

A faceted round body is inscribed: its corners lie on the true surface, and the tolerance bounds how deep a facet lies
under it.
"""

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull

from hapticd.errors import SceneError

Floats = npt.NDArray[np.float64]

MOST_SIDES = 1000  # of a prism: two rings of it are the most corners that a part may have, nearly
MOST_SPHERE_DIVISIONS = 14  # 10 n^2 + 2 corners: 1962


def positive(name: str, what: str, value: float) -> float:
    """A length that must be a positive number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0.0 < number < math.inf:
        raise SceneError(f"{name}: {what} = {value!r}; allowed is a positive length in m")
    return number


def box_corners(size: npt.ArrayLike, name: str) -> Floats:
    sides = np.asarray(size, dtype=object)
    if sides.shape != (3,):
        raise SceneError(f"{name}: size = {size!r}; a box takes three side lengths in m")
    half = np.array([positive(name, f"size[{i}]", side) for i, side in enumerate(sides)]) / 2
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return signs * half


def prism_corners(outline: npt.ArrayLike, height: float, name: str) -> Floats:
    """An outline (n, 2) in the x-y plane, drawn along z over `height`, half below and half above z = 0."""
    try:
        points = np.asarray(outline, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SceneError(f"{name}: outline is not a list of points: {error}") from error
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise SceneError(f"{name}: outline of shape {points.shape}; allowed is (n, 2) with n >= 3")
    if len(points) > MOST_SIDES:
        raise SceneError(f"{name}: outline of {len(points)} points; allowed are {MOST_SIDES}")
    half = np.full((len(points), 1), positive(name, "height", height) / 2)
    return np.concatenate([np.hstack([points, -half]), np.hstack([points, half])])


def regular_outline(sides: int, radius: float, name: str) -> Floats:
    """A regular polygon whose corners lie on the circle."""
    if not 3 <= sides <= MOST_SIDES:
        raise SceneError(f"{name}: sides = {sides!r}; allowed are 3 to {MOST_SIDES}")
    angle = 2 * math.pi / sides * np.arange(sides)
    return positive(name, "radius", radius) * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def circle_sides(radius: float, tolerance: float, name: str) -> int:
    """The fewest sides whose middles lie no deeper than the tolerance; at least six, and an even number."""
    sag = _relative_sag(radius, tolerance, name)
    sides = max(6, 2 * math.ceil(math.pi / math.acos(1 - sag) / 2))
    if sides > MOST_SIDES:
        coarsest = radius * (1 - math.cos(math.pi / MOST_SIDES))
        raise SceneError(f"{name}: tolerance = {tolerance!r} m wants {sides} sides; the finest is {coarsest:.3g} m")
    return sides


def sphere_corners(radius: float, tolerance: float, name: str) -> Floats:
    """An icosahedron's faces divided evenly and blown up to the sphere: nearly equal facets, alike from all sides."""
    sag = _relative_sag(radius, tolerance, name)
    for n in range(1, MOST_SPHERE_DIVISIONS + 1):
        corners, depth = _geodesic(n)
        if depth <= sag:
            return radius * corners
    raise SceneError(f"{name}: tolerance = {tolerance!r} m is too fine; the finest is {radius * depth:.3g} m")


def _relative_sag(radius: float, tolerance: float, name: str) -> float:
    relative = positive(name, "tolerance", tolerance) / positive(name, "radius", radius)
    if relative >= 0.5:
        raise SceneError(f"{name}: tolerance = {tolerance!r} m; allowed is less than half of the radius {radius!r} m")
    return relative


def _geodesic(n: int) -> tuple[Floats, float]:
    """Corners on the unit sphere, and how deep the deepest of their facets lies."""
    golden = (1 + math.sqrt(5)) / 2
    base = np.array([[0, s, t * golden] for s in (-1, 1) for t in (-1, 1)])
    icosahedron = np.concatenate([np.roll(base, k, axis=1) for k in range(3)])
    near = np.linalg.norm(icosahedron[:, None] - icosahedron[None], axis=2) < 2.1  # edges of length two
    faces = [f for f in combinations(range(12), 3) if near[np.ix_(f, f)].all()]
    grid = np.array([(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)], dtype=np.float64) / n
    points = np.concatenate([grid @ icosahedron[list(face)] for face in faces])
    points /= np.linalg.norm(points, axis=1)[:, None]
    # the same corner comes from each face at its edge, up to rounding
    _, first = np.unique(np.round(points, 9) + 0.0, axis=0, return_index=True)
    corners = points[np.sort(first)]
    return corners, float(1 + ConvexHull(corners).equations[:, 3].max())
