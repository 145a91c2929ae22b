"""What all tests share: how hard hypothesis tries, and the order."""

import hypothesis
import numba
import numpy as np
import pytest

# Seeded, so that a failure is the same failure tomorrow; no deadline, because a shared machine has slow moments.
# Without the compiler a kernel is a hundred times slower.
hypothesis.settings.register_profile(
    "hapticd", derandomize=True, deadline=None, max_examples=10 if numba.config.DISABLE_JIT else 100, database=None
)
hypothesis.settings.load_profile("hapticd")

if numba.config.DISABLE_JIT:
    # Compiled kernels compute with infinities and NaN in silence; numpy's numbers warn, and warnings are errors here.
    np.seterr(all="ignore")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The quick tests first, then the papers' experiments, then the full-size sets."""
    items.sort(key=lambda item: ("paper" in item.keywords) + 2 * ("long" in item.keywords))
