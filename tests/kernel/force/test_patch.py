"""kernel/force/patch.py: radius, moment and how friction state is carried from tick to tick."""

import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.force.patch import carried, kept_stretch, mean_radius, mean_square, moment_times
from tests.oracle.pair import random_rotation
from tests.oracle.patch import block_on_floor

pytestmark = pytest.mark.kernel


def rows(n_old, n_new):
    contact, law = np.zeros((1, k.CONTACT_SIZE)), np.zeros((1, k.LAW_SIZE))
    contact[0, k.NORMAL : k.NORMAL + 3], law[0, k.LAW_NORMAL : k.LAW_NORMAL + 3] = n_new, n_old
    return contact, law


def test_a_carried_vector_keeps_its_length_and_lies_in_the_new_plane():
    rng = np.random.default_rng(2)
    for _ in range(50):
        R = random_rotation(rng)
        n_old = R[:, 2]
        n_new = n_old + 0.3 * rng.normal(size=3)
        n_new /= np.linalg.norm(n_new)
        e = R[:, :2] @ rng.normal(size=2)
        out = np.array(carried(*rows(n_old, n_new), 0, 0.02 * rng.normal(), *e))
        assert np.linalg.norm(out) == pytest.approx(np.linalg.norm(e), rel=1e-12)
        assert out @ n_new == pytest.approx(0.0, abs=1e-12)


def test_it_turns_with_the_pair():
    out = carried(*rows((0, 0, 1), (0, 0, 1)), 0, 0.01, 1.0, 0.0, 0.0)
    assert np.allclose(out, (np.cos(0.01), np.sin(0.01), 0.0), atol=1e-6)


def test_it_is_dropped_when_the_normal_flips():
    assert carried(*rows((0, 0, 1), (0, 0, -1)), 0, 0.0, 1.0, 0.0, 0.0) == (0.0, 0.0, 0.0)


def test_a_stiffer_patch_holds_no_more_energy():
    law = np.zeros((1, k.LAW_SIZE))
    law[0, k.LAW_STIFFNESS] = 100.0
    kept = kept_stretch(law, 0, 400.0)
    assert 400.0 * kept**2 == pytest.approx(100.0)
    assert kept_stretch(law, 0, 50.0) == 1.0


def test_radius_and_moment_of_a_rectangle():
    patch = block_on_floor(1e-3)
    patch.step()
    contact = patch.row[None]
    assert mean_square(contact, 0) == pytest.approx((0.2**2 + 0.1**2) / 12)
    x = np.linspace(-0.1, 0.1, 401)
    y = np.linspace(-0.05, 0.05, 201)
    true = np.mean(np.hypot(*np.meshgrid((x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2)))
    assert mean_radius(contact, 0) == pytest.approx(true, rel=0.03)
    assert np.allclose(moment_times(contact, 0, 1.0, 1.0, 0.0), (0.02 * 0.04 / 12, 0.02 * 0.01 / 12, 0.0), atol=1e-15)


def test_a_patch_without_an_area_has_no_radius():
    assert mean_square(np.zeros((1, k.CONTACT_SIZE)), 0) == 0.0
