"""Volume, centroid and second moment of a polyhedron: exact integrals over the tetrahedra from an inner point.

The inner point makes every tetrahedron positive, so nothing cancels and the sums are good to rounding.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class VolumeMoments(NamedTuple):
    volume: float  # m3
    centroid: Floats  # (3,) m
    second: Floats  # (3, 3) m5, integral of (x - centroid)(x - centroid)^T


def volume_moments(vertices: Floats, faces: Sequence[npt.NDArray[np.intp]]) -> VolumeMoments:
    """Of the solid inside faces that run counter-clockwise seen from outside."""
    inner = vertices.mean(axis=0)
    arms = vertices - inner
    fans = np.concatenate([np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], axis=1) for f in faces])
    a, b, c = (arms[fans[:, k]] for k in range(3))
    six_volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    total = a + b + c
    volume = six_volume.sum() / 6
    centre = (six_volume @ total) / 24 / volume
    # of the tetrahedron 0 a b c: six_volume / 120 (aa + bb + cc + (a+b+c)(a+b+c))
    corners = np.concatenate([a, b, c, total])
    second = np.einsum("i,ij,ik->jk", np.tile(six_volume, 4), corners, corners) / 120
    second = (second + second.T) / 2  # einsum sums the two halves in different orders
    return VolumeMoments(float(volume), inner + centre, second - volume * np.outer(centre, centre))


def inertia_tensor(second: Floats) -> Floats:
    """The inertia tensor that belongs to a second moment: tr(M) 1 - M."""
    tensor: Floats = np.trace(second) * np.eye(3) - second
    return tensor
