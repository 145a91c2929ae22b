"""Poses as rows of twelve numbers: turning vectors, and one body seen from another.

A pair is always worked out in the frame of one of its bodies: with positions of a kilometre and overlaps of a
micrometre, the difference of the positions is the only place where digits are lost, and there they are lost once.
"""

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.layout import POSITION


@kernel_inline
def turn(X, i, x, y, z):
    """R a: a vector of the frame in row i, seen from outside."""
    return (
        X[i, 0] * x + X[i, 1] * y + X[i, 2] * z,
        X[i, 3] * x + X[i, 4] * y + X[i, 5] * z,
        X[i, 6] * x + X[i, 7] * y + X[i, 8] * z,
    )


@kernel_inline
def turn_back(X, i, x, y, z):
    """R^T a: a vector from outside, seen from the frame in row i."""
    return (
        X[i, 0] * x + X[i, 3] * y + X[i, 6] * z,
        X[i, 1] * x + X[i, 4] * y + X[i, 7] * z,
        X[i, 2] * x + X[i, 5] * y + X[i, 8] * z,
    )


@kernel_inline
def write_relative(X, a, b, out, row):
    """Row `row` of out: the frame b seen from the frame a, R_a^T R_b and R_a^T (p_b - p_a)."""
    for k in range(3):
        x, y, z = turn_back(X, a, X[b, k], X[b, 3 + k], X[b, 6 + k])
        out[row, k], out[row, 3 + k], out[row, 6 + k] = x, y, z
    x = X[b, POSITION] - X[a, POSITION]
    y = X[b, POSITION + 1] - X[a, POSITION + 1]
    z = X[b, POSITION + 2] - X[a, POSITION + 2]
    x, y, z = turn_back(X, a, x, y, z)
    out[row, POSITION], out[row, POSITION + 1], out[row, POSITION + 2] = x, y, z
