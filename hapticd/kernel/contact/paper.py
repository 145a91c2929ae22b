"""The paper's own ways, kept beside ours for comparison: solid by dual and QuickHull, normal by separation and GJK.

    dual_contact         as `pair.pair_contact`, the solid by `dual.py`, by the clip where that gives up
    separation_normal    moves A out along the last normal and takes the direction of the nearest points (Fig. 4)

The clip is what every tick uses: it never gives up, and the dual way is slower up to hulls of about 200 faces
(2026-11-18: 100 faces, half overlapped, 16 us by the clip and 21 us by the dual). The area vector is what every tick's
normal is: that of GJK jumps when the nearest points do, by up to 36 degrees in the sweeps of formulas.md. Hasegawa
2003, sections 4.2-4.4.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.contact.clip import clip
from hapticd.kernel.contact.dual import dual_solid
from hapticd.kernel.contact.gjk import distance
from hapticd.kernel.contact.layout import GAP_DIRECTION
from hapticd.kernel.contact.measure import FRAME, area_moments, extent, write_area
from hapticd.kernel.contact.pair import apart, begin, finish
from hapticd.kernel.contact.relative import turn, turn_back, write_relative
from hapticd.kernel.contact.slab import first_direction, lowest, slab
from hapticd.kernel.layout import (
    DEPTH,
    NORMAL,
    POSITION,
    SOLID_SWAPPED,
)
from hapticd.kernel.status import CONTACT_NONE, CONTACT_OK, DUAL_OK
from hapticd.kernel.tolerance import SEPARATION
from hapticd.kernel.vector import tangent


@kernel
def dual_contact(shapes, part_a, part_b, X_W, body_a, body_b, solid, hull, contact, i):
    """Write contact row i of a pair that is new; returns its status."""
    base, cutter, sign = begin(shapes, part_a, part_b, X_W, body_a, body_b, solid)
    ux, uy, uz = first_direction(shapes, base, cutter, solid.pose)
    if dual_solid(shapes, base, cutter, solid, hull) == DUAL_OK:
        return finish(shapes, base, part_b, (ux, uy, uz), True, CONTACT_OK, solid, contact, i)
    bounds = slab(shapes, base, cutter, solid.pose, ux, uy, uz)
    if not bounds[2] > bounds[0]:
        return apart(solid, contact, i, sign, ux, uy, uz)
    status = clip(shapes, base, cutter, ux, uy, uz, bounds, solid)
    if status == CONTACT_NONE:
        return apart(solid, contact, i, sign, ux, uy, uz)
    return finish(shapes, base, part_b, (ux, uy, uz), True, status, solid, contact, i)


@kernel
def separation_normal(shapes, part_a, part_b, X_W, body_a, body_b, solid, contact, i, gap, warm, pose):
    """Replace the normal of contact row i, and area and depth with it, by the paper's; False: GJK gave none, row kept.

    `pose` (1, 12) and `warm` (1, GAP_WARM) are scratch; `solid` is the one that the row came from.
    """
    write_relative(X_W, body_a, body_b, pose, 0)
    nx, ny, nz = turn_back(X_W, body_a, contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2])
    low, _ = lowest(shapes, part_a, nx, ny, nz)
    vx, vy, vz = turn_back(pose, 0, nx, ny, nz)
    depth, _ = lowest(shapes, part_b, -vx, -vy, -vz)
    top = nx * pose[0, POSITION] + ny * pose[0, POSITION + 1] + nz * pose[0, POSITION + 2] - depth
    out = (1.0 + SEPARATION) * (top - low)
    pose[0, POSITION] -= out * nx
    pose[0, POSITION + 1] -= out * ny
    pose[0, POSITION + 2] -= out * nz
    if not distance(shapes, part_a, part_b, pose, 0, warm, 0, gap) > 0.0:
        return False
    x, y, z = turn(X_W, body_a, gap.row[GAP_DIRECTION], gap.row[GAP_DIRECTION + 1], gap.row[GAP_DIRECTION + 2])
    contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2] = x, y, z
    sign = -1.0 if solid.count[SOLID_SWAPPED] != 0 else 1.0
    ex, ey, ez = turn_back(solid.pose, FRAME, sign * x, sign * y, sign * z)
    across = tangent(ex, ey, ez)
    moments = area_moments(solid, across)
    if moments[0] > 0.0:
        write_area(solid, contact, i, across, moments)
    contact[i, DEPTH] = extent(solid, ex, ey, ez)
    return True
