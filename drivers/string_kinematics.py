"""Strings to pose and velocity: a grip that hangs on n strings, each wound up by a motor with an encoder.

Gets string lengths from the SPIDAR driver's decode, gives pose and twist in the device frame, and the rows that the
tension kernel needs. Six degrees of freedom (n >= 6 strings) or three (the grip's turn is then ignored).

    d_i = m_i - (R k_i + p),  L_i = |d_i|,  u_i = d_i / L_i,  w_i = (R k_i) x u_i,  a_i = [u_i w_i]
    pose:      (A^T A + sigma) delta = A^T (L - measured);  p += delta[:3], q <- turn(delta[3:]) q
    velocity:  dL_i/dt = -a_i . [v omega], least squares over all strings
    wrench:    sum_i t_i a_i, force and torque about the grip's origin

Source: the method of Springhead's HISpidarCalc, damped Gauss-Newton with a warm start from the last pose. With sigma =
1e-3 (Springhead) the rotation lags by 1.3 ms; 1e-6 converges in two steps. Not modelled: the string's way around the
pulley, and its stretch.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.vector import cross, turned

from .small_matrix import factor, solve

# Columns of a string row.
EXIT = 0  # 0..2, m_i, where the string leaves the frame, m
KNOT = 3  # 3..5, k_i, where it is tied to the grip, in the grip's frame, m
PER_PULSE = 6  # m per encoder count, signed
TENSION_MIN = 7  # N
TENSION_MAX = 8  # N
STRING_SIZE = 9

# Columns of a pose row: position, then the unit quaternion.
POSE_Q = 3  # 3..6, x y z w
POSE_ROW = 7

PULL = 1e-6  # sigma, m2: below it a direction is not seen by the strings and is left where it was
LONGEST = 100.0  # m: a measured length beyond it is no length (NaN, infinity, a unit slip)
SHORTEST = 1e-4  # m: a string shorter than this has no direction; its row is taken as zero
STEP_TURN = 0.5  # rad, the most that one step turns the grip: `turned` is a series, good below one radian
STEP_MOVE = 0.05  # m, likewise; a first solve from home reaches every pose of a desktop device in a few steps
SETTLED = 1e-20  # squared step (m2 + rad2) after which nothing more would change
HALF_RIGHT_ANGLE = math.sqrt(0.5)  # sine and cosine of half of 90 degrees, the widest turn allowed


@kernel_inline
def rotated(q, x, y, z):
    """R(q) [x y z] for q = pose row from POSE_Q on."""
    tx, ty, tz = cross(q[3], q[4], q[5], x, y, z)
    tx, ty, tz = 2.0 * tx, 2.0 * ty, 2.0 * tz
    cx, cy, cz = cross(q[3], q[4], q[5], tx, ty, tz)
    return x + q[6] * tx + cx, y + q[6] * ty + cy, z + q[6] * tz + cz


@kernel
def string_rows(strings, pose, A, length):
    """Rows a_i and lengths L_i at a pose."""
    for i in range(strings.shape[0]):
        kx, ky, kz = rotated(pose, strings[i, KNOT], strings[i, KNOT + 1], strings[i, KNOT + 2])
        dx = strings[i, EXIT] - kx - pose[0]
        dy = strings[i, EXIT + 1] - ky - pose[1]
        dz = strings[i, EXIT + 2] - kz - pose[2]
        length[i] = math.sqrt(dx * dx + dy * dy + dz * dz)
        scale = 1.0 / length[i] if length[i] > SHORTEST else 0.0
        ux, uy, uz = dx * scale, dy * scale, dz * scale
        A[i, 0], A[i, 1], A[i, 2] = ux, uy, uz
        A[i, 3], A[i, 4], A[i, 5] = cross(kx, ky, kz, ux, uy, uz)


@kernel
def normal_matrix(A, n_dof, sigma, N):
    """N <- factor of A^T A + sigma; sigma > 0 makes it positive definite."""
    for r in range(n_dof):
        for c in range(r + 1):
            s = sigma if r == c else 0.0
            for i in range(A.shape[0]):
                s += A[i, r] * A[i, c]
            N[r, c] = s
    return factor(N, n_dof)


@kernel
def pose_step(strings, measured, n_dof, sigma, pose, A, length, N, delta):
    """One damped Gauss-Newton step; returns the squared step, or -1 where the lengths are not numbers."""
    string_rows(strings, pose, A, length)
    for r in range(6):
        delta[r] = 0.0
    for i in range(strings.shape[0]):
        error = length[i] - measured[i]
        for r in range(n_dof):
            delta[r] += A[i, r] * error
    if not normal_matrix(A, n_dof, sigma, N):
        return -1.0
    solve(N, n_dof, delta)
    move = math.sqrt(delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2])
    turn = math.sqrt(delta[3] * delta[3] + delta[4] * delta[4] + delta[5] * delta[5])
    if not move + turn < math.inf:
        return -1.0
    scale = 1.0
    if move > STEP_MOVE:
        scale = STEP_MOVE / move
    if turn * scale > STEP_TURN:
        scale = STEP_TURN / turn
    for r in range(3):
        pose[r] += scale * delta[r]
    pose[3], pose[4], pose[5], pose[6] = turned(
        pose[3], pose[4], pose[5], pose[6], scale * delta[3], scale * delta[4], scale * delta[5]
    )
    keep_right_angle(pose)
    return move * move + turn * turn


@kernel
def keep_right_angle(pose):
    """A grip turned by more than 90 degrees has twisted strings: the turn is held there, its axis kept."""
    if pose[6] < 0.0:
        pose[3], pose[4], pose[5], pose[6] = -pose[3], -pose[4], -pose[5], -pose[6]
    if pose[6] < HALF_RIGHT_ANGLE:
        # w < cos 45, so the vector part is longer than sin 45: the division is safe
        scale = HALF_RIGHT_ANGLE / math.sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5])
        pose[3], pose[4], pose[5], pose[6] = pose[3] * scale, pose[4] * scale, pose[5] * scale, HALF_RIGHT_ANGLE


@kernel
def solve_pose(strings, measured, n_dof, sigma, n_steps, pose, A, length, N, delta):
    """At most n_steps steps from the pose given; pose, A, length and N are those of the result.

    Returns the residual sqrt(sum (L_i - measured_i)^2) in m: what n strings say against each other beyond n_dof. A
    result below zero: the lengths were not numbers, and the pose is not to be used.
    """
    for i in range(strings.shape[0]):
        if not abs(measured[i]) < LONGEST:
            return -1.0
    for _ in range(n_steps):
        step = pose_step(strings, measured, n_dof, sigma, pose, A, length, N, delta)
        if step < 0.0:
            return -1.0
        if step < SETTLED:
            break
    string_rows(strings, pose, A, length)
    if not normal_matrix(A, n_dof, sigma, N):
        return -1.0
    residual = 0.0
    for i in range(strings.shape[0]):
        residual += (length[i] - measured[i]) * (length[i] - measured[i])
    return math.sqrt(residual)


@kernel
def twist(A, N, n_dof, length_rate, out):
    """Velocity (3) and angular velocity (3) that fit the rates of the lengths best; N as left by `solve_pose`."""
    for r in range(6):
        out[r] = 0.0
    for i in range(A.shape[0]):
        for r in range(n_dof):
            out[r] -= A[i, r] * length_rate[i]
    solve(N, n_dof, out)
