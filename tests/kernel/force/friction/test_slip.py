"""The implicit equation of sliding friction against a plain search for its smallest root."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.kernel.force.friction.slip import slip_force, slip_speed

pytestmark = pytest.mark.kernel


def phi(s: float, F_c: float, F_s: float, v_s: float, delta: int, viscosity: float) -> float:
    return F_c + (F_s - F_c) * math.exp(-((s / v_s) ** delta)) + viscosity * s


def smallest_root(norm: float, D: float, law: tuple) -> float:
    """h(0) < 0; the first sign change on a fine grid, then bisection."""
    grid = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 20_000)]) * norm / D
    F_c, F_s, v_s, delta, viscosity = law
    h = D * grid + F_c + (F_s - F_c) * np.exp(-((grid / v_s) ** delta)) + viscosity * grid - norm
    i = int(np.argmax(h >= 0.0))
    low, high = grid[i - 1], grid[i]
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if D * middle + phi(middle, *law) < norm else (low, middle)
    return high


laws = st.tuples(
    st.floats(0.1, 5.0),
    st.floats(1.01, 4.0),
    st.floats(1e-3, 1.0),
    st.sampled_from([1, 2]),
    st.sampled_from([0.0, 2.0]),
)


@given(law=laws, D=st.floats(0.1, 100.0), excess=st.floats(1e-3, 10.0))
def test_speed_is_the_smallest_root(law: tuple, D: float, excess: float) -> None:
    F_c, rise, v_s, delta, viscosity = law
    law = (F_c, F_c * rise, v_s, delta, viscosity)
    norm = law[1] * (1.0 + excess)
    s = slip_speed(norm, D, *law)
    assert D * s + phi(s, *law) == pytest.approx(norm, rel=1e-9)
    # next to a fold the root itself is ill-conditioned: there it may lie a little beside the searched one
    assert s <= smallest_root(norm, D, law) * (1.0 + 1e-4) + 1e-12


@pytest.mark.parametrize("delta", [1, 2])
def test_steep_curves_with_three_roots_give_the_first(delta: int) -> None:
    law = (1.0, 3.0, 0.01, delta, 0.0)
    D, norm = 60.0, 3.05  # 60 x falls below the drop: the line meets the curve three times for delta 2
    assert slip_speed(norm, D, *law) == pytest.approx(smallest_root(norm, D, law), rel=1e-6)


def test_coulomb_is_closed_form() -> None:
    assert slip_force(10.0, 5.0, 4.0, 4.0, 1.0, 1, 0.0) == 4.0
    assert slip_force(10.0, 5.0, 4.0, 4.0, 1.0, 1, 1.0) == pytest.approx(4.0 + 1.0)  # s = (10 - 4) / (5 + 1)
    assert slip_force(4.0, 5.0, 4.0, 4.0, 1.0, 1, 0.0) <= 4.0
