"""The outline of a contact: the loop between the two sides of the solid, in order, laid on the contact plane.

For people to look at (stream, view, `hapticd.contact`); no force law reads it. Gets the solid that `pair.py` has left.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.contact.measure import FRAME, flat, write_point
from hapticd.kernel.contact.relative import turn_back
from hapticd.kernel.layout import NORMAL, SOLID_BASE_PLANES, SOLID_LOOP


@kernel
def section_polygon(solid, contact, i, polygon):
    """Write the corners (world, on the plane through the centroid) into polygon (n, 3); returns how many there are.

    The first loop only: two convex bodies that push through each other can have more. Corners beyond n are left out.
    """
    n_loop = solid.count[SOLID_LOOP]
    n_base = solid.count[SOLID_BASE_PLANES]
    if n_loop == 0:
        return 0
    node, twin, face = solid.node, solid.twin, solid.face
    ex, ey, ez = turn_back(solid.pose, FRAME, contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2])
    gx, gy, gz = solid.centroid[0], solid.centroid[1], solid.centroid[2]
    start = solid.loop[0]
    h = start
    count = 0
    for _ in range(n_loop):
        k = h >> 2
        if count < polygon.shape[0]:
            x, y, z = flat(node[0, k] - gx, node[1, k] - gy, node[2, k] - gz, ex, ey, ez)
            write_point(solid, polygon, count, 0, gx + x, gy + y, gz + z)
            count += 1
        corner = twin[h] & ~3
        for slot in range(3):  # the edge that goes on: cutter on its left, base on its right
            if face[corner + slot] >= n_base and face[twin[corner + slot]] < n_base:
                h = corner + slot
                break
        if h == start:
            break
    return count
