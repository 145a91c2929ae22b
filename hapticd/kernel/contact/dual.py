"""The intersection of two convex parts by the paper's way: interior point, dual points, QuickHull, and back.

    planes of both parts (base's frame) -> interior.py: centre c and frame L -> dual points L^-1 n / (d - n . c)
    -> quickhull.py: their hull -> each facet a node of the solid, each edge an edge, each dual point a face

The hull is a triangulation, so what comes out is the 3-regular graph of `Solid`, and everything that reads a clip's
solid reads this one. An answer is given only if it holds: `check` measures at every node that it lies on its three
planes and inside of the three next ones. Callers fall back on `clip.py` for any status but DUAL_OK.

Measured 2026-11-18: of 10000 pairs of the exactness set (boxes and hulls of 8 to 300 faces, flush and tilted, depths
from 1e-9 of the size to half of it) one was refused, and none differed from the clip by more than 1e-9 + 1e-12 of the
smaller body. CPU time over the clip's, both with `measure`, 40 poses by turns: 1.1 for deep hulls of 100 faces, 0.8 for
300, more for smaller ones. So it is the reference, and a gain only for deep contacts of the largest hulls.
Source: Hasegawa and Sato 2004, section 3; formulas.md section 1.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.interior import CENTRE, FRAME, interior
from hapticd.kernel.contact.layout import HULL_FACETS
from hapticd.kernel.contact.quickhull import DEAD, MARGIN, after, height, quickhull
from hapticd.kernel.contact.relative import turn
from hapticd.kernel.contact.slab import CUTTER
from hapticd.kernel.layout import POSITION, SOLID_BASE_PLANES, SOLID_NODES
from hapticd.kernel.status import DUAL_BROKEN, DUAL_FULL, DUAL_OK, HULL_OK
from hapticd.kernel.tolerance import DUAL_CHECK


@kernel
def dual_solid(shapes, base, cutter, solid, hull):
    """Leave base ∩ cutter in `solid`, as `clip` does; a status of DUAL_*. Reads solid.pose[CUTTER].

    Writes node, twin, face, plane (of all faces, base planes first), count[SOLID_NODES] and count[SOLID_BASE_PLANES];
    on a status other than DUAL_OK there are no nodes.
    """
    solid.count[SOLID_NODES] = 0
    n_base = shapes.plane_start[base + 1] - shapes.plane_start[base]
    n = n_base + shapes.plane_start[cutter + 1] - shapes.plane_start[cutter]
    solid.count[SOLID_BASE_PLANES] = n_base
    if n > solid.plane.shape[0] or n > hull.point.shape[0]:
        return DUAL_FULL
    write_planes(shapes, base, cutter, solid)
    status = interior(shapes, base, cutter, solid, hull, n)
    if status != DUAL_OK:
        return status
    write_points(solid.plane, n, hull)
    if quickhull(hull, n) != HULL_OK or not check(hull):
        return DUAL_BROKEN
    return write_solid(hull, solid)


@kernel_inline
def write_planes(shapes, base, cutter, solid):
    """All planes in the base's frame."""
    plane, pose = solid.plane, solid.pose
    row = 0
    for i in range(shapes.plane_start[base], shapes.plane_start[base + 1]):
        for k in range(4):
            plane[row, k] = shapes.plane[i, k]
        row += 1
    for i in range(shapes.plane_start[cutter], shapes.plane_start[cutter + 1]):
        x, y, z = turn(pose, CUTTER, shapes.plane[i, 0], shapes.plane[i, 1], shapes.plane[i, 2])
        plane[row, 0], plane[row, 1], plane[row, 2] = x, y, z
        plane[row, 3] = shapes.plane[i, 3] + (
            x * pose[CUTTER, POSITION] + y * pose[CUTTER, POSITION + 1] + z * pose[CUTTER, POSITION + 2]
        )
        row += 1


@kernel_inline
def write_points(plane, n, hull):
    """L^-1 n / s for every plane; s > 0, for the centre is inside."""
    centre = hull.centre
    for i in range(n):
        x, y, z = plane[i, 0], plane[i, 1], plane[i, 2]
        k = 1.0 / (plane[i, 3] - (x * centre[CENTRE] + y * centre[CENTRE + 1] + z * centre[CENTRE + 2]))
        hull.point[i, 0] = k * (centre[FRAME] * x)
        hull.point[i, 1] = k * (centre[FRAME + 1] * x + centre[FRAME + 2] * y)
        hull.point[i, 2] = k * (centre[FRAME + 3] * x + centre[FRAME + 4] * y + centre[FRAME + 5] * z)


@kernel_inline
def check(hull):
    """Whether every facet goes through its corners, is convex against its neighbours, and has the origin behind it.

    A closed surface that is convex at every edge and has one point behind all of its facets is the hull of its corners.
    """
    for f in range(hull.count[HULL_FACETS]):
        if hull.mark[f] == DEAD:
            continue
        most = hull.plane[f, 3] * DUAL_CHECK
        if not most > hull.plane[f, MARGIN]:  # the origin is not clearly behind the facet
            return False
        for h in range(4 * f, 4 * f + 3):
            on = height(hull, f, hull.vertex[h])
            if not (-most < on < most and height(hull, f, hull.vertex[after(after(hull.twin[h]))]) < most):
                return False
    return True


@kernel_inline
def write_solid(hull, solid):
    """Facet to node. The edge between the corners k and k + 1 of a facet is the edge k + 1 of the node."""
    n = 0
    for f in range(hull.count[HULL_FACETS]):
        if hull.mark[f] != DEAD:
            hull.seen[f] = n  # where facet f goes
            n += 1
    if n > solid.node.shape[1]:
        return DUAL_FULL
    centre = hull.centre
    for f in range(hull.count[HULL_FACETS]):
        if hull.mark[f] == DEAD:
            continue
        i = hull.seen[f]
        k = 1.0 / hull.plane[f, 3]  # checked to be positive
        x, y, z = k * hull.plane[f, 0], k * hull.plane[f, 1], k * hull.plane[f, 2]
        solid.node[0, i] = centre[CENTRE] + (centre[FRAME] * x + centre[FRAME + 1] * y + centre[FRAME + 3] * z)
        solid.node[1, i] = centre[CENTRE + 1] + (centre[FRAME + 2] * y + centre[FRAME + 4] * z)
        solid.node[2, i] = centre[CENTRE + 2] + centre[FRAME + 5] * z
        for k in range(3):
            t = hull.twin[4 * f + k]
            solid.face[4 * i + k] = hull.vertex[4 * f + k]
            solid.twin[4 * i + next_slot(k)] = 4 * hull.seen[t >> 2] + next_slot(t & 3)
    solid.count[SOLID_NODES] = n
    return DUAL_OK


@kernel_inline
def next_slot(k):
    return 0 if k == 2 else k + 1
