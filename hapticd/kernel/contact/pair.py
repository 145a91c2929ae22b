"""One pair of convex parts: from poses to the contact row that the force laws read.

Gets pairs from `broad.py` through `step.py`, gives a contact row and the solid to `force/pair.py`. The clip's volume
alone decides whether there is a contact: boxes and directions only save time.

The normal is the direction of the area vector of B's side of the solid (Wakisaka, (2)): continuous, and free. When one
body is inside the other, goes through it, or has come out at the far side, that vector vanishes, cancels or flips:
then the last normal is kept, the patch is frozen and the answer is CONTACT_DEEP (formulas.md, "No normal, no area").
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.clip import clip
from hapticd.kernel.contact.measure import FRAME, area_moments, extent, measure, write_area, write_place, write_point
from hapticd.kernel.contact.relative import turn, turn_back, write_relative
from hapticd.kernel.contact.slab import CUTTER, better_direction, first_direction, slab
from hapticd.kernel.layout import (
    AREA,
    CENTRE,
    MOMENT,
    NORMAL,
    POSE_SIZE,
    POSITION,
    SOLID_SWAPPED,
    VOLUME,
)
from hapticd.kernel.status import CONTACT_DEEP, CONTACT_NONE
from hapticd.kernel.tolerance import DEEP_AREA_RATIO
from hapticd.kernel.vector import tangent


@kernel
def pair_contact(shapes, part_a, part_b, X_W, body_a, body_b, solid, contact, i):
    """Write contact row i of parts a and b; returns its status.

    contact[i, NORMAL] is the direction of the last tick, or zeros for a pair that is new; after CONTACT_NONE it is one
    along which the two are apart or nearly so.
    """
    base, cutter, sign = begin(shapes, part_a, part_b, X_W, body_a, body_b, solid)
    fresh = contact[i, NORMAL] == 0.0 and contact[i, NORMAL + 1] == 0.0 and contact[i, NORMAL + 2] == 0.0
    if fresh:
        ux, uy, uz = first_direction(shapes, base, cutter, solid.pose)
    else:
        ux, uy, uz = turn_back(
            solid.pose, FRAME, sign * contact[i, NORMAL], sign * contact[i, NORMAL + 1], sign * contact[i, NORMAL + 2]
        )
    bounds = slab(shapes, base, cutter, solid.pose, ux, uy, uz)
    if not bounds[2] > bounds[0]:
        return apart(solid, contact, i, sign, ux, uy, uz)
    status = clip(shapes, base, cutter, ux, uy, uz, bounds, solid)
    if status == CONTACT_NONE:
        ux, uy, uz = better_direction(shapes, base, cutter, solid.pose, ux, uy, uz)
        return apart(solid, contact, i, sign, ux, uy, uz)
    return finish(shapes, base, part_b, (ux, uy, uz), fresh, status, solid, contact, i)


@kernel_inline
def begin(shapes, part_a, part_b, X_W, body_a, body_b, solid):
    """(base, cutter, sign): the smaller part is the base, so that coordinates stay small; sign turns u into n."""
    swapped = radius(shapes.box, part_b) < radius(shapes.box, part_a)
    solid.count[SOLID_SWAPPED] = swapped
    if swapped:
        frame(X_W, body_b, body_a, solid)
        return part_b, part_a, -1.0
    frame(X_W, body_a, body_b, solid)
    return part_a, part_b, 1.0


@kernel_inline
def finish(shapes, base, part_b, u, fresh, status, solid, contact, i):
    """The contact row of the solid at hand; u is the last direction, or that of the slab for a fresh pair."""
    ux, uy, uz = u
    swapped = solid.count[SOLID_SWAPPED] != 0
    sign = -1.0 if swapped else 1.0
    volume, ax, ay, az, cutter_area, base_area = measure(shapes, base, solid)
    if not volume > 0.0:
        return apart(solid, contact, i, sign, ux, uy, uz)
    size = math.sqrt(ax * ax + ay * ay + az * az)
    along = ax * ux + ay * uy + az * uz
    if size < DEEP_AREA_RATIO * max(cutter_area, base_area) or (along < 0.0 and not fresh):
        if fresh:
            ux, uy, uz = nearest_face(shapes, part_b, swapped, solid)
        write_deep(solid, contact, i, volume, fresh, sign, ux, uy, uz)
        return CONTACT_DEEP
    per_size = 1.0 / size  # size >= ratio * area > 0
    ex, ey, ez = per_size * ax, per_size * ay, per_size * az
    nx, ny, nz = turn(solid.pose, FRAME, sign * ex, sign * ey, sign * ez)
    write_place(solid, contact, i, volume, extent(solid, ex, ey, ez), (nx, ny, nz))
    across = tangent(ex, ey, ez)
    write_area(solid, contact, i, across, area_moments(solid, across))
    return status


@kernel_inline
def radius(box, part):
    """Square of the half diagonal."""
    return box[part, 3] * box[part, 3] + box[part, 4] * box[part, 4] + box[part, 5] * box[part, 5]


@kernel_inline
def frame(X_W, body_base, body_cutter, solid):
    for k in range(POSE_SIZE):
        solid.pose[FRAME, k] = X_W[body_base, k]
    write_relative(X_W, body_base, body_cutter, solid.pose, CUTTER)


@kernel_inline
def apart(solid, contact, i, sign, ux, uy, uz):
    """No contact: the direction is kept for the next tick, all else is zero."""
    for k in range(contact.shape[1]):
        contact[i, k] = 0.0
    nx, ny, nz = turn(solid.pose, FRAME, sign * ux, sign * uy, sign * uz)
    contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2] = nx, ny, nz
    return CONTACT_NONE


@kernel_inline
def nearest_face(shapes, part_b, swapped, solid):
    """From the cutter to the base, through the face of B that is nearest to the solid's centroid."""
    gx, gy, gz = solid.centroid[0], solid.centroid[1], solid.centroid[2]
    if not swapped:  # B is the cutter: its planes are in its own frame
        gx -= solid.pose[CUTTER, POSITION]
        gy -= solid.pose[CUTTER, POSITION + 1]
        gz -= solid.pose[CUTTER, POSITION + 2]
        gx, gy, gz = turn_back(solid.pose, CUTTER, gx, gy, gz)
    nearest = -math.inf
    best = shapes.plane_start[part_b]
    for f in range(shapes.plane_start[part_b], shapes.plane_start[part_b + 1]):
        h = shapes.plane[f, 0] * gx + shapes.plane[f, 1] * gy + shapes.plane[f, 2] * gz - shapes.plane[f, 3]
        if h > nearest:
            nearest = h
            best = f
    x, y, z = shapes.plane[best, 0], shapes.plane[best, 1], shapes.plane[best, 2]
    if swapped:
        return -x, -y, -z
    return turn(solid.pose, CUTTER, x, y, z)


@kernel_inline
def write_deep(solid, contact, i, volume, fresh, sign, ux, uy, uz):
    """Last normal, frozen patch about the solid's centroid; a pair that begins so gets a disc, its mean section."""
    depth = extent(solid, ux, uy, uz)
    nx, ny, nz = turn(solid.pose, FRAME, sign * ux, sign * uy, sign * uz)
    frozen = not fresh and contact[i, VOLUME] > 0.0
    write_place(solid, contact, i, volume, depth, (nx, ny, nz))
    write_point(solid, contact, i, CENTRE, solid.centroid[0], solid.centroid[1], solid.centroid[2])
    if frozen:
        return
    area = volume / depth  # a solid with a volume has a depth
    contact[i, AREA] = area
    disc = area * area / (4.0 * math.pi)
    contact[i, MOMENT] = disc * (1.0 - nx * nx)
    contact[i, MOMENT + 1] = disc * (1.0 - ny * ny)
    contact[i, MOMENT + 2] = disc * (1.0 - nz * nz)
    contact[i, MOMENT + 3] = -disc * nx * ny
    contact[i, MOMENT + 4] = -disc * ny * nz
    contact[i, MOMENT + 5] = -disc * nz * nx
