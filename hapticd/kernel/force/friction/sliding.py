"""The wrench of a sliding patch: the Coulomb law integrated over the contact area.

Used by `coulomb_area`. Hasegawa 2003, (14): every point rubs against its own velocity with mu times its own pressure.
The pressure is that of the springs, k times the thickness of the solid, so the integral runs over the closed solid with
signed height and signed area. The paper interpolates the direction between the corners of a triangle, (15), (16), and
loses up to half of the wrench when a patch slides and spins.

Here every face is a fan of triangles about the centre of the turn, where the direction is not defined: along any ray
from there it is constant, so six points a triangle see a smooth function. Off by at most 0.5 % of the limit on a
square, 0.9 % on 1:5; a fan about a corner was off by 12 % and 21 % (2026-11-18). When the centre is far away, any fan
will do.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.relative import turn, turn_back
from hapticd.kernel.force.patch import mean_square
from hapticd.kernel.layout import (
    CENTRE,
    DEPTH,
    NORMAL,
    POSITION,
    SOLID_NODES,
    VOLUME,
)
from hapticd.kernel.tolerance import EVEN_SLIP, FAR_TURN, STEEP_FACE, THIN_FACE
from hapticd.kernel.vector import cross

# Symmetric six-point rule, exact to degree 4 (Dunavant 1985): two orbits of three points.
ORBIT_NEAR = (0.445948490915965, 0.108103018168070, 0.223381589678011)  # a, 1 - 2a, weight
ORBIT_FAR = (0.091576213509771, 0.816847572980459, 0.109951743655322)

FRAME = 0  # row of Solid.pose: the frame of the nodes


@kernel
def sliding(contact, i, limit, vx, vy, vz, spin, solid):
    """(fx, fy, fz, torque): force on A, and the torque about n at the centre of the springs' pressure; limit = mu N.

    v and spin are the slip of A over B at the patch centre; only their direction and ratio matter.
    """
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    reach = math.sqrt(mean_square(contact, i))
    if math.fabs(spin) * reach <= EVEN_SLIP * speed:
        if speed == 0.0:
            return 0.0, 0.0, 0.0, 0.0
        k = -limit / speed
        return k * vx, k * vy, k * vz, 0.0
    ex, ey, ez = turn_back(solid.pose, FRAME, contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2])
    wx, wy, wz = turn_back(solid.pose, FRAME, vx, vy, vz)
    cx, cy, cz = turn_back(
        solid.pose, FRAME,
        contact[i, CENTRE] - solid.pose[FRAME, POSITION],
        contact[i, CENTRE + 1] - solid.pose[FRAME, POSITION + 1],
        contact[i, CENTRE + 2] - solid.pose[FRAME, POSITION + 2],
    )  # fmt: skip
    thin = THIN_FACE * contact[i, VOLUME] / contact[i, DEPTH]
    # v + spin e x (p - c) = 0 at p = c + e x v / spin; the division is safe, see above
    tx, ty, tz = cross(ex, ey, ez, wx / spin, wy / spin, wz / spin)
    far = speed > FAR_TURN * reach * math.fabs(spin)
    sum_ = _over_faces(solid, (ex, ey, ez), (cx + tx, cy + ty, cz + tz), far, thin)
    k = -limit / contact[i, VOLUME]  # the weights of all points add up to the volume
    if spin < 0.0:
        k = -k
    gx, gy, gz = turn(solid.pose, FRAME, k * sum_[0], k * sum_[1], k * sum_[2])
    return gx, gy, gz, k * sum_[3]


@kernel
def _over_faces(solid, e, o, far, thin):
    """Pressure times slip direction, summed over all faces for a turn of +1 about o; torque about the centroid."""
    node, twin, face = solid.node, solid.twin, solid.face
    total = (0.0, 0.0, 0.0, 0.0)
    for half in range(4 * solid.count[SOLID_NODES]):
        if half & 3 == 3:
            continue
        j, k = half >> 2, twin[half] >> 2
        q, r = (node[0, j], node[1, j], node[2, j]), (node[0, k], node[1, k], node[2, k])
        p, centred = _apex(solid, face[half], e, o, far)
        if centred:
            m = (0.5 * (q[0] + r[0]), 0.5 * (q[1] + r[1]), 0.5 * (q[2] + r[2]))
            total = _over_triangle(p, q, m, e, o, solid.centroid, thin, total)
            total = _over_triangle(p, m, r, e, o, solid.centroid, thin, total)
        else:
            total = _over_triangle(p, q, r, e, o, solid.centroid, thin, total)
    return total


@kernel_inline
def _apex(solid, f, e, o, far):
    """Where the fan of face f begins: on its plane above or below o, or, if that is far off, in one of its corners."""
    nx, ny, nz = solid.plane[f, 0], solid.plane[f, 1], solid.plane[f, 2]
    rise = nx * e[0] + ny * e[1] + nz * e[2]
    if far or math.fabs(rise) < STEEP_FACE:
        i = solid.corner[f]
        return (solid.node[0, i], solid.node[1, i], solid.node[2, i]), False
    t = (solid.plane[f, 3] - nx * o[0] - ny * o[1] - nz * o[2]) / rise
    return (o[0] + t * e[0], o[1] + t * e[1], o[2] + t * e[2]), True


@kernel_inline
def _over_triangle(p, q, r, e, o, g, thin, total):
    """`total` plus the six points of one triangle."""
    ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    wx, wy, wz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    area = 0.5 * (e[0] * (uy * wz - uz * wy) + e[1] * (uz * wx - ux * wz) + e[2] * (ux * wy - uy * wx))
    if math.fabs(area) <= thin:
        return total
    sx, sy, sz, torque = total
    for orbit in range(2):
        near, far, weight = ORBIT_NEAR if orbit == 0 else ORBIT_FAR
        for place in range(3):
            a = far if place == 1 else near
            b = far if place == 2 else near
            x, y, z = p[0] + a * ux + b * wx, p[1] + a * uy + b * wy, p[2] + a * uz + b * wz
            qx, qy, qz = cross(e[0], e[1], e[2], x - o[0], y - o[1], z - o[2])
            size = math.sqrt(qx * qx + qy * qy + qz * qz)
            if size == 0.0:
                continue  # the centre of the turn: it rubs in no direction
            x, y, z = x - g[0], y - g[1], z - g[2]
            s = weight * area * (e[0] * x + e[1] * y + e[2] * z) / size
            sx, sy, sz = sx + s * qx, sy + s * qy, sz + s * qz
            torque += s * (e[0] * (y * qz - z * qy) + e[1] * (z * qx - x * qz) + e[2] * (x * qy - y * qx))
    return sx, sy, sz, torque
