"""Scratch memory of two searches beside the clip: the distance of two parts (gjk.py), and the dual way (dual.py).

As kernel/layout.py: every field with its shape and unit, all lengths in metres, everything float64/int32 unless said.
"""

from typing import NamedTuple

import numpy as np

Array = np.ndarray

# Columns of Gap.row.
GAP_DIRECTION = 0  # 0..2, unit, from B to A; zeros when they overlap
GAP_A = 3  # 3..5, the nearest point of A, m
GAP_B = 6  # 6..8, the nearest point of B, m
GAP_SIZE = 9
GAP_WARM = 9  # columns of a warm-start row: how many corners, and the corners of A and B by turns


class Gap(NamedTuple):
    """Scratch memory and result of one distance query (gjk.py), in the frame of A's body."""

    corner: Array  # (4, 3) m, corners of the simplex: differences of a corner of A and one of B
    index: Array  # (4, 2) i4, those two corners, part-local
    weight: Array  # (4,) of the corners, for the point nearest to the origin
    held_weight: Array  # (4,) as weight and index, before the last step
    held_index: Array  # (4, 2) i4
    row: Array  # (GAP_SIZE,)


# Cells of Hull.count.
HULL_FACETS = 0  # facets below this number have been in use
HULL_FREE = 1  # head of the list of those free again
HULL_PENDING = 2  # facets that wait for their points to be looked at
HULL_SEEN_FACETS = 3  # facets that the point at hand sees
HULL_COUNTS = 4


class Hull(NamedTuple):
    """Scratch memory of the dual way (dual.py, quickhull.py): n points, at most 2 n facets, all triangles.

    Half-edges as in Solid: 4 f + k is the edge of facet f from its corner k to the next, counter-clockwise.
    """

    point: Array  # (n, 3) dual points; no unit: in the dual frame every point lies in the unit ball
    link: Array  # (n,) i4, next point above the same facet
    fan: Array  # (n,) i4, the horizon's edge that starts at this point
    vertex: Array  # (8 n,) i4, points at the corners
    twin: Array  # (8 n,) i4
    plane: Array  # (2 n, 6) outward normal (not of unit length), offset; margin, height of the farthest point above
    head: Array  # (2 n,) i4, the farthest point above the facet, first of a list; of a free facet: the next free one
    mark: Array  # (2 n,) i4, in use, seen, or free
    waits: Array  # (2 n,) i4, 1 while in `pending`
    pending: Array  # (2 n,) i4
    seen: Array  # (2 n,) i4
    edge: Array  # (2 n,) i4, kept half-edges of the horizon
    fresh: Array  # (2 n,) i4, the newest facets
    count: Array  # (HULL_COUNTS,) i8
    centre: Array  # (9,) interior point and the frame around it: see interior.py
    basis: Array  # (4, 5) of the linear program there
