"""What a set of corners must satisfy before a hull is built of it; each refusal names the body and the vertex.

Gets raw input from `convex`, gives it finite, different points that span a solid. Time is bounded by MOST_INPUT and by
the cull: of more than CULL_ABOVE points, those well inside a hull of extreme ones are left out before Qhull sees them.
"""

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull

from hapticd.errors import SceneError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SMALLEST, LARGEST = 1e-6, 1e6  # m: of a shape's longest side, and of any coordinate; room around 1e-3 .. 1e3
FLAT = 1e-9  # of the size: thinner than this the volume is noise
MOST_CORNERS = 2048  # of one part: 300 faces in deep contact already take a quarter of a tick
MOST_INPUT = 4_000_000  # points: what one pass over them may cost at start-up (seconds)
CULL_ABOVE = 20_000  # points
EXTREMES = 60  # directions: a hull of about a hundred faces, each one pass over the points
MOST_TO_QHULL = 50_000  # points after the cull: half a second; a million points of a sphere would take it 11 s


def checked_points(vertices: npt.ArrayLike, name: str) -> Floats:
    """The points as (n, 3) float64, or a SceneError."""
    try:
        points = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SceneError(f"{name}: vertices are not numbers: {error}") from error
    if points.ndim != 2 or points.shape[1] != 3:
        raise SceneError(f"{name}: vertices of shape {points.shape}; allowed is (n, 3)")
    if len(points) < 4:
        raise SceneError(f"{name}: {len(points)} vertices; a solid has at least 4")
    if len(points) > MOST_INPUT:
        raise SceneError(f"{name}: {len(points)} vertices; allowed are {MOST_INPUT}; simplify the mesh first")
    if not (fine := np.isfinite(points).all(axis=1)).all():
        bad = int(np.argmin(fine))
        raise SceneError(f"{name}: vertex {bad} is {points[bad].tolist()}; every coordinate must be finite")
    _check_size(points, name)
    _check_different(points, name)
    _check_thick(points, name)
    return points


def _check_size(points: Floats, name: str) -> None:
    far = int(np.argmax(np.abs(points).max(axis=1)))
    if np.abs(points[far]).max() > LARGEST:
        raise SceneError(f"{name}: vertex {far} is {points[far].tolist()}; coordinates in m, at most {LARGEST:g}")
    size = float(np.ptp(points, axis=0).max())
    if size < SMALLEST:
        raise SceneError(f"{name}: longest side {size:g} m; at least {SMALLEST:g}; is the unit right?")


def _check_different(points: Floats, name: str) -> None:
    order = np.lexsort(points.T)
    same = np.flatnonzero((points[order][1:] == points[order][:-1]).all(axis=1))
    if len(same):
        first, second = sorted(int(i) for i in order[same[0] : same[0] + 2])
        raise SceneError(f"{name}: vertex {second} repeats vertex {first} at {points[first].tolist()}; leave one out")


def _check_thick(points: Floats, name: str) -> None:
    """Grow a base of three points as wide as can be; the rest must stand off its plane."""
    size = float(np.ptp(points, axis=0).max())
    a = int(np.argmin(points[:, int(np.argmax(np.ptp(points, axis=0)))]))
    arms = points - points[a]
    b = int(np.argmax((arms * arms).sum(axis=1)))
    across = np.cross(arms, arms[b] / np.linalg.norm(arms[b]))
    width = np.linalg.norm(across, axis=1)
    c = int(np.argmax(width))
    if width[c] <= FLAT * size:
        raise SceneError(f"{name}: all vertices lie on the line of vertices {a} and {b}; a solid has a volume")
    normal = across[c] / width[c]
    if np.ptp(arms @ normal) <= FLAT * size:
        raise SceneError(f"{name}: all vertices lie in the plane of vertices {a}, {b} and {c}; a solid has a volume")


def hull_candidates(points: Floats, name: str) -> Ints:
    """Indices of the points that can be corners; of few points all of them."""
    candidates = np.arange(len(points))
    if len(points) <= CULL_ABOVE:
        return candidates
    directions = np.random.default_rng(1).normal(size=(EXTREMES, 3))
    extreme = np.unique([int(np.argmax(points @ direction)) for direction in directions])
    planes = ConvexHull(points[extreme], qhull_options="QJ").equations
    margin = FLAT * float(np.ptp(points, axis=0).max())
    batches = [points[i : i + CULL_ABOVE] for i in range(0, len(points), CULL_ABOVE)]  # to spare memory
    heights = np.concatenate([np.max(batch @ planes[:, :3].T + planes[:, 3], axis=1) for batch in batches])
    candidates = np.flatnonzero(heights > -margin)
    if len(candidates) > MOST_TO_QHULL:
        raise SceneError(
            f"{name}: {len(points)} vertices, {len(candidates)} may be corners (vertex {candidates[0]} is one); "
            f"allowed are {MOST_CORNERS} corners; simplify the mesh or decompose it"
        )
    return candidates
