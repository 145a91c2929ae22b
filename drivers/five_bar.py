"""Planar five-bar linkage (pantograph): motor angles to the tip, a force at the tip to motor torques.

Called by the hAPI driver in every tick. Motors at (0, 0) and (d, 0), inner links l, outer links L, y away from the
base:

    A = l (cos q1, sin q1),  B = (d, 0) + l (cos q2, sin q2),  tip: |tip - A| = |tip - B| = L, the one with larger y
    (tip - A).(v - A') = 0, (tip - B).(v - B') = 0   =>   M v = D qdot,   J = M^-1 D,   torque = J^T F

The Jacobian that the makers publish lacks the link length (its entries are J / l); here it is whole. `shape` is the
smallest sine of the angles between links that meet. Where it is 0, two links are in line: either the outer ones, and a
torque makes an unbounded force, or those of an arm, and the linkage bears a force that no torque makes.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline

TWO_PI = 2.0 * math.pi


@kernel_inline
def sine_cosine(turns):
    """sin and cos of an angle in turns, by own series (no libm): off by less than 1e-15."""
    k = math.floor(4.0 * turns + 0.5)
    r = (turns - 0.25 * k) * TWO_PI  # within 45 degrees
    s = r * r
    sine = 1.0 - s / 210.0
    for n in (156.0, 110.0, 72.0, 42.0, 20.0, 6.0):
        sine = 1.0 - s / n * sine
    sine *= r
    cosine = 1.0 - s / 240.0
    for n in (182.0, 132.0, 90.0, 56.0, 30.0, 12.0, 2.0):
        cosine = 1.0 - s / n * cosine
    k = int(k) & 3
    if k == 0:
        return sine, cosine
    if k == 1:
        return cosine, -sine
    if k == 2:
        return -sine, -cosine
    return -cosine, sine


@kernel
def tip_and_jacobian(turns_1, turns_2, l, L, d, out):
    """out <- tip x, y, J11, J12, J21, J22 (m/rad), shape; False where the linkage cannot close."""
    s1, c1 = sine_cosine(turns_1)
    s2, c2 = sine_cosine(turns_2)
    ax, ay = l * c1, l * s1
    bx, by = d + l * c2, l * s2
    ex, ey = bx - ax, by - ay
    gap = ex * ex + ey * ey
    height = L * L - 0.25 * gap
    if not (gap > 0.0 and height > 0.0):
        return False
    k = math.sqrt(height / gap)
    if ex < 0.0:  # of the two crossings the one with the larger y
        k = -k
    x = 0.5 * (ax + bx) - k * ey
    y = 0.5 * (ay + by) + k * ex
    m11, m12 = x - ax, y - ay
    m21, m22 = x - bx, y - by
    det = m11 * m22 - m12 * m21  # = +-2 sqrt(height gap / 4), not zero here
    d1 = l * (m12 * c1 - m11 * s1)
    d2 = l * (m22 * c2 - m21 * s2)
    out[0], out[1] = x, y
    out[2], out[3] = m22 * d1 / det, -m12 * d2 / det
    out[4], out[5] = -m21 * d1 / det, m11 * d2 / det
    out[6] = min(abs(det) / (L * L), abs(d1) / (l * L), abs(d2) / (l * L))
    return True


@kernel
def force_to_torque(fx, fy, limit, jacobian, out):
    """out <- torque 1, torque 2, force x, force y: both torques within the limit, the force's direction kept."""
    t1 = jacobian[2] * fx + jacobian[4] * fy
    t2 = jacobian[3] * fx + jacobian[5] * fy
    largest = max(abs(t1), abs(t2))
    scale = 1.0
    if not largest <= limit:
        scale = limit / largest if largest < math.inf else 0.0
    out[0], out[1], out[2], out[3] = scale * t1, scale * t2, scale * fx, scale * fy
