"""A direction along which two parts hardly overlap, and which faces can matter for it.

Along any direction u (from the cutter to the base) only what lies between the base's lowest and the cutter's highest
point can be part of their intersection; if that slab is empty the two are apart, exactly. The direction is the pair's
last normal; at first sight it is the axis of the two bounding boxes with the least overlap, bettered by a few
reflections (Chung and Wang 1996). A poor direction costs time, never correctness. Gets the relative pose from
`pair.py`, gives the slab to `clip.py`. formulas.md, "Slab cull".
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.relative import turn, turn_back
from hapticd.kernel.layout import POSITION
from hapticd.kernel.tolerance import REFLECTIONS, SEARCH_WHOLE

CUTTER = 1  # row of Solid.pose: the cutter's body seen from the base's


@kernel_inline
def lowest(shapes, part, ux, uy, uz):
    """(height, corner): the least u . x over the corners of the part, in its body's frame."""
    first, last = shapes.vertex_start[part], shapes.vertex_start[part + 1]
    if last - first > SEARCH_WHOLE:
        return climb_down(shapes, first, last, ux, uy, uz)
    best = math.inf
    place = first
    for k in range(first, last):
        h = height(shapes, k, ux, uy, uz)
        if h < best:
            best = h
            place = k
    return best, place


@kernel_inline
def height(shapes, k, ux, uy, uz):
    return ux * shapes.vertex[k, 0] + uy * shapes.vertex[k, 1] + uz * shapes.vertex[k, 2]


@kernel
def climb_down(shapes, first, last, ux, uy, uz):
    """As `lowest`, from corner to neighbour: on a convex part no corner but the lowest is lower than its neighbours.

    By rounding a corner can pass for the lowest that is not: by about 1e-13 of the part's size, see SLAB_MARGIN.
    """
    place = first
    best = height(shapes, first, ux, uy, uz)
    for _ in range(last - first):
        here = place
        for e in range(shapes.edge_start[here], shapes.edge_start[here + 1]):
            k = first + shapes.edge_vertex[e]
            h = height(shapes, k, ux, uy, uz)
            if h < best:
                best = h
                place = k
        if place == here:
            break
    return best, place


@kernel_inline
def slab(shapes, base, cutter, pose, ux, uy, uz):
    """(bottom, i, top, j): the base's least and the cutter's greatest u . x, in the base's frame, and their corners.

    The two are apart if top <= bottom.
    """
    bottom, i = lowest(shapes, base, ux, uy, uz)
    vx, vy, vz = turn_back(pose, CUTTER, ux, uy, uz)
    depth, j = lowest(shapes, cutter, -vx, -vy, -vz)
    shift = ux * pose[CUTTER, POSITION] + uy * pose[CUTTER, POSITION + 1] + uz * pose[CUTTER, POSITION + 2]
    return bottom, i, shift - depth, j


@kernel_inline
def corners_below(shapes, part, start, ux, uy, uz, ceiling, mark):
    """List the corners with u . x <= ceiling in mark[2], and mark them in mark[0]; returns how many. `start` is one."""
    first, last = shapes.vertex_start[part], shapes.vertex_start[part + 1]
    if last - first > SEARCH_WHOLE:
        return flood(shapes, first, start, ux, uy, uz, ceiling, mark)
    found = 0
    for k in range(first, last):
        if height(shapes, k, ux, uy, uz) <= ceiling:
            mark[0, k - first] = 1
            mark[2, found] = k
            found += 1
    return found


@kernel
def flood(shapes, first, start, ux, uy, uz, ceiling, mark):
    """As `corners_below`, along edges: what a plane cuts off a convex part hangs together."""
    mark[0, start - first] = 1
    mark[2, 0] = start
    found = 1
    done = 0
    while done < found:
        here = mark[2, done]
        done += 1
        for e in range(shapes.edge_start[here], shapes.edge_start[here + 1]):
            k = shapes.edge_vertex[e]
            if mark[0, k] == 0 and height(shapes, first + k, ux, uy, uz) <= ceiling:
                mark[0, k] = 1
                mark[2, found] = first + k
                found += 1
    return found


@kernel
def first_direction(shapes, base, cutter, pose):
    """(ux, uy, uz) for a pair seen for the first time: the box axis of least overlap, then reflections."""
    ux, uy, uz = box_axis(shapes.box, base, cutter, pose)
    return better_direction(shapes, base, cutter, pose, ux, uy, uz)


@kernel
def better_direction(shapes, base, cutter, pose, ux, uy, uz):
    """u mirrored at the line between the two extreme points as long as the overlap shrinks; the best u seen."""
    best = math.inf
    bx, by, bz = ux, uy, uz
    for _ in range(REFLECTIONS):
        _, i = lowest(shapes, base, ux, uy, uz)
        vx, vy, vz = turn_back(pose, CUTTER, ux, uy, uz)
        _, j = lowest(shapes, cutter, -vx, -vy, -vz)
        qx, qy, qz = turn(pose, CUTTER, shapes.vertex[j, 0], shapes.vertex[j, 1], shapes.vertex[j, 2])
        rx = shapes.vertex[i, 0] - qx - pose[CUTTER, POSITION]
        ry = shapes.vertex[i, 1] - qy - pose[CUTTER, POSITION + 1]
        rz = shapes.vertex[i, 2] - qz - pose[CUTTER, POSITION + 2]
        along = ux * rx + uy * ry + uz * rz  # the gap: negative while they overlap along u
        if -along < best:
            best = -along
            bx, by, bz = ux, uy, uz
        if along >= 0.0:
            break
        square = rx * rx + ry * ry + rz * rz
        if not square > 0.0:
            break
        k = 2.0 * along / square
        ux, uy, uz = ux - k * rx, uy - k * ry, uz - k * rz  # a reflection keeps the length
    size = math.sqrt(bx * bx + by * by + bz * bz)
    return bx / size, by / size, bz / size


@kernel_inline
def box_axis(box, base, cutter, pose):
    """The one of the six axes of both bounding boxes along which they overlap least, from the cutter to the base."""
    cx, cy, cz = turn(pose, CUTTER, box[cutter, 0], box[cutter, 1], box[cutter, 2])
    dx = box[base, 0] - cx - pose[CUTTER, POSITION]
    dy = box[base, 1] - cy - pose[CUTTER, POSITION + 1]
    dz = box[base, 2] - cz - pose[CUTTER, POSITION + 2]
    best = math.inf
    bx, by, bz = 0.0, 0.0, 1.0
    for axis in range(6):
        if axis < 3:
            ax, ay, az = 1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)
        else:
            ax, ay, az = pose[CUTTER, axis - 3], pose[CUTTER, axis], pose[CUTTER, axis + 3]
        vx, vy, vz = turn_back(pose, CUTTER, ax, ay, az)
        reach = (
            math.fabs(ax) * box[base, 3] + math.fabs(ay) * box[base, 4] + math.fabs(az) * box[base, 5]
            + math.fabs(vx) * box[cutter, 3] + math.fabs(vy) * box[cutter, 4] + math.fabs(vz) * box[cutter, 5]
        )  # fmt: skip
        apart = ax * dx + ay * dy + az * dz
        overlap = reach - math.fabs(apart)
        if overlap < best:
            best = overlap
            side = 1.0 if apart >= 0.0 else -1.0
            bx, by, bz = side * ax, side * ay, side * az
    return bx, by, bz
