"""Seeded random pairs of shapes in contact: the set on which the exactness of the contact kernel is judged.

    pool = shape_pool(seed)                 # built once: building hulls is slow, posing them is not
    for pair in random_pairs(pool, seed, 100_000): ...

Boxes and hulls of 8 to 300 faces; sizes 1e-3 to 1e3 m, ratios up to 1000; orientations of five classes; depths 1e-9 of
the smaller size to half of it; positions up to 1e3 m from the origin.

Depth is what the two overlap along a direction u, by their supports: max over A of u.x - min over B of u.x. A point in
the middle of that overlap is inside both, so that every pair has a shared volume (up to rounding far from the origin).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hapticd.scene.convex import ConvexShape

ORIENTATIONS = ("identical", "right_angle", "shared_axis", "tilted", "free")
FACE_COUNTS = (8, 12, 20, 32, 60, 100, 180, 300)
SMALLEST, LARGEST, LARGEST_RATIO = 1e-3, 1e3, 1e3
FARTHEST = 1e3  # m, of a body's position from the origin, along each axis
SHALLOWEST, DEEPEST = 1e-9, 0.5  # of the smaller size


class Pair(NamedTuple):
    """Two shapes of the pool and where they are; pose rows as in layout.py: R row by row, then the position."""

    a: int
    b: int
    X_WA: np.ndarray  # (12,)
    X_WB: np.ndarray  # (12,)
    orientation: str
    direction: np.ndarray  # (3,) u in the world
    depth: float  # m


class Pool(NamedTuple):
    shapes: list[ConvexShape]  # by rising size, centroid in the origin
    sizes: np.ndarray  # (n,) m, the longest side


def shape_pool(seed: int, sizes_each: int = 8) -> Pool:
    """Every kind of shape at several sizes."""
    rng = np.random.default_rng([seed, 1])
    kinds = [ConvexShape.box(rng.uniform(0.2, 1.0, 3)) for _ in range(len(FACE_COUNTS))]
    kinds += [random_hull(rng, count) for count in FACE_COUNTS]
    scales = 10 ** rng.uniform(np.log10(SMALLEST), np.log10(LARGEST), (len(kinds), sizes_each))
    scales[:, 0], scales[:, 1] = SMALLEST, LARGEST
    shapes = []
    for kind, row in zip(kinds, scales, strict=True):
        unit = kind.moved(-kind.centroid)
        shapes += [unit.moved(scale=scale / np.ptp(unit.vertices, axis=0).max()) for scale in row]
    shapes.sort(key=size_of)
    return Pool(shapes, np.array([size_of(shape) for shape in shapes]))


def size_of(shape: ConvexShape) -> float:
    return float(np.ptp(shape.vertices, axis=0).max())


def random_hull(rng: np.random.Generator, faces: int) -> ConvexShape:
    """Points on an ellipsoid; n of them in general position make 2 n - 4 triangles."""
    points = rng.normal(size=(faces // 2 + 2, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return ConvexShape(points * rng.uniform(0.4, 1.0, 3), name=f"hull{faces}")


def random_pairs(pool: Pool, seed: int, count: int) -> Iterator[Pair]:
    """The same seed gives the same pairs, whatever the count."""
    rng = np.random.default_rng([seed, 2])
    for i in range(count):
        yield _pair(pool, rng, ORIENTATIONS[i % len(ORIENTATIONS)])


def relative_pose(X_WA: np.ndarray, X_WB: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R_AB and t_AB, formed in floats once; what the oracles take as exact."""
    R_A, R_B = X_WA[:9].reshape(3, 3), X_WB[:9].reshape(3, 3)
    return R_A.T @ R_B, R_A.T @ (X_WB[9:] - X_WA[9:])


def _pair(pool: Pool, rng: np.random.Generator, orientation: str) -> Pair:
    a = int(rng.integers(len(pool.shapes)))
    near = np.flatnonzero((pool.sizes <= LARGEST_RATIO * pool.sizes[a]) & (pool.sizes[a] <= LARGEST_RATIO * pool.sizes))
    b = int(rng.choice(near))
    # half of the pairs stand square in the world, so that exactly flush faces stay exactly flush
    R_A = np.eye(3) if rng.random() < 0.5 else random_rotation(rng)
    R_B = R_A @ _relative_rotation(rng, orientation)
    corners_A, corners_B = pool.shapes[a].vertices @ R_A.T, pool.shapes[b].vertices @ R_B.T
    u = _direction(pool, rng, (a, R_A), (b, R_B))
    smaller = min(pool.sizes[a], pool.sizes[b])
    depth = smaller * 10 ** rng.uniform(np.log10(SHALLOWEST), np.log10(DEEPEST))
    depth = min(depth, 0.5 * np.ptp(corners_A @ u), 0.5 * np.ptp(corners_B @ u))
    p_A = rng.uniform(-FARTHEST, FARTHEST, 3) * rng.choice([0.0, 1e-3, 1.0])
    p_B = p_A + _point_below(corners_A, u, depth / 2, rng) - _point_below(corners_B, -u, depth / 2, rng)
    X_WA, X_WB = np.concatenate([R_A.ravel(), p_A]), np.concatenate([R_B.ravel(), p_B])
    return Pair(a, b, X_WA, X_WB, orientation, u, float(depth))


def _direction(pool: Pool, rng: np.random.Generator, a: tuple, b: tuple) -> np.ndarray:
    """A face normal of A (most often: flush contact), one of B turned round, or any direction."""
    choice = rng.random()
    if choice < 0.8:
        (index, R), sign = (a, 1.0) if choice < 0.5 else (b, -1.0)
        u = sign * R @ rng.choice(pool.shapes[index].planes[:, :3])
    else:
        u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def _point_below(corners: np.ndarray, u: np.ndarray, depth: float, rng: np.random.Generator) -> np.ndarray:
    """A point inside, `depth` below the support along u: from anywhere in the support towards the centroid."""
    heights = corners @ u
    support = corners[heights >= heights.max() - 1e-12 * np.ptp(heights)]
    top = rng.dirichlet(np.ones(len(support))) @ support
    return top * ((heights.max() - depth) / (top @ u))  # the centroid is the origin


def _relative_rotation(rng: np.random.Generator, orientation: str) -> np.ndarray:
    if orientation == "identical":
        return np.eye(3)
    if orientation == "right_angle":
        return _right_angle(rng)
    if orientation == "shared_axis":
        return _right_angle(rng) @ rotation_about(np.eye(3)[rng.integers(3)], rng.uniform(-np.pi, np.pi))
    if orientation == "tilted":
        axis = rng.normal(size=3)
        return _right_angle(rng) @ rotation_about(axis / np.linalg.norm(axis), 10 ** rng.uniform(-15, -3))
    return random_rotation(rng)


def _right_angle(rng: np.random.Generator) -> np.ndarray:
    """One of the 24 rotations of the cube, with exact zeros and ones."""
    R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
    return R if np.linalg.det(R) > 0 else -R


def rotation_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues; with 1 - cos by the half angle, so that a tilt of 1e-15 is still one."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + 2 * np.sin(angle / 2) ** 2 * (K @ K)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Uniform over all rotations, by a unit quaternion."""
    x, y, z, w = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
