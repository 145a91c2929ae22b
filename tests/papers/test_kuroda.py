"""The experiments of Kuroda 2002 on friction (C1, C2), on the runs that `hapticd experiment` draws."""

import numpy as np
import pytest

from hapticd.experiment import sliding, static_friction

pytestmark = pytest.mark.paper


@pytest.mark.parametrize("v0", sliding.SPEEDS)
def test_c1_the_track_follows_the_parabola_and_the_error_shrinks(v0):
    errors = []
    for rate in sliding.RATES:
        rows = sliding.slide(v0, rate)
        errors.append(np.abs(rows[:, 1] - sliding.theory(v0, rows[:, 0])).max())
        assert abs(rows[-1, 1] - v0**2 / 9.8) < 0.8 * v0 / rate  # under one step's travel at the start
        assert abs(rows[-1, 1] - rows[-rate // 2, 1]) < 0.02, "stopped half a second after it should"
    assert errors[0] > 1.4 * errors[1] and errors[1] > 1.4 * errors[2]


@pytest.mark.parametrize("rate", static_friction.RATES)
def test_c2_static_up_to_485_and_dynamic_from_495(rate):
    """The paper's own simulator slipped at 4.41 N; the theory's 4.9 N is neutral and left out."""
    for force in static_friction.FORCES:
        far = static_friction.moved(force, rate)
        assert (abs(far) < static_friction.MOVED) == (force < 4.9), (force, far)
