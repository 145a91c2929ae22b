"""kernel/force/select.py: names and numbers agree, and every number is a law of its own."""

import numpy as np
import pytest

from hapticd.kernel.force import select
from tests.oracle.patch import block_on_floor

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("kind", ["SOLVERS", "FRICTIONS"])
def test_names_are_numbered_in_order(kind):
    for number, name in enumerate(getattr(select, kind)):
        assert getattr(select, "NO_FRICTION" if name == "none" else name.upper()) == number


def test_every_friction_law_answers_a_slide_and_a_spin_differently():
    answers = {}
    for name in select.FRICTIONS:
        patch = block_on_floor(1e-3, friction=name)
        for _ in range(3):
            patch.place(0, (0, 0, 0.049), velocity=(5e-4, 0, 0), omega=(0, 0, 0.01))
            patch.step()
        answers[name] = patch.on_a[0].copy()
    assert np.allclose(answers["none"][[0, 1, 3, 4, 5]], 0.0, atol=1e-15)
    assert len({tuple(np.round(answer, 9)) for answer in answers.values()}) >= 4
