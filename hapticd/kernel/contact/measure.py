"""What the force laws need of a solid: volume, centroid, the area vector of one side, area moments, depth.

    measure        one round over the half-edges: volume and centroid, each side's area, the loop between the two sides
    area_moments   one round over the loop: area, centre and second moment of the patch, projected along n
    extent         depth along n

Every face is a fan of triangles about one of its corners, one triangle per half-edge; heights and positions are taken
from a node of the solid, so that a thin solid far from the frame's origin loses no digits. The one-sided area moments
depend on the loop alone (formulas.md, section 1), so they are the same from either side. Hasegawa 2003, (6)-(13);
Wakisaka, (2).
"""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.contact.relative import turn
from hapticd.kernel.layout import (
    AREA,
    CENTRE,
    CENTROID,
    DEPTH,
    MOMENT,
    NORMAL,
    POSITION,
    SOLID_BASE_PLANES,
    SOLID_LOOP,
    SOLID_NODES,
    VOLUME,
)

FRAME = 0  # row of Solid.pose: the solid's frame in the world
SIXTH = 1.0 / 6.0  # a division costs as much as ten products
TWENTY_FOURTH = 1.0 / 24.0  # 1/12 of a triangle's second moment, and twice its area


@kernel_inline
def measure(shapes, base, solid):
    """(V, ax, ay, az, S_cutter, S_base): volume, area vector and area of the cutter's side, area of the base's side.

    Leaves the centroid, a corner and the plane of every face, and the loop, in `solid`.
    """
    node, twin, face, plane, corner, loop = solid.node, solid.twin, solid.face, solid.plane, solid.corner, solid.loop
    n_base = solid.count[SOLID_BASE_PLANES]
    first = shapes.plane_start[base]
    n = solid.count[SOLID_NODES]
    forget_corners(face, corner, n)
    rx, ry, rz = node[0, 0], node[1, 0], node[2, 0]
    volume = mx = my = mz = 0.0
    ax = ay = az = 0.0
    cutter_area = base_area = 0.0
    n_loop = 0
    for i in range(n):
        ix, iy, iz = node[0, i] - rx, node[1, i] - ry, node[2, i] - rz
        for h in range(4 * i, 4 * i + 3):
            f = face[h]
            j = twin[h] >> 2
            c = corner[f]
            if c < 0:
                corner[f] = i
                if f < n_base:
                    for k in range(4):
                        plane[f, k] = shapes.plane[first + f, k]
                c = i
            jx, jy, jz = node[0, j] - rx, node[1, j] - ry, node[2, j] - rz
            if f >= n_base and face[twin[h]] < n_base:
                loop[n_loop] = h
                n_loop += 1
                ax += iy * jz - iz * jy
                ay += iz * jx - ix * jz
                az += ix * jy - iy * jx
            if c == i or c == j:
                continue
            cx, cy, cz = node[0, c] - rx, node[1, c] - ry, node[2, c] - rz
            ux, uy, uz = ix - cx, iy - cy, iz - cz
            wx, wy, wz = jx - cx, jy - cy, jz - cz
            px, py, pz = plane[f, 0], plane[f, 1], plane[f, 2]
            area = px * (uy * wz - uz * wy) + py * (uz * wx - ux * wz) + pz * (ux * wy - uy * wx)  # doubled
            part = area * (px * cx + py * cy + pz * cz)  # six times the pyramid's volume
            volume += part
            mx += part * (cx + ix + jx)
            my += part * (cy + iy + jy)
            mz += part * (cz + iz + jz)
            if f < n_base:
                base_area += area
            else:
                cutter_area += area
    solid.count[SOLID_LOOP] = n_loop
    if volume > 0.0:
        k = 0.25 / volume
        solid.centroid[0], solid.centroid[1], solid.centroid[2] = rx + k * mx, ry + k * my, rz + k * mz
    return SIXTH * volume, 0.5 * ax, 0.5 * ay, 0.5 * az, 0.5 * cutter_area, 0.5 * base_area


@kernel_inline
def forget_corners(face, corner, n):
    """No corner for every face that is left; the other cells are stale and nobody reads them."""
    for i in range(n):
        corner[face[4 * i]] = -1
        corner[face[4 * i + 1]] = -1
        corner[face[4 * i + 2]] = -1


@kernel_inline
def area_moments(solid, frame):
    """(A, s, t, ss, st, tt): area of the cutter's side seen in the two tangent directions of `frame`, its centroid from
    the solid's centroid, and its second moment about that; negative where the cutter faces away from the third.
    """
    ax, ay, az, bx, by, bz = frame
    node, twin = solid.node, solid.twin
    gx, gy, gz = solid.centroid[0], solid.centroid[1], solid.centroid[2]
    area = first_s = first_t = ss = st = tt = 0.0
    for k in range(solid.count[SOLID_LOOP]):
        i = solid.loop[k] >> 2
        j = twin[solid.loop[k]] >> 2
        x, y, z = node[0, i] - gx, node[1, i] - gy, node[2, i] - gz
        p, q = ax * x + ay * y + az * z, bx * x + by * y + bz * z
        x, y, z = node[0, j] - gx, node[1, j] - gy, node[2, j] - gz
        u, v = ax * x + ay * y + az * z, bx * x + by * y + bz * z
        cone = p * v - q * u  # twice the triangle's area
        area += cone
        first_s += cone * (p + u)
        first_t += cone * (q + v)
        ss += cone * (p * p + u * u + (p + u) * (p + u))
        st += cone * (p * q + u * v + (p + u) * (q + v))
        tt += cone * (q * q + v * v + (q + v) * (q + v))
    if area == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = 1.0 / (3.0 * area)
    s, t, area = k * first_s, k * first_t, 0.5 * area
    return (
        area,
        s,
        t,
        TWENTY_FOURTH * ss - area * s * s,
        TWENTY_FOURTH * st - area * s * t,
        TWENTY_FOURTH * tt - area * t * t,
    )


@kernel_inline
def flat(x, y, z, ex, ey, ez):
    """The part of a vector across the unit vector e."""
    k = ex * x + ey * y + ez * z
    return x - k * ex, y - k * ey, z - k * ez


@kernel_inline
def extent(solid, ex, ey, ez):
    """Depth: how far the solid reaches along e."""
    low = math.inf
    high = -math.inf
    for i in range(solid.count[SOLID_NODES]):
        h = ex * solid.node[0, i] + ey * solid.node[1, i] + ez * solid.node[2, i]
        low = min(low, h)
        high = max(high, h)
    return high - low


@kernel_inline
def write_place(solid, contact, i, volume, depth, n):
    """Volume, centroid, normal (world) and depth into contact row i."""
    contact[i, VOLUME] = volume
    contact[i, DEPTH] = depth
    contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2] = n[0], n[1], n[2]
    write_point(solid, contact, i, CENTROID, solid.centroid[0], solid.centroid[1], solid.centroid[2])


@kernel_inline
def write_area(solid, contact, i, frame, moments):
    """Area, centre and second moment in the world."""
    area, s, t, ss, st, tt = moments
    ax, ay, az, bx, by, bz = frame
    gx, gy, gz = solid.centroid[0], solid.centroid[1], solid.centroid[2]
    contact[i, AREA] = area
    write_point(solid, contact, i, CENTRE, gx + s * ax + t * bx, gy + s * ay + t * by, gz + s * az + t * bz)
    ax, ay, az = turn(solid.pose, FRAME, ax, ay, az)
    bx, by, bz = turn(solid.pose, FRAME, bx, by, bz)
    px, py, pz = ss * ax + st * bx, ss * ay + st * by, ss * az + st * bz  # J a
    qx, qy, qz = st * ax + tt * bx, st * ay + tt * by, st * az + tt * bz  # J b
    contact[i, MOMENT] = ax * px + bx * qx
    contact[i, MOMENT + 1] = ay * py + by * qy
    contact[i, MOMENT + 2] = az * pz + bz * qz
    contact[i, MOMENT + 3] = ax * py + bx * qy
    contact[i, MOMENT + 4] = ay * pz + by * qz
    contact[i, MOMENT + 5] = az * px + bz * qx


@kernel_inline
def write_point(solid, contact, i, column, x, y, z):
    """A point of the solid's frame into three columns of row i, in the world."""
    x, y, z = turn(solid.pose, FRAME, x, y, z)
    contact[i, column] = x + solid.pose[FRAME, POSITION]
    contact[i, column + 1] = y + solid.pose[FRAME, POSITION + 1]
    contact[i, column + 2] = z + solid.pose[FRAME, POSITION + 2]
