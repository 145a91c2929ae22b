"""The convex hull of a few hundred points: QuickHull with fixed capacities, bounded work, no allocation.

Gets the dual points from `dual.py`, which turns each facet of the hull into a corner of the solid. Facets are
triangles, so points in one plane give any triangulation of it; points within HULL_EPS of the hull count as inside,
which is what becomes of duplicates. Nothing is merged: where rounding would fold the hull over, the answer is a status.

    first_tetrahedron   four points far apart
    hide                the facets that the farthest point above some facet sees, and the horizon around them
    stitch              a fan of new facets from the horizon to that point; the points above the hidden ones move there

Unit of length: the points are expected to lie in the unit ball with the origin well inside (HULL_EPS is absolute).
Source: Barber, Dobkin and Huhdanpaa 1996; the order of the passes is that of Box2D's hull.c.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.layout import HULL_FACETS, HULL_FREE, HULL_PENDING, HULL_SEEN_FACETS
from hapticd.kernel.status import HULL_BROKEN, HULL_FLAT, HULL_OK
from hapticd.kernel.tolerance import HULL_EPS, HULL_FLAT_SIZE, HULL_SEEN

DEAD = -1  # Hull.mark of a facet that is not in use
HIDDEN = 1  # of one that the point at hand sees; 0: in use
END = -1  # of a list
MARGIN = 4  # columns of Hull.plane: height up to which a point counts as inside
REACH = 5  # and that of the farthest point


@kernel
def quickhull(hull, n):
    """Hull of hull.point[:n]: facets are those below count[HULL_FACETS] whose mark is not DEAD. A status of HULL_*."""
    hull.count[HULL_FACETS] = 0
    hull.count[HULL_FREE] = END
    hull.count[HULL_PENDING] = 0
    if n < 4 or hull.vertex.shape[0] < 4 * (2 * n):
        return HULL_FLAT
    a, b, c, d = first_tetrahedron(hull.point, n)
    if a == b:
        return HULL_FLAT
    build_tetrahedron(hull, a, b, c, d)
    for i in range(n):
        hull.fan[i] = END
        if i != a and i != b and i != c and i != d:
            place_point(hull, i, 4)
    for _ in range(n):  # every turn makes one point a corner, so there are less than n
        f = next_facet(hull)
        if f < 0:
            return HULL_OK
        n_edge = hide(hull, f, hull.head[f])
        if not stitch(hull, hull.head[f], n_edge):
            return HULL_BROKEN
    return HULL_BROKEN


@kernel_inline
def next_facet(hull):
    """A facet that has points above it, or -1."""
    while hull.count[HULL_PENDING] > 0:
        hull.count[HULL_PENDING] -= 1
        f = hull.pending[hull.count[HULL_PENDING]]
        hull.waits[f] = 0
        if hull.mark[f] != DEAD and hull.head[f] != END:
            return f
    return -1


@kernel_inline
def after(h):
    """The next half-edge of the same triangle."""
    return h - 2 if h & 3 == 2 else h + 1


@kernel_inline
def hide(hull, f, eye):
    """Mark what `eye` sees, walking from facet f; the kept sides of the horizon go to hull.edge: their number."""
    hull.mark[f] = HIDDEN
    hull.seen[0] = f
    n_seen = 1
    n_edge = 0
    k = 0
    while k < n_seen:
        for h in range(4 * hull.seen[k], 4 * hull.seen[k] + 3):
            t = hull.twin[h]
            g = t >> 2
            if hull.mark[g] == HIDDEN:
                continue
            if height(hull, g, eye) > HULL_SEEN * hull.plane[g, MARGIN]:
                hull.mark[g] = HIDDEN
                hull.seen[n_seen] = g
                n_seen += 1
            else:
                hull.edge[n_edge] = t
                n_edge += 1
        k += 1
    hull.count[HULL_SEEN_FACETS] = n_seen
    return n_edge


@kernel_inline
def stitch(hull, eye, n_edge):
    """Replace the hidden facets by a fan from the horizon to `eye`; false when the horizon is not one simple ring."""
    twin, vertex, fan = hull.twin, hull.vertex, hull.fan
    if not order_ring(hull, n_edge):
        return False
    orphan = free_hidden(hull, eye)
    for k in range(n_edge):
        f = take_facet(hull)
        hull.fresh[k] = f
        t = hull.edge[k]
        write_facet(hull, f, vertex[after(t)], vertex[t], eye)
        twin[4 * f], twin[t] = t, 4 * f
    for k in range(n_edge):
        f = hull.fresh[k]
        g = hull.fresh[fan[vertex[4 * f + 1]]]
        twin[4 * f + 1], twin[4 * g + 2] = 4 * g + 2, 4 * f + 1
    for k in range(n_edge):
        fan[vertex[4 * hull.fresh[k]]] = END
    while orphan != END:
        i = orphan
        orphan = hull.link[i]
        place_point(hull, i, n_edge)
    return True


@kernel_inline
def order_ring(hull, n_edge):
    """fan[corner] = the horizon's edge that starts there; false when a corner has two, or there are two rings."""
    vertex, fan = hull.vertex, hull.fan
    for k in range(n_edge):
        a = vertex[after(hull.edge[k])]
        if fan[a] != END:
            return False
        fan[a] = k
    k = 0
    for turn in range(1, n_edge + 1):
        k = fan[vertex[hull.edge[k]]]
        if k == END:
            return False
        if k == 0:
            return turn == n_edge
    return False


@kernel_inline
def free_hidden(hull, eye):
    """Give the hidden facets back; the list of the points above them, without the eye."""
    orphan = END
    for k in range(hull.count[HULL_SEEN_FACETS]):
        f = hull.seen[k]
        i = hull.head[f]
        while i != END:
            below = hull.link[i]
            if i != eye:
                hull.link[i] = orphan
                orphan = i
            i = below
        hull.mark[f] = DEAD
        hull.head[f] = hull.count[HULL_FREE]
        hull.count[HULL_FREE] = f
    return orphan


@kernel_inline
def height(hull, f, i):
    """Of point i above the plane of facet f."""
    return (
        hull.plane[f, 0] * hull.point[i, 0]
        + hull.plane[f, 1] * hull.point[i, 1]
        + hull.plane[f, 2] * hull.point[i, 2]
        - hull.plane[f, 3]
    )


@kernel_inline
def first_tetrahedron(point, n):
    """Four points far apart, positively ordered (a b c seen counter-clockwise from outside, d behind); a == b: flat."""
    a, b = farthest_pair(point, n)
    ux, uy, uz = point[b, 0] - point[a, 0], point[b, 1] - point[a, 1], point[b, 2] - point[a, 2]
    c, most = a, HULL_FLAT_SIZE * HULL_FLAT_SIZE
    nx, ny, nz = 0.0, 0.0, 0.0
    for i in range(n):
        vx, vy, vz = point[i, 0] - point[a, 0], point[i, 1] - point[a, 1], point[i, 2] - point[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        size = x * x + y * y + z * z
        if size > most:
            c, most = i, size
            nx, ny, nz = x, y, z
    if c == a:
        return a, a, a, a
    d, most = a, HULL_FLAT_SIZE * math.sqrt(most)
    side = 0.0
    for i in range(n):
        h = nx * (point[i, 0] - point[a, 0]) + ny * (point[i, 1] - point[a, 1]) + nz * (point[i, 2] - point[a, 2])
        if math.fabs(h) > most:
            d, most, side = i, math.fabs(h), h
    if d == a:
        return a, a, a, a
    if side > 0.0:
        return a, c, b, d
    return a, b, c, d


@kernel_inline
def farthest_pair(point, n):
    """The ends of the longest side of the bounding box."""
    a = b = 0
    most = -1.0
    for k in range(3):
        low = high = 0
        for i in range(1, n):
            if point[i, k] < point[low, k]:
                low = i
            if point[i, k] > point[high, k]:
                high = i
        if point[high, k] - point[low, k] > most:
            most = point[high, k] - point[low, k]
            a, b = low, high
    return a, b


@kernel_inline
def build_tetrahedron(hull, a, b, c, d):
    """Facets abc, bad, cbd, acd; edge k of a facet runs from its corner k to the next one."""
    twin = hull.twin
    for k in range(4):
        hull.fresh[k] = take_facet(hull)
    write_facet(hull, 0, a, b, c)
    write_facet(hull, 1, b, a, d)
    write_facet(hull, 2, c, b, d)
    write_facet(hull, 3, a, c, d)
    for f in range(3):
        after = 1 + (f + 2) % 3
        twin[f], twin[4 * (f + 1)] = 4 * (f + 1), f
        twin[4 * (f + 1) + 1], twin[4 * after + 2] = 4 * after + 2, 4 * (f + 1) + 1


@kernel_inline
def take_facet(hull):
    """A facet from the free list, or the next new one; Euler's formula keeps the number below 2 n."""
    f = hull.count[HULL_FREE]
    if f >= 0:
        hull.count[HULL_FREE] = hull.head[f]
    else:
        f = hull.count[HULL_FACETS]
        hull.count[HULL_FACETS] = f + 1
        hull.waits[f] = 0
    hull.mark[f] = 0
    hull.head[f] = END
    return f


@kernel_inline
def write_facet(hull, f, a, b, c):
    """Corners and plane. The normal keeps the length that the cross product gives it: no root, no division."""
    p = hull.point
    hull.vertex[4 * f], hull.vertex[4 * f + 1], hull.vertex[4 * f + 2] = a, b, c
    ax, ay, az = p[a, 0], p[a, 1], p[a, 2]
    ux, uy, uz = p[b, 0] - ax, p[b, 1] - ay, p[b, 2] - az
    vx, vy, vz = p[c, 0] - ax, p[c, 1] - ay, p[c, 2] - az
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    hull.plane[f, 0], hull.plane[f, 1], hull.plane[f, 2] = x, y, z
    hull.plane[f, 3] = x * ax + y * ay + z * az
    # The sum of the components is the normal's length within a factor of 1.7: good enough for a tolerance.
    hull.plane[f, MARGIN] = HULL_EPS * (math.fabs(x) + math.fabs(y) + math.fabs(z))
    hull.plane[f, REACH] = 0.0


@kernel_inline
def place_point(hull, i, n_fresh):
    """Hang point i on the first facet of hull.fresh[:n_fresh] that it is above; on none: it is inside, forget it."""
    plane, link, head = hull.plane, hull.link, hull.head
    x, y, z = hull.point[i, 0], hull.point[i, 1], hull.point[i, 2]
    for k in range(n_fresh):
        f = hull.fresh[k]
        h = plane[f, 0] * x + plane[f, 1] * y + plane[f, 2] * z - plane[f, 3]
        if h > plane[f, MARGIN]:
            top = head[f]
            if h > plane[f, REACH]:  # the farthest one goes to the head
                plane[f, REACH] = h
                link[i], head[f] = top, i
            else:
                link[i], link[top] = link[top], i
            if top == END and not hull.waits[f]:
                hull.waits[f] = 1
                hull.pending[hull.count[HULL_PENDING]] = f
                hull.count[HULL_PENDING] += 1
            return
