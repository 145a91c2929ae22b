"""Contacts beside each other share one stiffness: parts and tiles are felt as the one face that they are.

Gets the pair list and the contact rows, gives `pair.py` the area over which a contact's gains are spread besides its
own. Gains per contact belong to two bodies, however many convex parts those have; all that is static or follows a
script counts as one body, and so does all that the pointer touches, because what a device bears, b / (T/2 + t_d), it
bears of all together. Gains per area need none of this.

    K_i A_i / (A_i + beside_i),   beside_i = P R A_i / (R A_i + (P - R) P)
    P = sum m_ij x_ij,   R = sum m_ij^2 x_ij,   x_ij = |n_i . n_j| A_j K_j / K_i,   m_ij = min(1, 2 h_j / h_i)

with h = V / A the mean depth. Others at least half as deep count whole (m = 1, P = R), beside_i is the sum of their
areas, and along normals no direction is stiffer than the largest K: the matrix sum k_i n_i n_i^T, k_i the shared
stiffness, has the eigenvalues of (K_j A_j / K_i A_i) k_i n_i . n_j, whose absolute row sums are K_i (Gershgorin).
Friction's springs are shared alike; those of a wall and those along the floor still add up.

Shallower ones count by m. A large face that is just touched has all of its area at once and no depth, and must neither
step nor rob: on a peg above a plate with the share s = A / (A + A_peg) of both areas, F is K (h_peg - s h) until the
plate is half as deep, and then K times the mean depth. So it never falls with depth and its slope is at most K. With
the square of m for all others it fell to a third (5 mm peg, 40 mm cube, 2026-11-18).

A sliver just over a seam has its normal along the face; as a spring of its own it pushed back with half of the force.
Beside a patch of width w it is left with depth / w of it. A cube drawn over two tiles at 0.1 m/s, 0.5 N on 1 kN/m: the
force stepped by 0.29 N in a tick, now by 0.012 (2026-11-18).

Ours: in the papers each body is one convex part. `step.py` finds all contacts of a group before the first force: with
rows of the last tick, contacts that began together were too stiff for a tick, and a slab on nine tiles leapt off them.
n contacts of one group look at each other, which takes about 5 ns n^2.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.layout import (
    AREA,
    DEPTH,
    GAIN_STIFFNESS,
    LAW_FADE,
    NORMAL,
    OPTION_BODIES,
    OPTION_MATERIALS,
    OPTION_PER_AREA,
    OPTION_POINTER,
    VOLUME,
)

WHOLE_FROM = 2.0  # contacts at least half as deep count whole


@kernel
def link(m, s, near, latest, partner, stiffness):
    """partner[i]: the pair after i among those that share with it, round in a circle; of a single pair itself.

    Only where near[i] is true; the stiffness of those pairs, K, is noted, too. latest is scratch, (2, n_body). Gains
    per area are shared by nobody.
    """
    pointer, materials = m.option[OPTION_POINTER], m.option[OPTION_MATERIALS]
    part_body, pair = m.part_body, s.pair
    for a in range(m.option[OPTION_BODIES]):
        latest[0, a] = latest[1, a] = -1
    for i in range(s.pair_count[0]):
        if not near[i]:
            continue
        a, b = part_body[pair[i, 0]], part_body[pair[i, 1]]
        stiffness[i] = m.gain[m.material[a] * materials + m.material[b], GAIN_STIFFNESS]
        if m.option[OPTION_PER_AREA]:
            before = -1
        elif a == pointer or b == pointer:
            before = replaced(latest, 0, pointer, i)
        elif m.still[b]:
            before = replaced(latest, 0, a, i)
        elif m.still[a]:
            before = replaced(latest, 0, b, i)
        else:
            # The list is sorted and a body's parts are numbered in a row: if any pair before has a and b, the last
            # with b has.
            before = replaced(latest, 1, b, i)
            if before >= 0 and part_body[pair[before, 0]] != a:
                before = -1
        if before < 0:
            partner[i] = i
        else:
            partner[i] = partner[before]
            partner[before] = i


@kernel_inline
def replaced(latest, k, a, i):
    before = latest[k, a]
    latest[k, a] = i
    return before


@kernel_inline
def patch_area(contact, i):
    """A solid is at most area times depth; only a frozen patch is not, and must not make the force unbounded."""
    return max(contact[i, AREA], contact[i, VOLUME] / contact[i, DEPTH])


@kernel
def area_beside(contact, law, i, partner, stiffness, n_pair):
    """beside_i, m2; n_pair bounds the way round."""
    j = partner[i]
    if j == i or not (contact[i, DEPTH] > 0.0 and stiffness[i] > 0.0):
        return 0.0
    own = patch_area(contact, i)
    per_depth = WHOLE_FROM * own / contact[i, VOLUME]  # a contact has a volume
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    first = second = 0.0
    for _ in range(n_pair):
        if j == i:
            break
        if contact[j, VOLUME] > 0.0 and contact[j, DEPTH] > 0.0:
            area = patch_area(contact, j)
            along = nx * contact[j, NORMAL] + ny * contact[j, NORMAL + 1] + nz * contact[j, NORMAL + 2]
            m = law[j, LAW_FADE] * min(1.0, per_depth * contact[j, VOLUME] / area)
            x = m * math.fabs(along) * area * stiffness[j]
            first += x
            second += m * x
        j = partner[j]
    if not second > 0.0:
        return 0.0
    first, second = first / stiffness[i], second / stiffness[i]
    return first * second * own / (second * own + (first - second) * first)
