"""The decorator's promise that no kernel can allocate: one that tries does not compile."""

import numpy as np
import pytest
from numba import config
from numba.core.errors import TypingError

from hapticd.kernel._jit import kernel

pytestmark = pytest.mark.kernel


def allocates(x):
    copy = np.empty(3)
    copy[0] = x[0]
    return copy[0]


def looks(x):
    part = x[1:3]
    part[0] += 1.0
    return part[0]


def test_a_kernel_that_allocates_does_not_compile() -> None:
    x = np.ones(3)
    if config.DISABLE_JIT:
        assert kernel(allocates) is allocates
        return
    with pytest.raises(TypingError):
        kernel(allocates)(x)


def test_a_view_is_no_allocation() -> None:
    x = np.ones(3)
    assert kernel(looks)(x) == 2.0
    assert x[1] == 2.0
