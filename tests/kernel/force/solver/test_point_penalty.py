"""kernel/force/solver/point_penalty.py: one spring, at the deepest corner."""

import numpy as np
import pytest

from tests.kernel.force.solver.test_volume_penalty import tilted
from tests.oracle.patch import block_on_floor

pytestmark = pytest.mark.kernel


def test_the_whole_force_is_at_the_deepest_edge():
    tilt = 0.01
    patch = block_on_floor(1e-3, friction="none", solver="point_penalty")
    patch.step(tilted(tilt))
    edge = tilted(tilt) @ (0.1, 0, -0.05) + (0, 0, 0.049)
    depth = -edge[2]
    assert patch.wrench[0, 2] == pytest.approx(2000.0 * depth, rel=0.02)
    arm = -patch.wrench[0, 4] / patch.wrench[0, 2]
    assert arm == pytest.approx(edge[0], rel=0.02)


def test_where_it_acts_jumps_when_the_tilt_changes_sign():
    """What the contact volume is there to cure."""
    arms = []
    for tilt in (-1e-6, 1e-6):
        patch = block_on_floor(1e-3, friction="none", solver="point_penalty")
        patch.step(tilted(tilt))
        arms.append(-patch.wrench[0, 4] / patch.wrench[0, 2])
    assert arms[1] - arms[0] == pytest.approx(0.2, rel=1e-3)
    smooth = []
    for tilt in (-1e-6, 1e-6):
        patch = block_on_floor(1e-3, friction="none")
        patch.step(tilted(tilt))
        smooth.append(-patch.wrench[0, 4] / patch.wrench[0, 2])
    assert np.ptp(smooth) < 1e-3
