"""scene/energy.py by hand."""

import numpy as np
import pytest

import hapticd

MATERIAL = {"default": {"stiffness": 1000, "damping": 0, "stick_stiffness": 400, "stick_damping": 0}}


def test_kinetic_gravity_and_momenta_of_a_free_body():
    body = {
        "name": "a", "shape": {"type": "box", "size": [1, 1, 1]}, "mass": 2.0, "position": [0, 3, 5],
        "velocity": [1, 0, 0], "angular_velocity": [0, 0, 6],
    }  # fmt: skip
    sim = hapticd.Simulation(hapticd.load_scene({"material": MATERIAL, "body": [body]}))
    energy = sim.energy()
    assert energy.kinetic == pytest.approx(0.5 * 2 + 0.5 * (2 / 6) * 36)
    assert energy.gravity == pytest.approx(2 * 9.8 * 5)
    assert np.allclose(sim.momentum, (2, 0, 0))
    assert np.allclose(sim.angular_momentum, (0, 2 * 5, 2 * (0 - 3) + 2.0))


@pytest.mark.parametrize("tiles", [1, 4])
@pytest.mark.parametrize("friction", ["coulomb_area", "kikuuwe", "maxwell_slip"])
def test_springs_hold_the_work_done_on_them(friction, tiles):
    """A kinematic block pressed 2 mm deep and 0.1 mm sideways into a floor that cannot move, of one part or four."""
    size, places = [4.0 / tiles, 4, 1], [4.0 * (i + 0.5) / tiles - 2.0 for i in range(tiles)]
    parts = [{"type": "box", "size": size, "position": [x, 0, -0.5]} for x in places]
    floor = {"name": "floor", "kind": "static", "parts": parts}
    block = {
        "name": "hand", "kind": "pointer", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [0, 0, 0.4999],
    }  # fmt: skip
    table = {"material": MATERIAL, "body": [floor, block], "pointer_friction": friction}
    sim = hapticd.Simulation(hapticd.load_scene(table))
    for i in range(200):
        sim.set_pointer((0, 0, 0.4999 - 1e-5 * i), velocity=(0, 0, -0.01))
        sim.step()
    for i in range(100):
        sim.set_pointer((1e-6 * (i + 1), 0, 0.4999 - 199e-5), velocity=(1e-3, 0, 0))
        sim.step()
    energy = sim.energy()
    assert energy.normal == pytest.approx(0.5 * 1000 * (1e-4 + 199e-5) ** 2, rel=1e-6)
    # across the seam the two areas change while it is stretched
    assert energy.stick == pytest.approx(0.5 * 400 * 1e-4**2, rel=1e-6 if tiles == 1 else 5e-3)
