"""kernel/force/pair.py: one wrench for two bodies, and how a contact begins."""

import numba
import numpy as np
import pytest

from hapticd.kernel import layout as k
from hapticd.kernel.force.pair import pair_force
from hapticd.kernel.force.select import FRICTIONS, SOLVERS
from hapticd.kernel.tolerance import FADE_TIME
from tests.oracle.pair import random_hull, random_rotation
from tests.oracle.patch import Patch, block_on_floor

pytestmark = pytest.mark.kernel
N = 2 if numba.config.DISABLE_JIT else 40


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("friction", FRICTIONS)
def test_action_is_reaction(friction, solver):
    rng = np.random.default_rng(1)
    touched = 0
    for _ in range(N):
        patch = Patch(random_hull(rng), random_hull(rng), friction=friction, solver=solver, per_area=rng.random() < 0.5)
        for i in range(2):
            patch.place(i, rng.normal(size=3) * 0.7, rng.normal(size=3), rng.normal(size=3))
        if not patch.step(random_rotation(rng), random_rotation(rng)):
            continue
        touched += 1
        positions = patch.body[:, k.BODY_POSITION : k.BODY_POSITION + 3]
        force = patch.wrench[:, :3]
        about_world = patch.wrench[:, 3:] + np.cross(positions, force)
        scale = 1.0 + np.abs(patch.wrench).max()
        assert np.allclose(force.sum(axis=0), 0.0, atol=1e-13 * scale)
        assert np.allclose(about_world.sum(axis=0), 0.0, atol=1e-12 * scale)
        assert patch.normal @ force[0] >= 0.0, "a contact pulled"
    assert touched


def test_a_fast_retreat_gives_no_pull():
    patch = block_on_floor(1e-3)
    patch.place(0, (0, 0, 0.049), velocity=(0, 0, 10.0))
    assert patch.step()
    assert not patch.wrench.any()


def test_a_pointer_put_into_a_body_is_pushed_out_from_zero():
    patch = block_on_floor(0.02, fades=True)
    forces = []
    for _ in range(round(FADE_TIME / patch.dt) + 10):
        patch.step()
        forces.append(patch.wrench[0, 2])
    assert forces[0] == 0.0
    full = 2000.0 * 0.02
    assert max(np.diff(forces)) <= 1.001 * full * patch.dt / FADE_TIME
    assert forces[-1] == pytest.approx(full)


def test_a_pointer_pushed_in_is_felt_at_once():
    patch = block_on_floor(1e-3, fades=True)
    patch.place(0, (0, 0, 0.049), velocity=(0, 0, -1.0))
    patch.step()
    assert patch.wrench[0, 2] == pytest.approx(2000.0 * 1e-3 + 3.0 * 1.0)


def test_a_frozen_patch_does_not_make_the_force_unbounded():
    """The area of a first, tiny contact is kept when the body is then found deep inside: at most K times depth."""
    patch = block_on_floor(0.02)
    patch.step()
    patch.row[k.AREA] = 1e-12
    patch.row[k.VOLUME] = 0.2 * 0.1 * 0.02
    gain = np.zeros((1, k.GAIN_SIZE))
    gain[0, k.GAIN_STIFFNESS] = 2000.0
    patch.wrench[:] = 0.0
    pair_force(
        patch.row[None], patch.law, 0, 0, 1, patch.body, gain, 0, 0, False, 0.0, False, 1e-3, patch.pair.solid,
        patch.wrench, patch.on_a,
    )  # fmt: skip
    assert patch.wrench[0, 2] == pytest.approx(2000.0 * patch.row[k.DEPTH])


def test_the_noted_wrench_is_that_on_a_about_the_centre():
    patch = block_on_floor(1e-3, friction="kikuuwe")
    patch.place(0, (0.3, 0.1, 0.049), velocity=(0.2, 0.1, 0), omega=(0, 0, 3.0))
    patch.step()
    arm = patch.centre - patch.body[0, :3]
    assert np.allclose(patch.wrench[0, :3], patch.on_a[0, :3])
    assert np.allclose(patch.wrench[0, 3:], patch.on_a[0, 3:] + np.cross(arm, patch.on_a[0, :3]))
