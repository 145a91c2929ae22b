"""A wrench to string tensions: strings only pull, each between its least and its largest tension.

Gets the rows a_i of `string_kinematics` and the wrench that the guard passed, gives tensions to the driver's encode and
the wrench that they really make. The heart is a box-constrained quadratic programme

    min  1/2 |sum_i t_i a_i - wrench|^2_W + s/2 |t|^2,   low_i <= t_i <= high_i,   W = diag(1 1 1 r r r)

by a primal active set with warm start (Akahane 2002 solves the same; Springhead's s = 0.3 renders no torque at all,
ours is 1e-6, and r = 1/knot radius^2 makes newton and newton metre comparable). What the strings cannot make is scaled
down with its direction kept: the wrenches that they can make form a convex body, and each tangent plane where the
nearest wrench touches it cuts the wanted ray (Newton's method on a polytope: a few cuts end it).

`workspace_margin` says how well a pose can be held: the largest mu such that zero wrench is possible with every tension
between mu and 1 (in units of its largest). It is near 1 at home and falls to 0 where the strings cannot hold the grip.
"""

import math

from hapticd.kernel._jit import kernel

from .small_matrix import factor, solve

SMOOTH = 1e-6  # s: the share of a wrench that is given up for lower tensions
MULTIPLIER = 1e-12  # a bound whose multiplier is above minus this stays: rounding of sums of some 20 N times 8
PASSES = 64  # of the active set; 3-8 are usual from a warm start, and every pass leaves tensions inside their bounds
CUTS = 8  # tangent planes tried for one ray; 2-3 are usual
LARGEST = 1e6  # N or Nm: a wrench with more, or with NaN, is taken as none
MISSED = 1e-3  # share of the wrench that may be missed before it counts as out of reach

# Rows of the scratch array (WORK_ROWS, n).
LOW = 0
HIGH = 1
LINEAR = 2  # c_i = a_i W wrench
STEP = 3
GRADIENT = 4
BOUND = 5  # -1 at the low bound, +1 at the high one, 0 free
WORK_ROWS = 6


@kernel
def quadratic(A, n_dof, torque_weight, smooth, Q):
    """Q_ij = a_i W a_j + s delta_ij."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = A[i, 0] * A[j, 0] + A[i, 1] * A[j, 1] + A[i, 2] * A[j, 2]
            if n_dof == 6:
                s += torque_weight * (A[i, 3] * A[j, 3] + A[i, 4] * A[j, 4] + A[i, 5] * A[j, 5])
            Q[i, j] = s
            Q[j, i] = s
        Q[i, i] += smooth


@kernel
def linear(A, n_dof, torque_weight, wrench, scale, work):
    """c = scale * A W wrench."""
    for i in range(A.shape[0]):
        s = A[i, 0] * wrench[0] + A[i, 1] * wrench[1] + A[i, 2] * wrench[2]
        if n_dof == 6:
            s += torque_weight * (A[i, 3] * wrench[3] + A[i, 4] * wrench[4] + A[i, 5] * wrench[5])
        work[LINEAR, i] = scale * s


@kernel
def box_minimum(Q, work, L, t):
    """The minimum of 1/2 t Q t - c t in the box, from any t; returns the passes used, PASSES if it gave up early."""
    n = t.shape[0]
    for i in range(n):
        work[BOUND, i] = 0.0
        if not t[i] > work[LOW, i]:
            t[i] = work[LOW, i]
            work[BOUND, i] = -1.0
        elif not t[i] < work[HIGH, i]:
            t[i] = work[HIGH, i]
            work[BOUND, i] = 1.0
    for k in range(PASSES):
        free_minimum(Q, work, L, t)
        if step_to_bound(work, t):
            continue
        if not release_worst(Q, work, t):
            return k + 1
    return PASSES


@kernel
def free_minimum(Q, work, L, t):
    """STEP <- where the free tensions would be best, the others held."""
    n = t.shape[0]
    m = 0
    x = work[STEP]
    for i in range(n):
        if work[BOUND, i] != 0.0:
            continue
        x[m] = work[LINEAR, i]
        r = 0
        for j in range(n):
            if work[BOUND, j] != 0.0:
                x[m] -= Q[i, j] * t[j]
            elif j <= i:
                L[m, r] = Q[i, j]
                r += 1
        m += 1
    if m > 0 and factor(L, m):
        solve(L, m, x)
    else:
        for i in range(m):  # Q is positive definite, so only m = 0 comes here; NaN rows leave t alone
            x[i] = math.nan


@kernel
def step_to_bound(work, t):
    """Go towards STEP; at the first bound in the way stop there, hold it and say True."""
    m = 0
    share = 1.0
    hit = -1
    side = 0.0
    for i in range(t.shape[0]):
        if work[BOUND, i] != 0.0:
            continue
        x = work[STEP, m]
        m += 1
        if x < work[LOW, i] and (work[LOW, i] - t[i]) > share * (x - t[i]):
            share = (work[LOW, i] - t[i]) / (x - t[i])
            hit = i
            side = -1.0
        elif x > work[HIGH, i] and (work[HIGH, i] - t[i]) < share * (x - t[i]):
            share = (work[HIGH, i] - t[i]) / (x - t[i])
            hit = i
            side = 1.0
    m = 0
    for i in range(t.shape[0]):
        if work[BOUND, i] != 0.0:
            continue
        x = work[STEP, m]
        m += 1
        if x - x == 0.0:  # neither NaN nor infinite
            t[i] = min(max(t[i] + share * (x - t[i]), work[LOW, i]), work[HIGH, i])
    if hit < 0:
        return False
    t[hit] = work[LOW, hit] if side < 0.0 else work[HIGH, hit]
    work[BOUND, hit] = side
    return True


@kernel
def release_worst(Q, work, t):
    """Free the held tension that most wants to leave its bound; False when none does: t is the minimum."""
    worst = MULTIPLIER
    which = -1
    for i in range(t.shape[0]):
        if work[BOUND, i] == 0.0:
            continue
        g = -work[LINEAR, i]
        for j in range(t.shape[0]):
            g += Q[i, j] * t[j]
        pull = g * work[BOUND, i]
        if pull > worst and work[HIGH, i] > work[LOW, i]:
            worst = pull
            which = i
    if which < 0:
        return False
    work[BOUND, which] = 0.0
    return True


@kernel
def rendered_wrench(A, n_dof, t, out):
    """sum_i t_i a_i."""
    for r in range(6):
        s = 0.0
        if r < n_dof:
            for i in range(A.shape[0]):
                s += t[i] * A[i, r]
        out[r] = s


@kernel
def solve_tension(A, n_dof, torque_weight, Q, wrench, work, L, t, rendered):
    """Tensions for as much of the wrench as the strings can make; bounds in work[LOW], work[HIGH].

    Returns the share rendered, 1 when all of it; 0 also where not even zero wrench is possible (t then makes the wrench
    nearest to zero). `rendered` is what t makes.
    """
    scale = 1.0
    for r in range(6):
        if not abs(wrench[r]) < LARGEST:
            work[LINEAR, :] = 0.0
            box_minimum(Q, work, L, t)
            rendered_wrench(A, n_dof, t, rendered)
            return 0.0
    size = weighted(n_dof, torque_weight, wrench, wrench)
    for _ in range(CUTS):
        linear(A, n_dof, torque_weight, wrench, scale, work)
        box_minimum(Q, work, L, t)
        rendered_wrench(A, n_dof, t, rendered)
        # the plane through `rendered` with the normal `miss` has all possible wrenches on its near side
        miss_wrench = 0.0
        miss_rendered = 0.0
        miss = 0.0
        for r in range(n_dof):
            weight = torque_weight if r > 2 else 1.0
            m = weight * (scale * wrench[r] - rendered[r])
            miss_wrench += m * wrench[r]
            miss_rendered += m * rendered[r]
            miss += m * m / weight
        if miss <= MISSED * MISSED * size * scale * scale or scale <= 0.0:
            return scale
        if miss_wrench <= 0.0:  # the ray leaves the body of possible wrenches as it grows: zero is the best
            scale = 0.0
        else:
            scale = min(max(miss_rendered / miss_wrench, 0.0), scale)
    return scale


@kernel
def weighted(n_dof, torque_weight, a, b):
    s = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if n_dof == 6:
        s += torque_weight * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
    return s


@kernel
def workspace_margin(A, n_dof, torque_weight, Q, enough, work, L, t, rendered):
    """The largest mu up to `enough` with zero wrench possible for all tensions in [mu, 1]; 0 where there is none."""
    n = A.shape[0]
    mu = enough
    for i in range(n):
        work[HIGH, i] = 1.0
        work[LINEAR, i] = 0.0
    for _ in range(CUTS):
        for i in range(n):
            work[LOW, i] = mu
        box_minimum(Q, work, L, t)
        rendered_wrench(A, n_dof, t, rendered)
        if weighted(n_dof, torque_weight, rendered, rendered) <= MISSED * MISSED or mu <= 0.0:
            return mu
        # In the direction g = -W rendered the box [mu, 1] reaches up + mu down; it must reach zero.
        up = 0.0
        down = 0.0
        for i in range(n):
            g = 0.0
            for r in range(n_dof):
                g -= (torque_weight if r > 2 else 1.0) * rendered[r] * A[i, r]
            if g > 0.0:
                up += g
            else:
                down += g
        mu = min(max(up / -down, 0.0), mu) if down < 0.0 else 0.0
    return mu
