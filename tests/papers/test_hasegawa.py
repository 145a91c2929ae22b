"""The experiments of Hasegawa, Fujii, Akahane, Koike and Sato 2003 (A1-A5), on the runs of `hapticd experiment`."""

import numpy as np
import pytest

import hapticd
from hapticd.experiment import cube_drop, face_friction, manipulation, spinning_top, tower
from hapticd.experiment.scene import shipped

pytestmark = pytest.mark.paper


@pytest.mark.parametrize(("name", "dt"), [("tower13", 1e-3), ("tower6", 1e-3), ("pyramid", 1e-3), ("pyramid", 5e-3)])
def test_a1_stacks_stand_for_ten_seconds(name, dt):
    """Reading: Fig. 9's arrangement is not in the text; single file at 1 ms, pyramid at 1 and 5 ms. Drift, the springs'
    giving way included, stays under 1 % of a block's size (1 m), and at the end nothing moves."""
    sim = hapticd.Simulation(hapticd.load_scene(shipped(name)), dt=dt)
    start = np.array([body.position for body in sim.bodies])
    sim.step(round(10.0 / dt))
    drift = np.array([body.position for body in sim.bodies]) - start
    assert np.linalg.norm(drift, axis=1).max() < 0.01
    assert max(np.abs(body.velocity).max() for body in sim.bodies) < 1e-3


def test_a1_a_point_penalty_falls_or_never_rests_at_5_ms():
    """Over the same grid of gains, whatever it holds; the contact volume holds at least one, points none."""
    volume = [tower.stands("pyramid", 5e-3, "volume_penalty", gains)[0] for gains in tower.GRID]
    point = [tower.stands("pyramid", 5e-3, "point_penalty", gains)[0] for gains in tower.GRID]
    assert sum(volume) > sum(point) == 0


def test_a2_the_cube_settles_and_stays_settled():
    """Reading: K and B per contact. The paper's 0.7 s is not asserted: it depends on friction gains that it does not
    give. What is: settled to 2 % well before the 2 s after which the point penalty still rocks, and for good."""
    track = cube_drop.momentum("volume_penalty")
    assert cube_drop.settling(track) < 1.6
    assert np.abs(track[300:]).max() < 1e-3 * np.abs(track).max()


def test_a2_points_go_on_rocking():
    track = cube_drop.momentum("point_penalty")
    assert np.abs(track[200:]).max() > 0.2 * np.abs(track[:200]).max()


def test_a3_blocks_are_pushed_toppled_and_lifted():
    figures = manipulation.run().figures
    assert 0.05 < figures["pushed, m"] < 0.06  # the hand's face went 55 mm beyond the block's
    assert figures["push force, N"] > 0.5 * 0.1 * 9.8
    assert figures["toppled: cosine of its axis"] < 0.5
    assert figures["lifted, m"] > 0.06
    assert figures["friction torque while turning against the face, Nm"] > 0.005


def test_a4_the_top_precesses_falls_and_rests():
    rows = spinning_top.upright()
    turned = np.unwrap(rows[:, 2])
    fallen = int(np.flatnonzero(rows[:, 1] > 0.6)[0])
    assert abs(turned[fallen] - turned[0]) > 2 * np.pi, "precession"
    rolled = np.flatnonzero(rows[:, 3] > 0.5)
    assert rolled[-1] > fallen + 50, "it rolls on after the fall"
    assert rows[-1, 3] < 1e-3, "rest"


def test_a4_with_friction_at_a_point_it_keeps_circling():
    assert spinning_top.lying("coulomb_area")[-1, 3] < 0.05
    assert spinning_top.lying("coulomb_point")[-1, 3] > 2.0


@pytest.mark.parametrize("law", ["coulomb_area", "kikuuwe", "maxwell_slip"])
def test_a5_friction_over_a_face_stops_slide_and_spin(law):
    rows = face_friction.track(law)
    assert abs(rows[-1, 2]) < 1e-3 and rows[-1, 1] < 1e-3


def test_a5_friction_at_a_point_does_not_stop_the_spin():
    assert face_friction.track("coulomb_point")[-1, 2] > 5.0


def test_a5_the_wrench_is_the_integral_of_the_coulomb_law():
    """coulomb_area in mid-slide against a brute-force integral with even pressure: the block is 10 mm low, so that
    friction hardly tips it."""
    for velocity, spin in ((1.0, 15.0), (0.3, 15.0), (2.0, 2.0)):
        rows = face_friction.track("coulomb_area", velocity, spin, 0.05, height=0.01)
        _, speed, turn, force, torque = rows[-1]
        fx, fy, fz = _square_integral(speed, turn)
        assert force == pytest.approx(0.4 * 9.8 * np.hypot(fx, fy), rel=0.02, abs=0.02)
        assert torque == pytest.approx(0.4 * 9.8 * fz, rel=0.02, abs=0.005)


def _square_integral(speed, turn, side=0.3, n=400):
    u = ((np.arange(n) + 0.5) / n - 0.5) * side
    x, y = np.meshgrid(u, u)
    vx, vy = speed - turn * y, turn * x
    size = np.hypot(vx, vy)
    return -(vx / size).mean(), -(vy / size).mean(), -((x * vy - y * vx) / size).mean()
