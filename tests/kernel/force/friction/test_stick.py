"""kernel/force/friction/stick.py against the vector formulas."""

import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.force.friction.stick import carried_stretch, pressure_velocity, stick_gains

pytestmark = pytest.mark.kernel


def test_gains_follow_the_spread_area():
    contact, gain = np.zeros((2, k.CONTACT_SIZE)), np.zeros((2, k.GAIN_SIZE))
    contact[1, k.AREA], gain[1, k.GAIN_STICK_STIFFNESS], gain[1, k.GAIN_STICK_DAMPING] = 0.25, 800.0, 3.0
    assert stick_gains(contact, 1, gain, 1, 4.0) == (800.0, 3.0)  # per contact: spread is 1 / area
    assert stick_gains(contact, 1, gain, 1, 1.0) == (200.0, 0.75)


def test_velocity_is_that_of_the_centre_of_pressure():
    v, w, d = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, -3.0]), np.array([0.05, 0.01, -0.02])
    found = pressure_velocity((*v, *w, 0.0, 0.0, 0.0, 0.0), (7.0, *d))
    assert found == pytest.approx(v + np.cross(w, d), abs=1e-15)


def test_stretch_turns_with_the_pair_and_is_kept_in_part():
    contact, law = np.zeros((1, k.CONTACT_SIZE)), np.zeros((1, k.LAW_SIZE))
    contact[0, k.NORMAL + 2] = law[0, k.LAW_NORMAL + 2] = 1.0
    law[0, k.LAW_BANK : k.LAW_BANK + 4] = [2e-4, 0.0, 0.0, 9.0]
    turn, dt = 0.02, 1e-3
    motion = (0.0,) * 6 + (turn / dt, 0.0, 0.0, 0.0)
    x, y, z = carried_stretch(contact, law, 0, k.LAW_BANK, motion, dt, 0.5)
    assert (x, y, z) == pytest.approx((1e-4 * np.cos(turn), 1e-4 * np.sin(turn), 0.0), abs=1e-4 * turn**3)
    assert np.hypot(x, y) == pytest.approx(1e-4, rel=1e-12)
