"""The point of a segment, triangle or tetrahedron that is nearest to the origin, as weights of the corners.

The sub-problem of `gjk.py`. Signed volumes: the weights are ratios of the areas or volumes that the origin's projection
makes with the sides, taken in the coordinate plane where the triangle looks largest. A negative weight sends the search
to the side opposite to that corner; where there are several such sides the nearest one is taken, by its distance and
not by a sign. So a flat simplex gives a slightly longer vector at worst, never a wrong one.
Source: Montanari, Petrinic and Barbieri 2017, "Improving the GJK algorithm for faster and more reliable distance
queries between convex objects".
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.tolerance import FLAT_SIMPLEX
from hapticd.kernel.vector import cross, dot


@kernel_inline
def segment(ax, ay, az, bx, by, bz):
    """(la, lb)"""
    tx, ty, tz = bx - ax, by - ay, bz - az
    along = -dot(ax, ay, az, tx, ty, tz)
    square = dot(tx, ty, tz, tx, ty, tz)
    if not along > 0.0:
        return 1.0, 0.0
    if along >= square:  # and a segment of length zero
        return 0.0, 1.0
    s = along / square
    return 1.0 - s, s


@kernel
def triangle(ax, ay, az, bx, by, bz, cx, cy, cz):
    """(la, lb, lc)"""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    square = dot(nx, ny, nz, nx, ny, nz)
    if square <= FLAT_SIMPLEX * FLAT_SIMPLEX * dot(ux, uy, uz, ux, uy, uz) * dot(vx, vy, vz, vx, vy, vz):
        return nearest_side(ax, ay, az, bx, by, bz, cx, cy, cz, -1.0, -1.0, -1.0)
    k = dot(ax, ay, az, nx, ny, nz) / square
    px, py, pz = k * nx, k * ny, k * nz  # the origin's projection
    # Twice the areas against each side, seen along the normal's largest component.
    if math.fabs(nx) >= math.fabs(ny) and math.fabs(nx) >= math.fabs(nz):
        a = (by - py) * (cz - pz) - (bz - pz) * (cy - py)
        b = (cy - py) * (az - pz) - (cz - pz) * (ay - py)
        c = (ay - py) * (bz - pz) - (az - pz) * (by - py)
        whole = nx
    elif math.fabs(ny) >= math.fabs(nz):
        a = (bz - pz) * (cx - px) - (bx - px) * (cz - pz)
        b = (cz - pz) * (ax - px) - (cx - px) * (az - pz)
        c = (az - pz) * (bx - px) - (ax - px) * (bz - pz)
        whole = ny
    else:
        a = (bx - px) * (cy - py) - (by - py) * (cx - px)
        b = (cx - px) * (ay - py) - (cy - py) * (ax - px)
        c = (ax - px) * (by - py) - (ay - py) * (bx - px)
        whole = nz
    a, b, c = a / whole, b / whole, c / whole
    if a >= 0.0 and b >= 0.0 and c >= 0.0:
        k = 1.0 / (a + b + c)
        return k * a, k * b, k * c
    return nearest_side(ax, ay, az, bx, by, bz, cx, cy, cz, a, b, c)


@kernel_inline
def nearest_side(ax, ay, az, bx, by, bz, cx, cy, cz, a, b, c):
    """The nearest of the sides opposite to the corners whose weight is negative."""
    best = math.inf
    la, lb, lc = 1.0, 0.0, 0.0
    if a < 0.0:
        s, t = segment(bx, by, bz, cx, cy, cz)
        best = square2(bx, by, bz, cx, cy, cz, s, t)
        la, lb, lc = 0.0, s, t
    if b < 0.0:
        s, t = segment(ax, ay, az, cx, cy, cz)
        far = square2(ax, ay, az, cx, cy, cz, s, t)
        if far < best:
            best = far
            la, lb, lc = s, 0.0, t
    if c < 0.0:
        s, t = segment(ax, ay, az, bx, by, bz)
        far = square2(ax, ay, az, bx, by, bz, s, t)
        if far < best:
            la, lb, lc = s, t, 0.0
    return la, lb, lc


@kernel_inline
def square2(ax, ay, az, bx, by, bz, s, t):
    x, y, z = s * ax + t * bx, s * ay + t * by, s * az + t * bz
    return x * x + y * y + z * z


@kernel
def nearest(corner, n, weight):
    """Weights of corner[:n], n <= 4, for the point nearest to the origin; all four positive: the origin is inside."""
    ax, ay, az = corner[0, 0], corner[0, 1], corner[0, 2]
    weight[0], weight[1], weight[2], weight[3] = 1.0, 0.0, 0.0, 0.0
    if n == 2:
        weight[0], weight[1] = segment(ax, ay, az, corner[1, 0], corner[1, 1], corner[1, 2])
    elif n == 3:
        weight[0], weight[1], weight[2] = triangle(
            ax, ay, az, corner[1, 0], corner[1, 1], corner[1, 2], corner[2, 0], corner[2, 1], corner[2, 2]
        )
    elif n == 4:
        tetrahedron(corner, weight)


@kernel_inline
def tetrahedron(corner, weight):
    """Inside, or on the nearest of the faces that the origin is beyond; of all faces if the four are nearly flat."""
    whole = 0.0
    size = 0.0
    for k in range(4):
        weight[k] = volume(corner, k)
        whole += weight[k]
        size += math.fabs(weight[k])
    flat = not math.fabs(whole) > FLAT_SIMPLEX * size
    inside = not flat
    for k in range(4):
        if not flat:
            weight[k] /= whole
        inside = inside and weight[k] > 0.0
    if inside:
        return
    best = math.inf
    out = -1
    la = lb = lc = 0.0
    for k in range(4):
        if flat or weight[k] <= 0.0:
            i, j, m = others(k)
            a, b, c = triangle(
                corner[i, 0], corner[i, 1], corner[i, 2], corner[j, 0], corner[j, 1], corner[j, 2],
                corner[m, 0], corner[m, 1], corner[m, 2],
            )  # fmt: skip
            far = 0.0
            for x in range(3):
                y = a * corner[i, x] + b * corner[j, x] + c * corner[m, x]
                far += y * y
            if far < best:
                best = far
                out = k
                la, lb, lc = a, b, c
    i, j, m = others(max(out, 0))
    weight[max(out, 0)] = 0.0
    weight[i], weight[j], weight[m] = la, lb, lc


@kernel_inline
def volume(corner, k):
    """Six times the volume of the tetrahedron with the origin in the place of corner k, signed alike for every k."""
    i, j, m = others(k)
    x, y, z = cross(corner[j, 0], corner[j, 1], corner[j, 2], corner[m, 0], corner[m, 1], corner[m, 2])
    v = dot(corner[i, 0], corner[i, 1], corner[i, 2], x, y, z)
    return -v if k == 1 or k == 3 else v


@kernel_inline
def others(k):
    """The three corners but k, in rising order."""
    return (1 if k == 0 else 0), (2 if k <= 1 else 1), (3 if k <= 2 else 2)
