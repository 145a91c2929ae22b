"""The volume that two convex polyhedra share, by half-spaces and Qhull in floats: independent of the rest, and quick.

Qhull's HalfspaceIntersection needs a point inside and trusts it; a thin overlap makes its dual points as long as the
solid is thin. So the point is the analytic centre of the planes, found by Newton steps, and the solid is stretched
by the ellipsoid that Newton's matrix gives: then every plane is about one away, whatever the solid is like.
"""

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection

ROUNDING = 16 * np.finfo(float).eps  # of the smaller solid: a thinner overlap is rounding of the planes themselves


def shared_volume(planes_a: np.ndarray, planes_b: np.ndarray, R_AB: np.ndarray, t_AB: np.ndarray) -> float:
    """Planes (m, 4) with n . x <= d, each in its own frame; x_A = R_AB x_B + t_AB. 0.0 when apart or touching."""
    a, b = planes_a.copy(), planes_b.copy()
    b[:, :3] = planes_b[:, :3] @ np.asarray(R_AB, float).T
    size_a, size_b = np.abs(a[:, 3]).max(), np.abs(b[:, 3]).max()
    # The origin goes to the smaller solid, where all numbers that matter are small.
    if size_b < size_a:
        a[:, 3] -= a[:, :3] @ np.asarray(t_AB, float)
    else:
        b[:, 3] += b[:, :3] @ np.asarray(t_AB, float)
    return planes_volume(np.vstack([a, b]), min(size_a, size_b))


def planes_volume(planes: np.ndarray, size: float) -> float:
    """Volume of the bounded set n . x <= d, of which at least a part is of the given size and near the origin."""
    inside = inner_point(planes, ROUNDING * size)
    centre = None if inside is None else analytic_centre(planes, inside)
    if centre is None:
        return 0.0
    slack = planes[:, 3] - planes[:, :3] @ centre
    rows = planes[:, :3] / slack[:, None]
    stretch = np.linalg.inv(
        np.linalg.qr(rows, mode="r")
    )  # x = centre + stretch y: a plane becomes row . stretch y <= 1
    halfspaces = np.column_stack([rows @ stretch, -np.ones(len(rows))])
    corners = HalfspaceIntersection(halfspaces, np.zeros(3)).intersections
    volume = ConvexHull(corners[np.isfinite(corners).all(axis=1)]).volume
    return float(volume * abs(np.linalg.det(stretch)))


def inner_point(planes: np.ndarray, thinnest: float) -> np.ndarray | None:
    """A point inside all planes by more than `thinnest`, or None: push the worst violation down along a barrier."""
    n, d = planes[:, :3], planes[:, 3]
    unknown = np.array(
        [0.0, 0.0, 0.0, 2 * np.abs(d).max()]
    )  # x, and the margin t by which every plane is moved outwards
    rows = np.column_stack([n, -np.ones(len(n))])
    weight = 1.0 / unknown[3]
    while True:
        # min weight t - sum log(d + t - n . x); the best t lies at most m / weight below what this gives
        centred = _centred(rows, d, unknown, weight)
        if centred is None or centred[3] - len(d) / weight > -thinnest:
            return None
        if centred[3] < -thinnest:
            return centred[:3]
        unknown = centred
        weight *= 20.0


def analytic_centre(planes: np.ndarray, inside: np.ndarray) -> np.ndarray | None:
    """Where the product of the distances to all planes is largest."""
    return _centred(planes[:, :3], planes[:, 3], inside, 0.0)


def _centred(rows: np.ndarray, limits: np.ndarray, start: np.ndarray, weight: float) -> np.ndarray | None:
    """Damped Newton steps on weight * last unknown - sum log(limits - rows . unknown); None: rounding leads outside.

    By QR, so that the condition of the matrix, which is the solid's thinness, is never squared.
    """
    x = start
    for _ in range(100):
        slack = limits - rows @ x
        if slack.min() <= 0.0:
            return None
        scaled = rows / slack[:, None]
        gradient = scaled.sum(axis=0)
        if weight:
            gradient[-1] += weight
        triangle = np.linalg.qr(scaled, mode="r")
        half = np.linalg.solve(triangle.T, gradient)
        step = -np.linalg.solve(triangle, half)
        decrement = float(np.linalg.norm(half))
        x = x + step / (1.0 + decrement if decrement > 0.25 else 1.0)
        if decrement < 1e-3:
            break
    return x if (limits - rows @ x).min() > 0.0 else None
