"""Cholesky factor and solve for the few-by-few matrices of the device kinematics.

Called by the pose and tension kernels in every tick; BLAS would allocate and pick code by CPU, so its bits differ.
"""

import math

from hapticd.kernel._jit import kernel


@kernel
def factor(M, n):
    """Lower Cholesky factor of the leading n x n block, in place; False where it is not positive definite."""
    for j in range(n):
        d = M[j, j]
        for k in range(j):
            d -= M[j, k] * M[j, k]
        if not d > 0.0:
            return False
        d = math.sqrt(d)
        M[j, j] = d
        for i in range(j + 1, n):
            s = M[i, j]
            for k in range(j):
                s -= M[i, k] * M[j, k]
            M[i, j] = s / d
    return True


@kernel
def solve(L, n, b):
    """b <- (L L^T)^-1 b with the factor of `factor`."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, n):
            s -= L[k, i] * b[k]
        b[i] = s / L[i, i]
