"""What the force laws ask of a contact patch: its area moment, its radius, how its friction state is carried on.

The friction state is a small displacement of A against B. It belongs to the two bodies, not to the world, so between
two ticks it turns with the normal and with the mean spin of the pair about it: two stuck bodies that turn together keep
it.
"""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.layout import AREA, LAW_NORMAL, LAW_STIFFNESS, MOMENT, NORMAL
from hapticd.kernel.tolerance import UNIFORM_RADIUS


@kernel_inline
def along(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@kernel_inline
def moment_times(contact, i, x, y, z):
    """J a, with J the second moment of the area about its centroid."""
    xx, yy, zz = contact[i, MOMENT], contact[i, MOMENT + 1], contact[i, MOMENT + 2]
    xy, yz, zx = contact[i, MOMENT + 3], contact[i, MOMENT + 4], contact[i, MOMENT + 5]
    return xx * x + xy * y + zx * z, xy * x + yy * y + yz * z, zx * x + yz * y + zz * z


@kernel_inline
def mean_square(contact, i):
    """Mean of |p - c|^2 over the patch, m2."""
    if contact[i, AREA] > 0.0:
        return (contact[i, MOMENT] + contact[i, MOMENT + 1] + contact[i, MOMENT + 2]) / contact[i, AREA]
    return 0.0


@kernel_inline
def mean_radius(contact, i):
    """rho: mean distance from the centre, so that rho mu N is the spin torque of an evenly pressed patch."""
    return UNIFORM_RADIUS * math.sqrt(mean_square(contact, i))


@kernel_inline
def carried(contact, law, i, turn, x, y, z):
    """The tangential vector of the last tick in the plane of this one; `turn` is the pair's mean spin angle about n."""
    nx, ny, nz = contact[i, NORMAL], contact[i, NORMAL + 1], contact[i, NORMAL + 2]
    ox, oy, oz = law[i, LAW_NORMAL], law[i, LAW_NORMAL + 1], law[i, LAW_NORMAL + 2]
    tilt = 1.0 + nx * ox + ny * oy + nz * oz
    if not tilt > 0.5:
        return 0.0, 0.0, 0.0  # turned by more than 120 degrees in a tick: another contact
    # The smallest rotation that takes the old normal to the new one; the vector is perpendicular to the old.
    k = (nx * x + ny * y + nz * z) / tilt
    x, y, z = x - k * (nx + ox), y - k * (ny + oy), z - k * (nz + oz)
    # Turn about n: to second order in an angle of at most a few hundredths, rescaled so that the length is kept
    # exactly.
    cx, cy, cz = ny * z - nz * y, nz * x - nx * z, nx * y - ny * x
    c = 1.0 / math.sqrt(1.0 + turn * turn)
    s = c * turn
    return c * x + s * cx, c * y + s * cy, c * z + s * cz


@kernel_inline
def kept_stretch(law, i, K):
    """Share of the stretch that a patch of stiffness K keeps: a stiffer patch would hold energy that nobody put in."""
    if K > law[i, LAW_STIFFNESS] > 0.0:
        return math.sqrt(law[i, LAW_STIFFNESS] / K)
    return 1.0
