"""A point well inside the intersection of two parts, and the frame in which the intersection is round.

First stage of the dual way: gets the planes of both parts from `dual.py`, gives it the centre and the frame.

    widest     The Chebyshev centre, max r with n . x + r <= d for all planes: a linear program in (x, r), by the dual
               simplex method. r falls from step to step and bounds the true radius from above, so it is also the proof
               that there is no interior; the search ends as soon as the point at hand has half of that radius.
    rounded    Damped Newton steps towards the analytic centre, the maximum of sum log (d - n . x). A step of 1 / (1 +
               Newton decrement) never leaves the interior; from the edge of a slab it only doubles the distance, so
               later steps go to the middle of the chord where that is much farther.

The Hessian at the centre, H = L L^T, gives the frame y = L^T (x - c). In it every dual point a = L^-1 n / (d - n . c)
lies in the unit ball and sum a a^T = 1, however thin the intersection is: so QuickHull gets along with one absolute
tolerance. GJK's common point, which the paper takes, lies on a face too often (formulas.md section 1).
Source: Hasegawa and Sato 2004 for the way; Boyd and Vandenberghe 2004, sections 8.5 and 9.6, for the two centres.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.relative import turn, turn_back
from hapticd.kernel.contact.slab import CUTTER
from hapticd.kernel.layout import POSITION
from hapticd.kernel.status import DUAL_OK, DUAL_THIN
from hapticd.kernel.tolerance import (
    CENTRE_DECREMENT,
    CENTRE_SHARE,
    CENTRE_STEPS,
    INTERIOR_RADIUS,
    LONG_CHORD,
    PIVOT,
    SHORT_STEPS,
    WIDEST_STEPS,
)

# Cells of Hull.centre.
CENTRE = 0  # 0..2, c, m
FRAME = 3  # 3..8, L^-1: xx yx yy zx zy zz, m; lower triangle
TINY = 1e-200  # 1/m2
ROUNDING = 1e-15
THIRD = 1.0 / math.sqrt(3.0)


@kernel
def interior(shapes, base, cutter, solid, hull, n):
    """Centre and frame of the planes solid.plane[:n] into hull.centre; DUAL_THIN when there is (nearly) no interior."""
    size = start(shapes.box, base, cutter, solid.pose, hull.centre, hull.basis)
    if not widest(solid.plane, n, hull.centre, hull.basis, INTERIOR_RADIUS * size):
        return DUAL_THIN
    return DUAL_OK if rounded(solid.plane, n, hull.centre) else DUAL_THIN


@kernel_inline
def start(box, base, cutter, pose, centre, basis):
    """The ball in the tetrahedron about both bounding boxes: basis and (x, r). Returns the size of the base's box.

    Row j of `basis` is column j of the inverse of the four active rows (n, 1); its fourth cell is row j's multiplier.
    The tetrahedron's planes hold both parts, so they never cut the true answer.
    """
    for k in range(4):
        centre[k] = 0.0
    cx, cy, cz = turn(pose, CUTTER, box[cutter, 0], box[cutter, 1], box[cutter, 2])
    cx, cy, cz = cx + pose[CUTTER, POSITION], cy + pose[CUTTER, POSITION + 1], cz + pose[CUTTER, POSITION + 2]
    for j in range(4):
        tx = THIRD if j == 0 or j == 1 else -THIRD
        ty = THIRD if j == 0 or j == 2 else -THIRD
        tz = THIRD if j == 0 or j == 3 else -THIRD
        vx, vy, vz = turn_back(pose, CUTTER, tx, ty, tz)
        d = min(
            tx * box[base, 0] + ty * box[base, 1] + tz * box[base, 2]
            + THIRD * (box[base, 3] + box[base, 4] + box[base, 5]),
            tx * cx + ty * cy + tz * cz
            + math.fabs(vx) * box[cutter, 3] + math.fabs(vy) * box[cutter, 4] + math.fabs(vz) * box[cutter, 5],
        )  # fmt: skip
        basis[j, 0], basis[j, 1], basis[j, 2], basis[j, 3] = 0.75 * tx, 0.75 * ty, 0.75 * tz, 0.25
        for k in range(4):
            centre[k] += d * basis[j, k]
    return box[base, 3] + box[base, 4] + box[base, 5]


@kernel_inline
def widest(plane, n, centre, basis, least):
    """Move centre[:4] = (x, r) until min (d - n . x) >= r / 2; false when r falls to `least` or the steps run out."""
    for _ in range(WIDEST_STEPS):
        r = centre[3]
        if not r > least:
            return False
        i, worst = most_outside(plane, n, centre)
        if worst <= -0.5 * r:
            return True
        if not enter(plane, i, worst + r, centre, basis):
            return False
    _, worst = most_outside(plane, n, centre)
    return worst < -least


@kernel_inline
def most_outside(plane, n, centre):
    """(plane, n . x - d): the plane that x is least inside of."""
    x, y, z = centre[0], centre[1], centre[2]
    worst = -math.inf
    place = 0
    for i in range(n):
        h = plane[i, 0] * x + plane[i, 1] * y + plane[i, 2] * z - plane[i, 3]
        if h > worst:
            worst = h
            place = i
    return place, worst


@kernel_inline
def enter(plane, i, violation, centre, basis):
    """One pivot: plane i becomes active in the place of the row whose multiplier is the first to vanish.

    The weights of the new row (n, 1) in the old ones sum up to 1, so one is positive; false if that is only rounding.
    """
    out = -1
    least = math.inf
    for j in range(4):
        w = weight(plane, i, basis, j)
        basis[j, 4] = w
        if w > PIVOT and basis[j, 3] < least * w:
            least = max(basis[j, 3], 0.0) / w
            out = j
    if out < 0:
        return False
    k = 1.0 / basis[out, 4]
    for c in range(4):
        basis[out, c] *= k
        centre[c] -= violation * basis[out, c]
    for j in range(4):
        if j != out:
            for c in range(4):
                basis[j, c] -= basis[j, 4] * basis[out, c]
    return True


@kernel_inline
def weight(plane, i, basis, j):
    return plane[i, 0] * basis[j, 0] + plane[i, 1] * basis[j, 1] + plane[i, 2] * basis[j, 2] + basis[j, 3]


@kernel_inline
def rounded(plane, n, centre):
    """Newton steps towards the analytic centre; leaves c and L^-1 in `centre`; false if the start is not inside."""
    enough = max(CENTRE_DECREMENT, CENTRE_SHARE * math.sqrt(n))
    for step in range(CENTRE_STEPS):
        cx, cy, cz = centre[0], centre[1], centre[2]
        gx = gy = gz = xx = yy = zz = xy = yz = zx = 0.0
        for i in range(n):
            s = plane[i, 3] - (plane[i, 0] * cx + plane[i, 1] * cy + plane[i, 2] * cz)
            if not s > 0.0:
                return False
            k = 1.0 / s
            x, y, z = k * plane[i, 0], k * plane[i, 1], k * plane[i, 2]
            gx, gy, gz = gx + x, gy + y, gz + z
            xx, yy, zz = xx + x * x, yy + y * y, zz + z * z
            xy, yz, zx = xy + x * y, yz + y * z, zx + z * x
        # Cholesky. H is positive definite for planes that bound a solid; the floors keep rounding from the root of a
        # negative number and a division by zero. A frame that is not round is seen by dual.check.
        a = math.sqrt(max(xx, TINY))
        b, c = xy / a, zx / a
        d = math.sqrt(max(yy - b * b, ROUNDING * yy, TINY))
        e = (yz - b * c) / d
        f = math.sqrt(max(zz - c * c - e * e, ROUNDING * zz, TINY))
        ux = gx / a  # L^-1 g: its length is the Newton decrement
        uy = (gy - b * ux) / d
        uz = (gz - c * ux - e * uy) / f
        decrement = math.sqrt(ux * ux + uy * uy + uz * uz)
        if decrement < enough or step == CENTRE_STEPS - 1:
            write_frame(centre, a, b, c, d, e, f)
            return True
        k = 1.0 / (1.0 + decrement)
        vz = uz / f  # L^-T u
        vy = (uy - e * vz) / d
        vx = (ux - b * vy - c * vz) / a
        if step >= SHORT_STEPS:
            middle = 0.5 * chord(plane, n, cx, cy, cz, vx, vy, vz)
            k = middle if middle > LONG_CHORD * k else k
        centre[0], centre[1], centre[2] = cx - k * vx, cy - k * vy, cz - k * vz
    return False


@kernel_inline
def chord(plane, n, cx, cy, cz, vx, vy, vz):
    """How many times v can be gone from c against v before a plane is reached: at least one damped step's length."""
    most = math.inf
    for i in range(n):
        s = plane[i, 3] - (plane[i, 0] * cx + plane[i, 1] * cy + plane[i, 2] * cz)
        fall = -(plane[i, 0] * vx + plane[i, 1] * vy + plane[i, 2] * vz)
        if fall * most > s:
            most = s / fall
    return most if most < math.inf else 0.0


@kernel_inline
def write_frame(centre, a, b, c, d, e, f):
    """The inverse of the lower triangle a; b d; c e f."""
    centre[FRAME] = 1.0 / a
    centre[FRAME + 1] = -b / (a * d)
    centre[FRAME + 2] = 1.0 / d
    centre[FRAME + 3] = (b * e - c * d) / (a * d * f)
    centre[FRAME + 4] = -e / (d * f)
    centre[FRAME + 5] = 1.0 / f
