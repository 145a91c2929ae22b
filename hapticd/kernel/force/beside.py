"""What else holds the pointer: its contacts share one stiffness, so that parts and tiles are not felt as springs added.

Gets all contact rows of the pointer, gives `pair.py` the area over which a contact's gains are spread besides its own:

    K_i = K A_i / (A_i + beside_i),   beside_i = sum over the others of  |n_i . n_j| r_ij A_j
    r_ij = min(1, (2 h_j / h_i)^2),   h = V / A, the mean depth

What a device bears, b / (T/2 + t_d), it bears of all contacts together. With r = 1 no direction is ever stiffer than K,
however many parts a mesh has: the matrix sum K_i n_i n_i^T has the eigenvalues of (A_j / A_i) K_i |n_i . n_j|, whose
row sums are K (Gershgorin). Parts side by side in one plane are then felt as the one face that they are. A sliver just
over a seam has its normal along the face, and as a spring of its own it pushed back with half of the force: 0.5 N on
1 kN/m stepped by 0.29 N in a tick. Beside a patch of width w it is left with depth / w: 0.012 N (2026-11-18).

r keeps it continuous: a large face that is just touched has all of its area at once, and no depth. Gains per area need
none of this. The rows of contacts later in the list are those of the last tick.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.layout import AREA, DEPTH, NORMAL, VOLUME

FULL_SHARE = 2.0  # contacts at least half as deep as this one count whole


@kernel_inline
def patch_area(contact, i):
    """A solid is at most area times depth; only a frozen patch is not, and must not make the force unbounded."""
    return max(contact[i, AREA], contact[i, VOLUME] / contact[i, DEPTH])


@kernel
def pointer_pairs(pair, n_pair, part_body, pointer, held):
    """List the pairs with the pointer in `held`; how many."""
    count = 0
    for i in range(n_pair):
        if part_body[pair[i, 0]] == pointer or part_body[pair[i, 1]] == pointer:
            held[count] = i
            count += 1
    return count


@kernel
def area_beside(contact, i, held, count):
    """beside_i, m2."""
    depth = contact[i, VOLUME] / patch_area(contact, i)
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    beside = 0.0
    for q in range(count):
        j = held[q]
        if j == i or not contact[j, VOLUME] > 0.0:
            continue
        area = patch_area(contact, j)
        share = FULL_SHARE * contact[j, VOLUME] / (area * depth)  # this contact has a volume, so a depth
        along = nx * contact[j, NORMAL] + ny * contact[j, NORMAL + 1] + nz * contact[j, NORMAL + 2]
        beside += math.fabs(along) * min(1.0, share * share) * area
    return beside
