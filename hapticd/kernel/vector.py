"""Three-vectors and quaternions as plain numbers: tuples of floats cost nothing once inlined, arrays do."""

import math

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.layout import POSITION, ROTATION


@kernel_inline
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@kernel_inline
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel_inline
def tangent(nx, ny, nz):
    """Two unit vectors t1, t2 with t1 x t2 = n; continuous in n but at n = -z."""
    if nz > -0.5:
        a = 1.0 / (1.0 + nz)
        b = -nx * ny * a
        return 1.0 - nx * nx * a, b, -nx, b, 1.0 - ny * ny * a, -ny
    a = 1.0 / (1.0 - nz)
    b = nx * ny * a
    return 1.0 - nx * nx * a, -b, nx, b, -1.0 + ny * ny * a, -ny


@kernel_inline
def quaternion_product(ax, ay, az, aw, bx, by, bz, bw):
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@kernel_inline
def turned(x, y, z, w, ax, ay, az):
    """The unit quaternion (x y z w) after a turn by the rotation vector a (world frame), |a| below about one radian.

    Half-angle series up to the sixth power: off by 1e-9 at 0.6 rad; the result is normalised, so the length stays one.
    """
    s = 0.25 * (ax * ax + ay * ay + az * az)
    c = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0)))
    k = 0.5 * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0))))
    x, y, z, w = quaternion_product(k * ax, k * ay, k * az, c, x, y, z, w)
    length = math.sqrt(x * x + y * y + z * z + w * w)  # 1 to rounding: never zero
    return x / length, y / length, z / length, w / length


@kernel_inline
def write_pose(X, i, px, py, pz, x, y, z, w):
    """Pose row i from a position and a unit quaternion."""
    X[i, ROTATION + 0] = 1.0 - 2.0 * (y * y + z * z)
    X[i, ROTATION + 1] = 2.0 * (x * y - z * w)
    X[i, ROTATION + 2] = 2.0 * (x * z + y * w)
    X[i, ROTATION + 3] = 2.0 * (x * y + z * w)
    X[i, ROTATION + 4] = 1.0 - 2.0 * (x * x + z * z)
    X[i, ROTATION + 5] = 2.0 * (y * z - x * w)
    X[i, ROTATION + 6] = 2.0 * (x * z - y * w)
    X[i, ROTATION + 7] = 2.0 * (y * z + x * w)
    X[i, ROTATION + 8] = 1.0 - 2.0 * (x * x + y * y)
    X[i, POSITION] = px
    X[i, POSITION + 1] = py
    X[i, POSITION + 2] = pz
