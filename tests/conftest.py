"""What all tests share: how hard hypothesis tries, and the order."""

import hypothesis
import numba
import pytest

# Seeded, so that a failure is the same failure tomorrow; no deadline, because a shared machine has slow moments.
# Without the compiler a kernel is a hundred times slower.
hypothesis.settings.register_profile(
    "hapticd", derandomize=True, deadline=None, max_examples=10 if numba.config.DISABLE_JIT else 100, database=None
)
hypothesis.settings.load_profile("hapticd")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The quick tests first, then the papers' experiments, then the full-size sets."""
    items.sort(key=lambda item: ("paper" in item.keywords) + 2 * ("long" in item.keywords))
