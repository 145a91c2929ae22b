"""scene/schema.py: what one table alone can get wrong."""

import pytest

from hapticd.errors import SceneError
from hapticd.scene.file import load_scene

BOX = {"type": "box", "size": [1, 1, 1]}
MATERIAL = {"default": {"stiffness": 1e4, "damping": 10}}


def refuse(match, **tables):
    with pytest.raises(SceneError, match=match):
        load_scene({"material": MATERIAL, "body": [{"name": "a", "shape": BOX, "mass": 1.0}]} | tables)


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ({"name": "a", "shape": BOX}, "mass is missing"),
        ({"name": "a", "shape": BOX, "mass": 0}, "more than 0"),
        ({"name": "a", "shape": BOX, "mass": -1.0}, "more than 0"),
        ({"name": "a", "shape": BOX, "mass": float("nan")}, "finite"),
        ({"name": "a", "shape": BOX, "mass": 1, "density": 1}, "beside mass"),
        ({"name": "a", "mass": 1}, "shape is missing"),
        ({"name": "a", "shape": {"type": "ball"}, "mass": 1}, "allowed are"),
        ({"name": "a", "shape": {"type": "box", "size": [1, 0, 1]}, "mass": 1}, "more than 0"),
        ({"name": "a", "shape": BOX, "mass": 1, "q_xyzw": [0, 0, 0, 2]}, "length 1"),
        ({"name": "a", "shape": BOX, "mass": 1, "script": {"type": "steady", "velocity": [1, 0, 0]}}, "kinematic"),
        ({"name": "a", "shape": BOX, "mass": 1, "colour": [0, 0, 2]}, "0 to 1"),
        ({"name": "a", "shape": BOX, "mas": 1}, "did you mean 'mass'"),
    ],
)
def test_bad_bodies(body, match):
    refuse(match, body=[body])


def test_bad_material():
    refuse("mu_static", material={"default": {"stiffness": 1, "damping": 0, "mu": 0.5, "mu_static": 0.4}})
    refuse("stiffness is missing", material={"default": {"damping": 0}})


def test_unknown_laws():
    refuse("one of|allowed are", friction="coulomb")
    refuse("one of|allowed are", solver="impulse")
