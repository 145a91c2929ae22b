"""How many blocks of memory numba's run time hands out while something runs."""

from collections.abc import Callable

import numba
import numpy as np
from numba.core.runtime import _nrt_python, rtsys


def allocations(call: Callable[[], object]) -> int:
    """Compile before: the first call of a kernel allocates for itself."""
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        call()
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    return int(after.alloc - before.alloc + after.mi_alloc - before.mi_alloc)


@numba.njit
def one_array(n):
    """What a kernel must not do: to show that `allocations` sees it."""
    return np.ones(n).sum()
