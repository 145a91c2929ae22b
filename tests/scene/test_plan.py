"""scene/plan.py: centre of mass, inertia, frames."""

import numpy as np
import pytest

from hapticd.scene.file import load_scene
from hapticd.scene.plan import plan, rotation


def planned(**body):
    table = {"material": {"default": {"stiffness": 1, "damping": 1}}, "body": [{"name": "a", "mass": 2.0} | body]}
    return plan(load_scene(table)).bodies[0]


def test_a_box():
    body = planned(shape={"type": "box", "size": [1, 2, 3]}, position=[1, 1, 1])
    assert np.allclose(body.inertia, np.diag([2 / 12 * 13, 2 / 12 * 10, 2 / 12 * 5]))
    assert np.allclose(body.position, 1.0) and np.allclose(body.origin, 0.0)


def test_parts_have_one_centre_of_mass_and_steiners_inertia():
    parts = [{"type": "box", "size": [1, 1, 1], "position": [x, 0, 0]} for x in (0.0, 2.0)]
    q = [0, 0, np.sin(0.4), np.cos(0.4)]
    body = planned(parts=parts, position=[5, 0, 0], q_xyzw=q)
    assert np.allclose(body.origin, (-1, 0, 0))
    assert np.allclose(body.position, (5, 0, 0) + rotation(q) @ (1, 0, 0))
    assert np.allclose(body.inertia, np.diag([1 / 3, 1 / 3 + 2, 1 / 3 + 2]))


def test_density():
    table = {
        "material": {"default": {"stiffness": 1, "damping": 1}},
        "body": [{"name": "a", "density": 3.0, "shape": {"type": "box", "size": [1, 1, 2]}}],
    }
    assert plan(load_scene(table)).bodies[0].mass == pytest.approx(6.0)


def test_what_forces_do_not_move_has_no_mass():
    assert planned(kind="static", shape={"type": "box", "size": [1, 1, 1]}).mass == 0.0
