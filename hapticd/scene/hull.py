"""The convex hull of a point set as polygon faces: Qhull's triangles, merged where they lie in one plane.

Gets checked points from `convex`, gives the corners and the face loops (counter-clockwise from outside) back to it.
Qhull (scipy.spatial) is used because a hull that survives flush, collinear and nearly equal points is a library's work;
what is added here is the certainty that the result is the graph of a polyhedron (planar, 3-connected), since the kernel
cuts that graph by bookkeeping alone and would lose faces on any other.

Faces are merged at the rounding of the coordinates. Where points lie so badly that this gives no polyhedron (slivers
just above the tolerance), the tolerance grows by steps and the hull is built again, up to `COARSEST`.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.spatial import ConvexHull, QhullError, cKDTree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Loops = list[list[int]]

FINEST = 64 * np.finfo(np.float64).eps  # of the largest coordinate: a rotated flat polygon is flat to about 4 eps
COARSEST = 1e-9  # of the largest coordinate: beyond this the points are not what the user drew
STEP = 8.0
THIN = 1e-4  # width over length of a face, below which its normal is worth exact arithmetic
MOST_TO_MERGE = 16_384  # corners that Qhull gives: what merging takes then is about a second


class HullError(Exception):
    """No polyhedron came out; the caller knows the body's name and makes it a SceneError."""


class CornerCountError(HullError):
    """So many that a coarser tolerance would not help."""


def polygon_hull(points: Floats) -> tuple[Ints, Loops]:
    """Indices of the points that are corners, and the faces as loops of positions in that index list."""
    largest = float(np.abs(points).max())
    centred = points - points.mean(axis=0)
    # a power of two changes no digit, and Qhull's own thresholds then see numbers near one
    scale = 2.0 ** -np.ceil(np.log2(np.abs(centred).max()))
    given, centred = points * scale, centred * scale
    tolerance, limit = FINEST * largest * scale, COARSEST * largest * scale
    reason = ""
    while tolerance <= limit:
        try:
            return _attempt(given, centred, tolerance)
        except CornerCountError:
            raise
        except (HullError, QhullError) as error:
            reason = str(error).strip().partition("\n")[0]
            tolerance *= STEP
    raise HullError(reason)


def _attempt(given: Floats, centred: Floats, tolerance: float) -> tuple[Ints, Loops]:
    """Qhull sees the centred points; what comes out must hold for those given, which differ from them by rounding."""
    kept = _welded(centred, tolerance)
    used = centred[kept]
    hull = ConvexHull(used)
    if len(hull.vertices) > MOST_TO_MERGE:
        raise CornerCountError(f"about {len(hull.vertices)} corners")
    triangles = _oriented(hull.simplices, hull.neighbors, used)
    group = _merged(used, triangles, hull.neighbors, hull.equations, tolerance)
    loops = _without_bends(_boundary_loops(triangles, group))
    check_polyhedron(loops)
    corners = np.unique(np.concatenate([np.asarray(loop) for loop in loops]))
    if (bulge := _bulge(given[kept], corners, loops)) > 8 * tolerance:
        raise HullError(f"a face lies {bulge:.1e} of the size below a corner")
    place = {int(corner): i for i, corner in enumerate(corners)}
    return kept[corners], [[place[v] for v in loop] for loop in loops]


def _welded(points: Floats, tolerance: float) -> Ints:
    """Of points nearer to each other than the tolerance, only the first stays."""
    pairs = cKDTree(points).query_pairs(tolerance, output_type="ndarray")
    return np.setdiff1d(np.arange(len(points)), pairs.max(axis=1)) if len(pairs) else np.arange(len(points))


def _oriented(simplices: Ints, neighbors: Ints, points: Floats) -> Ints:
    """Triangles counter-clockwise from outside: the largest by its sign, the others by their shared edges.

    The sign of a sliver's own area is noise, so it cannot be asked.
    """
    triangles = simplices.astype(np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    first = int(np.argmax((area * area).sum(axis=1)))
    if area[first] @ (a[first] - points.mean(axis=0)) < 0.0:
        triangles[first, [1, 2]] = triangles[first, [2, 1]]
    done = np.zeros(len(triangles), dtype=bool)
    done[first] = True
    stack = [first]
    while stack:
        i = stack.pop()
        edges = _edges(triangles[i])
        for j in neighbors[i]:
            if not done[j]:
                done[j] = True
                if edges & _edges(triangles[j]):  # a shared edge runs once each way
                    triangles[j, [1, 2]] = triangles[j, [2, 1]]
                stack.append(int(j))
    return triangles


def _edges(triangle: Ints) -> set[tuple[int, int]]:
    a, b, c = (int(v) for v in triangle)
    return {(a, b), (b, c), (c, a)}


def _merged(points: Floats, triangles: Ints, neighbors: Ints, equations: Floats, tolerance: float) -> Ints:
    """The face number of every triangle: from the largest down, each takes in what lies within its plane.

    A triangle of one of Qhull's own merged facets carries that facet's equation, so the plane of a face of many thin
    triangles is as good as its outline. The plane stays that of the first triangle: no face creeps round a bend.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    _, facet = np.unique(equations, axis=0, return_inverse=True)
    facet = facet.reshape(-1)
    facet_area = np.bincount(facet, weights=area)
    group = np.full(len(triangles), -1, dtype=np.int64)
    for face, seed in enumerate(np.lexsort((-area, -facet_area[facet]))):
        if group[seed] >= 0:
            continue
        normal, offset = equations[seed, :3], equations[seed, 3]
        group[seed] = face
        stack = [int(seed)]
        while stack:
            for j in neighbors[stack.pop()]:
                if group[j] < 0 and (
                    facet[j] == facet[seed] or np.abs(points[triangles[j]] @ normal + offset).max() <= tolerance
                ):
                    group[j] = face
                    stack.append(int(j))
    return group


def _boundary_loops(triangles: Ints, group: Ints) -> Loops:
    """The outline of every group of triangles."""
    owner = {}
    for triangle, face in zip(triangles.tolist(), group.tolist(), strict=True):
        for k in range(3):
            owner[triangle[k], triangle[(k + 1) % 3]] = face
    following: dict[int, dict[int, int]] = defaultdict(dict)
    for (v, w), face in owner.items():
        if owner.get((w, v)) != face:
            if v in following[face]:
                raise HullError("a face touches itself in a corner")
            following[face][v] = w
    return [_chain(step) for _, step in sorted(following.items())]


def _chain(following: dict[int, int]) -> list[int]:
    start = v = min(following)
    loop = [v]
    while (v := following.get(v, -1)) != start:
        if v < 0 or len(loop) > len(following):
            raise HullError("the outline of a face is not closed")
        loop.append(v)
    if len(loop) != len(following):
        raise HullError("a face has a hole")
    return loop


def _without_bends(loops: Loops) -> Loops:
    """Points where only two faces meet lie on a straight edge and are no corners."""
    degree = np.bincount(np.concatenate([np.asarray(loop) for loop in loops]))
    return [[v for v in loop if degree[v] > 2] for loop in loops]


def check_polyhedron(loops: Loops) -> None:
    """Raise unless the loops are the faces of a polyhedron: closed, Euler's count, and 3-connected.

    A planar graph is 3-connected when its faces are simple cycles and two of them share nothing, a corner, or an edge.
    """
    if len(loops) < 4 or min(len(loop) for loop in loops) < 3:
        raise HullError("a face has fewer than three corners")
    corners, flat = np.unique(np.concatenate([np.asarray(loop) for loop in loops]), return_inverse=True)
    face = np.repeat(np.arange(len(loops)), [len(loop) for loop in loops])
    edges = {(v, w): f for f, loop in enumerate(loops) for v, w in zip(loop, loop[1:] + loop[:1], strict=True)}
    if len(edges) != len(flat) or any((w, v) not in edges for v, w in edges):
        raise HullError("faces do not meet edge to edge")
    if len(corners) - len(edges) // 2 + len(loops) != 2:
        raise HullError("Euler's count is wrong")
    incidence = csr_array((np.ones(len(flat)), (face, flat)), shape=(len(loops), len(corners)))
    shared = (incidence @ incidence.T).tocoo()
    apart = shared.row != shared.col
    if shared.data[apart].max() > 2 or np.count_nonzero(shared.data[apart] == 2) != len(edges):
        raise HullError("two faces share more than one edge")


def _bulge(points: Floats, corners: Ints, loops: Loops) -> float:
    """By how much the highest corner stands out over the plane of a face."""
    normals = face_normals(points, loops)
    own = np.array([np.max(points[loop] @ normal) for loop, normal in zip(loops, normals, strict=True)])
    return float(np.max(points[corners] @ normals.T - own))


def face_normals(points: Floats, loops: Loops) -> Floats:
    """Unit normals of the faces, by their area vectors."""
    fans = np.concatenate([[(loop[0], v, w) for v, w in pairwise(loop[1:])] for loop in loops])
    start = np.cumsum([0] + [len(loop) - 2 for loop in loops[:-1]])
    a, b, c = (points[fans[:, k]] for k in range(3))
    areas = np.add.reduceat(np.cross(b - a, c - a), start)
    reach = np.maximum.reduceat(np.abs(np.concatenate([b - a, c - a], axis=1)).max(axis=1), start)
    for i in np.flatnonzero(np.abs(areas).max(axis=1) < THIN * reach**2):
        areas[i] = _exact_area(points[loops[i]])
    length = np.linalg.norm(areas, axis=1)
    if not length.min() > 0.0:
        raise HullError("a face has no area")
    normals: Floats = areas / length[:, None]
    return normals


def _exact_area(polygon: Floats) -> list[float]:
    """The area vector by rationals: of a face as thin as rounding, floats would not give even the direction."""
    x, y, z = ([Fraction(number) for number in column] for column in polygon.T.tolist())
    return [float(_shoelace(*pair)) for pair in ((y, z), (z, x), (x, y))]


def _shoelace(u: list[Fraction], v: list[Fraction]) -> Fraction:
    return sum((u[i - 1] * v[i] - u[i] * v[i - 1] for i in range(len(u))), Fraction(0))
