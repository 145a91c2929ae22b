"""Contacts beside each other share one stiffness: parts and tiles are felt as the one face that they are.

Gets the pair list and all contact rows, gives `pair.py` the area over which a contact's gains are spread besides its
own. Gains per contact belong to two bodies, however many convex parts those have; all that stands still counts as one
body, and so does all that the pointer touches, because what a device bears, b / (T/2 + t_d), it bears of all together.

    K_i = K A_i / (A_i + beside_i),   beside_i = sum over the others of  |n_i . n_j| r_ij A_j
    r_ij = min(1, (2 h_j / h_i)^2),   h = V / A, the mean depth

With r = 1 no direction is ever stiffer than K: the matrix sum K_i n_i n_i^T has the eigenvalues of
(A_j / A_i) K_i |n_i . n_j|, whose row sums are K (Gershgorin). r keeps the force continuous: a large face that is just
touched has all of its area at once, and no depth.

A sliver just over a seam has its normal along the face; as a spring of its own it pushed back with half of the force.
Beside a patch of width w it is left with depth / w of it. A cube drawn over two tiles at 0.1 m/s, 0.5 N on 1 kN/m: the
force stepped by 0.29 N in a tick, now by 0.012 (2026-11-18). Ours: in the papers a contact has one stiffness, and each
body is one convex part. Gains per area need none of this. Rows of pairs later in the list are those of the last tick.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.layout import AREA, DEPTH, NORMAL, VOLUME

FULL_SHARE = 2.0  # contacts at least half as deep as this one count whole


@kernel
def link(pair, n_pair, part_body, still, pointer, n_body, newest, ring):
    """ring[i]: the pair after i among those that share its stiffness, round in a circle; of a single pair itself."""
    for a in range(n_body):
        newest[a] = -1
    for i in range(n_pair):
        a, b = part_body[pair[i, 0]], part_body[pair[i, 1]]
        if a == pointer or b == pointer:
            before = replaced(newest, pointer, i)
        elif still[b]:
            before = replaced(newest, a, i)
        elif still[a]:
            before = replaced(newest, b, i)
        else:
            before = same_bodies(pair, i, part_body, a, b)
        if before < 0:
            ring[i] = i
        else:
            ring[i] = ring[before]
            ring[before] = i


@kernel_inline
def replaced(newest, a, i):
    before = newest[a]
    newest[a] = i
    return before


@kernel_inline
def same_bodies(pair, i, part_body, a, b):
    """The pair before i of the same two bodies, or -1. A body's parts are numbered in a row, so its pairs lie so."""
    for j in range(i - 1, -1, -1):
        if part_body[pair[j, 0]] != a:
            break
        if part_body[pair[j, 1]] == b:
            return j
    return -1


@kernel_inline
def patch_area(contact, i):
    """A solid is at most area times depth; only a frozen patch is not, and must not make the force unbounded."""
    return max(contact[i, AREA], contact[i, VOLUME] / contact[i, DEPTH])


@kernel
def area_beside(contact, i, ring, n_pair):
    """beside_i, m2; n_pair bounds the way round."""
    if ring[i] == i:
        return 0.0
    depth = contact[i, VOLUME] / patch_area(contact, i)
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    beside = 0.0
    j = ring[i]
    for _ in range(n_pair):
        if j == i:
            break
        if contact[j, VOLUME] > 0.0:
            area = patch_area(contact, j)
            share = FULL_SHARE * contact[j, VOLUME] / (area * depth)  # this contact has a volume, so a depth
            along = nx * contact[j, NORMAL] + ny * contact[j, NORMAL + 1] + nz * contact[j, NORMAL + 2]
            beside += math.fabs(along) * min(1.0, share * share) * area
        j = ring[j]
    return beside
