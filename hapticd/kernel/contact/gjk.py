"""How far two convex parts are apart, and where they are nearest to each other: GJK with a warm start.

For the paper's normal (separation + GJK step) and the shell's queries. It never decides whether there is a contact: the
clip's volume does. Everything happens in the frame of A's body. A corner of the simplex is the difference of a corner
of A and one of B and is remembered by their numbers, so a pair that moves little starts next to its answer.

    warm[i] = (n, a0, b0, a1, b1, ...)   the simplex of the last tick; n = 0: none. Corners are part-local.

Ends when no corner is nearer along the direction found, at the latest after GJK_STEPS; what is then reported is the
best so far: the true distance is at most that, and the points reported are in the parts in any case.
Source: Gilbert, Johnson and Keerthi 1988; support by climbing along edges: Cameron 1997; the sub-problem: simplex.py.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.layout import GAP_A, GAP_B, GAP_DIRECTION
from hapticd.kernel.contact.relative import turn, turn_back
from hapticd.kernel.contact.simplex import nearest
from hapticd.kernel.layout import POSITION
from hapticd.kernel.tolerance import GJK_BRUTE, GJK_ROUNDING, GJK_STEPS
from hapticd.kernel.vector import cross, dot


@kernel
def distance(shapes, part_a, part_b, pose, row, warm, i, gap):
    """Distance of the parts, 0 when they overlap; B's body is at pose[row] in A's frame.

    gap.row gets direction (unit, from B to A; zeros at distance 0) and the nearest points of A and of B, in A's frame.
    """
    scale = reach(shapes, part_a, part_b, pose, row)
    n = restore(shapes, part_a, part_b, pose, row, warm, i, gap)
    nearest(gap.corner, n, gap.weight)
    n = keep_weighted(gap, n)
    x, y, z = shortest(gap, n, scale)
    square = x * x + y * y + z * z
    least = (GJK_ROUNDING * scale) * (GJK_ROUNDING * scale)
    for _ in range(GJK_STEPS):
        if n == 4 or not square > least:
            square = 0.0
            break
        a = support(shapes, part_a, gap.index[0, 0], -x, -y, -z)
        vx, vy, vz = turn_back(pose, row, x, y, z)
        b = support(shapes, part_b, gap.index[0, 1], vx, vy, vz)
        if known(gap, n, a, b):
            break
        write_corner(shapes, part_a, part_b, pose, row, gap, n, a, b)
        drop = square - (x * gap.corner[n, 0] + y * gap.corner[n, 1] + z * gap.corner[n, 2])
        if not drop > GJK_ROUNDING * scale * math.sqrt(square):
            break
        hold(gap, n)
        nearest(gap.corner, n + 1, gap.weight)
        m = keep_weighted(gap, n + 1)
        ux, uy, uz = shortest(gap, m, scale)
        shorter = ux * ux + uy * uy + uz * uz
        if m < 4 and not shorter < square:
            put_back(gap, n)
            break
        x, y, z, square, n = ux, uy, uz, shorter, m
    save(warm, i, gap, n)
    return report(shapes, part_a, part_b, pose, row, gap, n, square, x, y, z)


@kernel_inline
def reach(shapes, part_a, part_b, pose, row):
    """An upper bound of the differences' coordinates, m: what rounding is measured against."""
    size = 0.0
    for k in range(3):
        size += shapes.box[part_a, 3 + k] + shapes.box[part_b, 3 + k]
        size += math.fabs(shapes.box[part_a, k]) + math.fabs(shapes.box[part_b, k]) + math.fabs(pose[row, POSITION + k])
    return size


@kernel_inline
def restore(shapes, part_a, part_b, pose, row, warm, i, gap):
    """The simplex of the last tick where the bodies are now; for a new pair one corner, along the line of the boxes."""
    n = min(warm[i, 0], 4)
    n_a = shapes.vertex_start[part_a + 1] - shapes.vertex_start[part_a]
    n_b = shapes.vertex_start[part_b + 1] - shapes.vertex_start[part_b]
    fits = n > 0
    for k in range(n):
        fits = fits and 0 <= warm[i, 1 + 2 * k] < n_a and 0 <= warm[i, 2 + 2 * k] < n_b
    if fits:
        for k in range(n):
            write_corner(shapes, part_a, part_b, pose, row, gap, k, warm[i, 1 + 2 * k], warm[i, 2 + 2 * k])
        return n
    box = shapes.box
    cx, cy, cz = turn(pose, row, box[part_b, 0], box[part_b, 1], box[part_b, 2])
    x = box[part_a, 0] - cx - pose[row, POSITION]
    y = box[part_a, 1] - cy - pose[row, POSITION + 1]
    z = box[part_a, 2] - cz - pose[row, POSITION + 2]
    a = support(shapes, part_a, 0, -x, -y, -z)
    x, y, z = turn_back(pose, row, x, y, z)
    write_corner(shapes, part_a, part_b, pose, row, gap, 0, a, support(shapes, part_b, 0, x, y, z))
    return 1


@kernel
def support(shapes, part, begin, x, y, z):
    """The corner farthest along (x, y, z), part-local; `begin` is where to start.

    Small parts: look at all. Others: climb. On a convex part a corner that no neighbour beats is the farthest one, and
    every step gains, so the climb ends.
    """
    vertex = shapes.vertex
    first = shapes.vertex_start[part]
    count = shapes.vertex_start[part + 1] - first
    best = first + begin
    most = x * vertex[best, 0] + y * vertex[best, 1] + z * vertex[best, 2]
    if count <= GJK_BRUTE:
        for k in range(first, first + count):
            h = x * vertex[k, 0] + y * vertex[k, 1] + z * vertex[k, 2]
            if h > most:
                most = h
                best = k
        return best - first
    for _ in range(count):
        at = best
        for e in range(shapes.edge_start[at], shapes.edge_start[at + 1]):
            k = first + shapes.edge_vertex[e]
            h = x * vertex[k, 0] + y * vertex[k, 1] + z * vertex[k, 2]
            if h > most:
                most = h
                best = k
        if best == at:
            break
    return best - first


@kernel_inline
def write_corner(shapes, part_a, part_b, pose, row, gap, k, a, b):
    """Corner k of the simplex: corner a of A less corner b of B."""
    i = shapes.vertex_start[part_a] + a
    j = shapes.vertex_start[part_b] + b
    x, y, z = turn(pose, row, shapes.vertex[j, 0], shapes.vertex[j, 1], shapes.vertex[j, 2])
    gap.index[k, 0], gap.index[k, 1] = a, b
    gap.corner[k, 0] = shapes.vertex[i, 0] - (x + pose[row, POSITION])
    gap.corner[k, 1] = shapes.vertex[i, 1] - (y + pose[row, POSITION + 1])
    gap.corner[k, 2] = shapes.vertex[i, 2] - (z + pose[row, POSITION + 2])


@kernel_inline
def shortest(gap, n, scale):
    """The point of the simplex nearest to the origin.

    The weighted sum of the corners is right to their rounding, so its direction is the worse the shorter it is.
    The normal of a triangle does not suffer from that: parallel faces a micrometre apart get their exact direction.
    """
    corner = gap.corner
    x = y = z = 0.0
    for k in range(n):
        w = gap.weight[k]
        x, y, z = x + w * corner[k, 0], y + w * corner[k, 1], z + w * corner[k, 2]
    if n != 3:
        return x, y, z
    ux, uy, uz = corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
    vx, vy, vz = corner[2, 0] - corner[0, 0], corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    size = dot(nx, ny, nz, nx, ny, nz)
    sides = dot(ux, uy, uz, ux, uy, uz) * dot(vx, vy, vz, vx, vy, vz)
    if not size * (scale * scale) > sides * (x * x + y * y + z * z):  # a sliver: its normal is the worse of the two
        return x, y, z
    k = dot(x, y, z, nx, ny, nz) / size
    return k * nx, k * ny, k * nz


@kernel_inline
def keep_weighted(gap, n):
    """Drop the corners that carry no weight; the number left, at least one: the weights sum up to 1."""
    m = 0
    for k in range(n):
        if gap.weight[k] > 0.0:
            gap.weight[m] = gap.weight[k]
            for c in range(3):
                gap.corner[m, c] = gap.corner[k, c]
            gap.index[m, 0], gap.index[m, 1] = gap.index[k, 0], gap.index[k, 1]
            m += 1
    return m


@kernel_inline
def hold(gap, n):
    """Remember the simplex: a step that does not come nearer is taken back."""
    for k in range(n):
        gap.held_weight[k] = gap.weight[k]
        gap.held_index[k, 0], gap.held_index[k, 1] = gap.index[k, 0], gap.index[k, 1]


@kernel_inline
def put_back(gap, n):
    for k in range(n):
        gap.weight[k] = gap.held_weight[k]
        gap.index[k, 0], gap.index[k, 1] = gap.held_index[k, 0], gap.held_index[k, 1]


@kernel_inline
def known(gap, n, a, b):
    for k in range(n):
        if gap.index[k, 0] == a and gap.index[k, 1] == b:
            return True
    return False


@kernel_inline
def save(warm, i, gap, n):
    warm[i, 0] = n
    for k in range(n):
        warm[i, 1 + 2 * k], warm[i, 2 + 2 * k] = gap.index[k, 0], gap.index[k, 1]


@kernel_inline
def report(shapes, part_a, part_b, pose, row, gap, n, square, x, y, z):
    """Fill gap.row; the distance."""
    out = gap.row
    for k in range(out.shape[0]):
        out[k] = 0.0
    for k in range(n):
        w = gap.weight[k]
        i = shapes.vertex_start[part_a] + gap.index[k, 0]
        j = shapes.vertex_start[part_b] + gap.index[k, 1]
        bx, by, bz = turn(pose, row, shapes.vertex[j, 0], shapes.vertex[j, 1], shapes.vertex[j, 2])
        for c in range(3):
            out[GAP_A + c] += w * shapes.vertex[i, c]
        out[GAP_B] += w * (bx + pose[row, POSITION])
        out[GAP_B + 1] += w * (by + pose[row, POSITION + 1])
        out[GAP_B + 2] += w * (bz + pose[row, POSITION + 2])
    length = math.sqrt(square)
    if not length > 0.0:
        return 0.0
    out[GAP_DIRECTION], out[GAP_DIRECTION + 1], out[GAP_DIRECTION + 2] = x / length, y / length, z / length
    return length
