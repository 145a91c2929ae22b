"""Spring and damper spread over the contact area: the contact-volume penalty method.

Gets a contact row and the relative velocity, gives the normal force on A and its first moment about the patch centre.
Hasegawa 2003, (6)-(13): summed over the closed solid the springs are k V through the centroid of V, and the dampers
need only the area's moments, because the normal velocity n.(v + omega x p) is affine in p.
"""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.force.patch import along, moment_times
from hapticd.kernel.layout import AREA, CENTRE, CENTROID, GAIN_DAMPING, GAIN_STIFFNESS, MOMENT, NORMAL, VOLUME
from hapticd.kernel.tolerance import FLAT_PATCH, PRESSURE_ELLIPSE
from hapticd.kernel.vector import cross, tangent


@kernel_inline
def solve(contact, i, gain, g, spread, v, omega, solid):
    """(N, dx, dy, dz): normal force, and where it acts relative to the patch centre.

    `spread` is 1 for gains per area, and 1 / area, of all that share them, for gains per contact. A contact pushes,
    never pulls: N >= 0.
    """
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    spring = spread * gain[g, GAIN_STIFFNESS] * contact[i, VOLUME]
    b = spread * gain[g, GAIN_DAMPING]
    force = spring - b * contact[i, AREA] * (nx * v[0] + ny * v[1] + nz * v[2])
    if not force > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    ax, ay, az = cross(nx, ny, nz, omega[0], omega[1], omega[2])  # slope of the normal velocity over the patch
    mx, my, mz = moment_times(contact, i, ax, ay, az)
    px = spring * (contact[i, CENTROID] - contact[i, CENTRE]) - b * mx
    py = spring * (contact[i, CENTROID + 1] - contact[i, CENTRE + 1]) - b * my
    pz = spring * (contact[i, CENTROID + 2] - contact[i, CENTRE + 2]) - b * mz
    dx, dy, dz = inside_patch(contact, i, px / force, py / force, pz / force)
    return force, dx, dy, dz


@kernel_inline
def inside_patch(contact, i, dx, dy, dz):
    """The offset d, shortened if needed so that the centre of pressure stays inside the patch.

    Every convex patch holds the ellipse d^T (J/A)^-1 d <= 2 about its centroid (Kannan, Lovasz, Simonovits 1995; a
    triangle touches it). A spring alone never leaves it, a hard damper at a fast edge would, and would pull at the far
    side.
    """
    ax, ay, az, bx, by, bz = tangent(contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2])
    ux, uy, uz = moment_times(contact, i, ax, ay, az)
    wx, wy, wz = moment_times(contact, i, bx, by, bz)
    aa = ax * ux + ay * uy + az * uz
    ab = ax * wx + ay * wy + az * wz
    bb = bx * wx + by * wy + bz * wz
    determinant = aa * bb - ab * ab
    trace = contact[i, MOMENT] + contact[i, MOMENT + 1] + contact[i, MOMENT + 2]
    if not determinant > FLAT_PATCH * trace * trace:
        # A patch as thin as a line: nothing to divide by. The pressure acts in its middle along the spring's offset.
        return (
            contact[i, CENTROID] - contact[i, CENTRE],
            contact[i, CENTROID + 1] - contact[i, CENTRE + 1],
            contact[i, CENTROID + 2] - contact[i, CENTRE + 2],
        )
    a = along(dx, dy, dz, ax, ay, az)
    b = along(dx, dy, dz, bx, by, bz)
    size = contact[i, AREA] * (bb * a * a - 2.0 * ab * a * b + aa * b * b)
    if size > PRESSURE_ELLIPSE * determinant:
        k = math.sqrt(PRESSURE_ELLIPSE * determinant / size)
        return k * dx, k * dy, k * dz
    return dx, dy, dz
