"""The intersection of two convex parts: the base's graph, cut by one plane of the cutter after another.

    load        the base's graph, of a large part what lies in the slab -> solid
    cut_all     the cutter's planes that reach into the slab, each cutting the solid
    cut         one plane

The graph is 3-regular: a cut moves the crossing edges' upper ends onto the plane and joins them in a ring, face by
face. The sides of the nodes decide everything and the ring follows from the graph, not from coordinates, so rounding
can never tear the solid open: flush faces, parallel edges and slivers need no special case and no tolerance. The
paper's own way (interior point, dual, QuickHull) is in `dual.py`. Source: formulas.md section 1; the cut is that of
Sugihara 1994 and of Powell and Abel 2015.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.relative import turn, turn_back
from hapticd.kernel.contact.slab import CUTTER, corners_below, height
from hapticd.kernel.layout import POSITION, SOLID_BASE_PLANES, SOLID_NODES
from hapticd.kernel.status import CONTACT_COARSE, CONTACT_NONE, CONTACT_OK
from hapticd.kernel.tolerance import FACING, LOAD_WHOLE, SLAB_MARGIN

FULL = -1  # what `cut` returns when the capacity is reached; the solid is as it was before


@kernel
def clip(shapes, base, cutter, ux, uy, uz, bounds, solid):
    """Leave base ∩ cutter in `solid`; CONTACT_NONE when nothing is left, CONTACT_COARSE when a capacity was reached.

    `bounds` is what `slab` gave. A coarse answer lacks some cuts: it holds the true solid, so it pushes earlier, never
    later.
    """
    bottom, i, top, j = bounds
    solid.count[SOLID_BASE_PLANES] = shapes.plane_start[base + 1] - shapes.plane_start[base]
    if shapes.node_start[base + 1] - shapes.node_start[base] <= LOAD_WHOLE:
        n = load(shapes, base, solid)
    else:
        n = load_below(shapes, base, i, ux, uy, uz, top + SLAB_MARGIN * (top - bottom), solid)
    n, status = cut_all(shapes, cutter, j, ux, uy, uz, bottom - SLAB_MARGIN * (top - bottom), solid, n)
    solid.count[SOLID_NODES] = n
    return CONTACT_NONE if n == 0 else status


@kernel_inline
def load(shapes, base, solid):
    """The base's graph as it is."""
    node, twin, face = solid.node, solid.twin, solid.face
    start = shapes.node_start[base]
    count = shapes.node_start[base + 1] - start
    corner = shapes.vertex_start[base]
    for i in range(count):
        v = corner + shapes.node_vertex[start + i]
        node[0, i], node[1, i], node[2, i] = shapes.vertex[v, 0], shapes.vertex[v, 1], shapes.vertex[v, 2]
    for h in range(4 * count):
        twin[h] = shapes.node_twin[4 * start + h]
        face[h] = shapes.node_face[4 * start + h]
    return count


@kernel
def load_below(shapes, base, lowest, ux, uy, uz, ceiling, solid):
    """Of a large part only what is below the ceiling, closed by a lid that the cutter's planes then remove."""
    node, twin, face, mark, place = solid.node, solid.twin, solid.face, solid.mark, solid.loop
    start, corner = shapes.node_start[base], shapes.vertex_start[base]
    found = corners_below(shapes, base, lowest, ux, uy, uz, ceiling, mark)
    n = 0
    for q in range(found):
        v = mark[2, q]
        for i in range(shapes.edge_start[v] - 2 * v, shapes.edge_start[v + 1] - 2 * v - 2):
            node[0, n], node[1, n], node[2, n] = shapes.vertex[v, 0], shapes.vertex[v, 1], shapes.vertex[v, 2]
            place[i - start] = n
            n += 1
    kept = n
    lid = solid.plane.shape[0] - 1  # the last row of planes is nobody's face
    solid.plane[lid, 0], solid.plane[lid, 1], solid.plane[lid, 2], solid.plane[lid, 3] = ux, uy, uz, ceiling
    for q in range(found):
        v = mark[2, q]
        below = ceiling - height(shapes, v, ux, uy, uz)
        for i in range(shapes.edge_start[v] - 2 * v, shapes.edge_start[v + 1] - 2 * v - 2):
            for k in range(3):
                t = shapes.node_twin[4 * i + k]
                h = 4 * place[i - start] + k
                face[h] = shapes.node_face[4 * i + k]
                w = shapes.node_vertex[start + (t >> 2)]
                if mark[0, w] != 0:
                    twin[h] = 4 * place[t >> 2] + (t & 3)
                    continue
                # The edge leaves through the lid: a new node there, with the faces beside it seen from its upper end.
                s = below / (height(shapes, corner + w, ux, uy, uz) - ceiling + below)
                for c in range(3):
                    node[c, n] = shapes.vertex[v, c] + s * (shapes.vertex[corner + w, c] - shapes.vertex[v, c])
                twin[h], twin[4 * n] = 4 * n, h
                upper = 4 * (start + (t >> 2))
                face[4 * n] = shapes.node_face[upper + (t & 3)]
                face[4 * n + 1] = lid
                face[4 * n + 2] = shapes.node_face[upper + before(t & 3)]
                n += 1
    for q in range(found):
        mark[0, mark[2, q] - corner] = 0
    join(twin, kept, n)
    return n


@kernel_inline
def cut_all(shapes, cutter, highest, ux, uy, uz, floor, solid, n):
    """(nodes left, status). Planes that face along u come first: they take most away and leave the others little."""
    listed = reach(shapes, cutter, highest, ux, uy, uz, floor, solid)
    offset = solid.count[SOLID_BASE_PLANES]
    first = shapes.plane_start[cutter]
    vx, vy, vz = turn_back(solid.pose, CUTTER, ux, uy, uz)
    px, py, pz = solid.pose[CUTTER, POSITION], solid.pose[CUTTER, POSITION + 1], solid.pose[CUTTER, POSITION + 2]
    status = CONTACT_OK
    for facing in range(2):
        for q in range(listed):
            f = solid.loop[q]
            a, b, c = shapes.plane[first + f, 0], shapes.plane[first + f, 1], shapes.plane[first + f, 2]
            if (vx * a + vy * b + vz * c > FACING) != (facing == 0):
                continue
            x, y, z = turn(solid.pose, CUTTER, a, b, c)
            d = shapes.plane[first + f, 3] + (x * px + y * py + z * pz)
            name = offset + f
            solid.plane[name, 0], solid.plane[name, 1], solid.plane[name, 2], solid.plane[name, 3] = x, y, z, d
            left = cut(solid.node, solid.twin, solid.face, solid.height, n, name, x, y, z, d)
            if left == 0:
                return 0, CONTACT_NONE
            if left == FULL:
                status = CONTACT_COARSE
            else:
                n = left
    return n, status


@kernel_inline
def reach(shapes, cutter, highest, ux, uy, uz, floor, solid):
    """List the cutter's faces with a corner above the slab's floor in solid.loop: no other can cut anything off."""
    mark, listed = solid.mark, solid.loop
    vx, vy, vz = turn_back(solid.pose, CUTTER, ux, uy, uz)
    px, py, pz = solid.pose[CUTTER, POSITION], solid.pose[CUTTER, POSITION + 1], solid.pose[CUTTER, POSITION + 2]
    ceiling = ux * px + uy * py + uz * pz - floor
    corner = shapes.vertex_start[cutter]
    found = corners_below(shapes, cutter, highest, -vx, -vy, -vz, ceiling, mark)
    count = 0
    for q in range(found):
        v = mark[2, q]
        mark[0, v - corner] = 0
        for h in range(4 * (shapes.edge_start[v] - 2 * v), 4 * (shapes.edge_start[v + 1] - 2 * v - 2)):
            f = shapes.node_face[h]
            if f >= 0 and mark[1, f] == 0:
                mark[1, f] = 1
                listed[count] = f
                count += 1
    for q in range(count):
        mark[1, listed[q]] = 0
    return count


@kernel_inline
def cut(node, twin, face, height, n, name, a, b, c, d):
    """Keep what is under the plane a x + b y + c z <= d; the cut becomes face `name`. Nodes left; 0: none; or FULL."""
    above = 0
    for i in range(n):
        h = a * node[0, i] + b * node[1, i] + c * node[2, i] - d
        height[i] = h
        above += h > 0.0
    if above == 0:
        return n
    if above == n:
        return 0
    if n + 3 * above > height.shape[0]:
        return FULL
    m = n
    for i in range(n):
        if height[i] > 0.0:
            for k in range(3):
                t = twin[4 * i + k]
                j = t >> 2
                if height[j] <= 0.0:
                    s = height[i] / (height[i] - height[j])  # height[i] > 0 >= height[j]: never by zero
                    node[0, m] = node[0, i] + s * (node[0, j] - node[0, i])
                    node[1, m] = node[1, i] + s * (node[1, j] - node[1, i])
                    node[2, m] = node[2, i] + s * (node[2, j] - node[2, i])
                    twin[4 * m], twin[t] = t, 4 * m
                    face[4 * m] = face[4 * i + k]
                    face[4 * m + 1] = name
                    face[4 * m + 2] = face[4 * i + before(k)]
                    m += 1
    join(twin, n, m)
    return close_gaps(node, twin, face, height, n, m)


@kernel_inline
def before(k):
    """The slot before k, going round a node."""
    return 2 if k == 0 else k - 1


@kernel_inline
def join(twin, n, m):
    """Link the new nodes n..m-1 into rings: from each along its face, over old nodes only, to the next new one.

    Going round a face is a permutation of half-edges, so the way cannot end elsewhere; it is bounded by their number.
    """
    for e in range(n, m):
        t = twin[4 * e]
        for _ in range(4 * n):
            if t >= 4 * n:
                break
            t = twin[t - 1] if t & 3 else twin[t + 2]
        twin[4 * e + 1], twin[t + 2] = t + 2, 4 * e + 1  # new nodes are entered by their slot 0


@kernel_inline
def close_gaps(node, twin, face, height, n, m):
    """Move nodes from the end into the places of those above the plane; the number of nodes left."""
    end = m
    for i in range(n):
        if i >= end:
            break
        if height[i] > 0.0:
            end -= 1
            while end > i and end < n and height[end] > 0.0:
                end -= 1
            if end == i:
                break
            node[0, i], node[1, i], node[2, i] = node[0, end], node[1, end], node[2, end]
            for k in range(3):
                t = twin[4 * end + k]
                twin[4 * i + k], twin[t] = t, 4 * i + k
                face[4 * i + k] = face[4 * end + k]
    return end
