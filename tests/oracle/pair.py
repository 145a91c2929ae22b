"""One pair of shapes through the kernel, for the tests of this folder."""

from typing import NamedTuple

import numpy as np

from hapticd.kernel import layout
from hapticd.kernel.contact.pair import pair_contact
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_solid, pack_shapes


class Pair(NamedTuple):
    """The kernel's arrays of two shapes; `row` keeps the last direction, as between two ticks."""

    shapes: layout.Shapes
    solid: layout.Solid
    row: np.ndarray

    @classmethod
    def of(cls, a: ConvexShape, b: ConvexShape) -> "Pair":
        shapes = pack_shapes([a, b])
        return cls(shapes, make_solid(shapes), np.zeros((1, layout.CONTACT_SIZE)))

    def contact(self, X_A: np.ndarray, X_B: np.ndarray, warm: bool = False) -> tuple[int, np.ndarray]:
        """(status, contact row) at these pose rows."""
        if not warm:
            self.row[:] = 0.0
        status = pair_contact(self.shapes, 0, 1, np.array([X_A, X_B]), 0, 1, self.solid, self.row, 0)
        return status, self.row[0].copy()


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.concatenate([np.asarray(R, dtype=float).ravel(), np.asarray(p, dtype=float)])


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_hull(rng: np.random.Generator, n: int = 20, size: float = 1.0) -> ConvexShape:
    points = rng.normal(size=(n, 3))
    return ConvexShape(size * points / np.linalg.norm(points, axis=1)[:, None])


def wrench(row: np.ndarray) -> np.ndarray:
    """Force and torque on A of the spring law k V n through the centroid, about the world's origin, for k = 1."""
    force = row[layout.VOLUME] * row[layout.NORMAL : layout.NORMAL + 3]
    return np.concatenate([force, np.cross(row[layout.CENTROID : layout.CENTROID + 3], force)])
