"""scene/material.py: means, overrides, and the bound of the device."""

import pytest

from hapticd.scene.file import load_scene
from hapticd.scene.material import PointerLimit, coupling_gains, pair_gain, pointer_gain

BOX = {"type": "box", "size": [1, 1, 1]}


def scene(**tables):
    return load_scene(
        {
            "material": {
                "soft": {"stiffness": 1000, "damping": 1, "mu": 0.9},
                "hard": {"stiffness": 3000, "damping": 3, "mu": 0.4, "mu_static": 0.5, "stick_stiffness": 100},
            },
            "body": [{"name": "a", "shape": BOX, "mass": 1, "material": "soft"}],
        }
        | tables
    )


def test_a_material_with_itself_is_as_written():
    gain = pair_gain(scene(), "hard", "hard")
    assert (gain.stiffness, gain.damping, gain.stick_stiffness, gain.stick_damping) == (3000, 3, 100, 1.5)
    assert (gain.mu, gain.mu_static, gain.friction) == (pytest.approx(0.4), pytest.approx(0.5), "coulomb_area")


def test_two_materials_mean():
    gain = pair_gain(scene(), "hard", "soft")
    assert gain == pair_gain(scene(), "soft", "hard")
    assert gain.stiffness == pytest.approx(1500) and gain.mu == pytest.approx(0.6)


def test_a_pair_overrides_what_it_names():
    pair = {"materials": ["soft", "hard"], "mu": 0.1, "stiffness": 500, "friction": "maxwell_slip"}
    gain = pair_gain(scene(pair=[pair]), "hard", "soft")
    assert (gain.mu, gain.mu_static, gain.stiffness, gain.stick_stiffness) == (0.1, 0.1, 500, 250)
    assert gain.friction == "maxwell_slip" and gain.damping == pytest.approx(1.5)
    assert pair_gain(scene(pair=[pair]), "hard", "hard").friction == "coulomb_area"
    assert pair_gain(scene(pair=[pair]), "hard", "soft", "none").friction == "none"


def test_pointer_pairs_have_gains_of_their_own():
    gain = pointer_gain(scene(pointer={"stiffness": 700}), "soft", "hard", 1.0, 1e-3, None, None)
    assert gain.stiffness == 700 and gain.friction == "kikuuwe"


def test_they_are_bounded_by_the_device():
    """b / (T/2 + t_d) / (s_p s_f), and damping below b; guarantees.md, promise 4."""
    limit = PointerLimit(damping=2.0, delay=1e-3, motion_scale=4.0, force_scale=0.5)
    gain = pointer_gain(scene(), "soft", "soft", 1.0, 1e-3, limit, None)
    assert gain.stiffness == pytest.approx(2.0 / 1.5e-3 / 2.0)
    assert gain.damping < 2.0 / 2.0 and gain.stick_stiffness <= gain.stiffness
    soft = pointer_gain(scene(pointer={"stiffness": 10}), "soft", "soft", 1.0, 1e-3, limit, None)
    assert soft.stiffness == 10
    free = pointer_gain(scene(pointer={"unbounded": True}), "soft", "soft", 1.0, 1e-3, limit, None)
    assert free.stiffness == 1000


def test_the_bound_per_area_is_that_of_the_largest_contact():
    limit = PointerLimit(damping=1.0)
    gain = pointer_gain(
        scene(stiffness_is="per_area", pointer={"stiffness": 1e9}), "soft", "soft", 0.01, 1e-3, limit, None
    )
    assert gain.stiffness * 0.01 == pytest.approx(2000.0)


def test_on_a_virtual_coupling_the_coupling_is_bounded_instead():
    limit = PointerLimit(damping=0.5)
    coupled = scene(pointer={"coupling": {"stiffness": 5000, "damping": 5, "turn_stiffness": 2}})
    assert coupling_gains(coupled, 1e-3, limit) == (pytest.approx(1000.0), pytest.approx(0.45), 2, 0)
    assert coupling_gains(coupled, 1e-3, None) == (5000, 5, 2, 0)
    assert pointer_gain(coupled, "soft", "soft", 1.0, 1e-3, PointerLimit(damping=0.1), None).stiffness == 1000
    assert coupling_gains(scene(), 1e-3, limit) == (0, 0, 0, 0)
