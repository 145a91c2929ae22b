"""scene/plan.py: centre of mass, inertia, frames."""

import numpy as np
import pytest
import trimesh

from hapticd.errors import SceneError
from hapticd.scene.decompose import decompose
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


def test_a_decomposed_mesh_is_a_body_of_its_parts(tmp_path):
    """An L of two boxes; without `decomposed` its dent is refused, with `hull` it is filled."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    rings = [np.pad(outline, ((0, 0), (0, 1)), constant_values=z) for z in (0.0, 1.0)]
    cap = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]])
    sides = [[i, (i + 1) % 6, 6 + (i + 1) % 6] for i in range(6)] + [[i, 6 + (i + 1) % 6, 6 + i] for i in range(6)]
    path = tmp_path / "bracket.obj"
    trimesh.Trimesh(np.vstack(rings), [*cap[:, ::-1].tolist(), *(cap + 6).tolist(), *sides], process=False).export(path)
    mesh = {"type": "mesh", "file": str(path)}
    with pytest.raises(SceneError, match="a: "):
        planned(shape=mesh)
    with pytest.raises(SceneError, match="decompose"):
        planned(shape=mesh | {"decomposed": True})
    decompose(path)
    body = planned(shape=mesh | {"decomposed": True, "scale": 0.5})
    assert len(body.parts) == 2
    assert -body.origin == pytest.approx([5 / 12, 5 / 12, 0.25], abs=1e-3)
    assert planned(shape=mesh | {"hull": True}).parts[0].volume == pytest.approx(3.5, rel=1e-6)
