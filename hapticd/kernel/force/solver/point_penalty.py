"""One spring and damper at the deepest point: the papers' baseline, kept honest for comparison.

The point of A that lies deepest in B carries the whole force. When a face lies flat the deepest corner changes from
tick to tick, and the force's point of action jumps: what the contact volume is there to cure. Hasegawa 2003, Fig. 1 and
5.1.
"""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.contact.relative import turn, turn_back
from hapticd.kernel.force.patch import along
from hapticd.kernel.layout import (
    AREA,
    CENTRE,
    DEPTH,
    GAIN_DAMPING,
    GAIN_STIFFNESS,
    NORMAL,
    POSITION,
    SOLID_NODES,
)
from hapticd.kernel.vector import cross

FRAME = 0  # row of Solid.pose: the frame of the nodes


@kernel_inline
def solve(contact, i, gain, g, spread, v, omega, solid):
    """(N, dx, dy, dz): normal force, and where it acts relative to the patch centre."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    ex, ey, ez = turn_back(solid.pose, FRAME, nx, ny, nz)
    node = solid.node
    deepest = 0
    low = math.inf
    for k in range(solid.count[SOLID_NODES]):
        height = ex * node[0, k] + ey * node[1, k] + ez * node[2, k]
        if height < low:
            low = height
            deepest = k
    px, py, pz = turn(solid.pose, FRAME, node[0, deepest], node[1, deepest], node[2, deepest])
    dx = px + solid.pose[FRAME, POSITION] - contact[i, CENTRE]
    dy = py + solid.pose[FRAME, POSITION + 1] - contact[i, CENTRE + 1]
    dz = pz + solid.pose[FRAME, POSITION + 2] - contact[i, CENTRE + 2]
    sx, sy, sz = cross(omega[0], omega[1], omega[2], dx, dy, dz)
    out = along(nx, ny, nz, v[0] + sx, v[1] + sy, v[2] + sz)
    whole = spread * contact[i, AREA]  # its share of gains per contact, or the area for gains per area
    force = whole * (gain[g, GAIN_STIFFNESS] * contact[i, DEPTH] - gain[g, GAIN_DAMPING] * out)
    return max(force, 0.0), dx, dy, dz
