"""Tensions for a wrench, against scipy's bounded least squares and the figures of the device table."""

import math
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear

from hapticd.drivers import string_kinematics as sk
from hapticd.drivers import string_tension as st
from hapticd.drivers.string_geometry import load_geometry
from tests.oracle.grip import random_pose

pytestmark = pytest.mark.kernel

FOLDER = Path(__file__).parents[2] / "configs" / "device"
SAMPLES = 8 if numba.config.DISABLE_JIT else 200
HOME = np.array([0, 0, 0, 0, 0, 0, 1.0])


class Pull:
    """One geometry at a pose, with its scratch arrays."""

    def __init__(self, name="spidar_g6_x3r", pose=HOME, smooth=st.SMOOTH, weight=None):
        geometry = load_geometry(FOLDER / f"{name}.toml")
        self.n_dof, self.weight = geometry.n_dof, weight or 1 / geometry.knot_radius() ** 2
        strings = geometry.rows()
        n = len(strings)
        self.A, length = np.zeros((n, 6)), np.zeros(n)
        sk.string_rows(strings, pose, self.A, length)
        self.Q, self.L, self.work = np.zeros((n, n)), np.zeros((n, n)), np.zeros((st.WORK_ROWS, n))
        st.quadratic(self.A, self.n_dof, self.weight, smooth, self.Q)
        self.t, self.rendered = np.zeros(n), np.zeros(6)
        self.bounds(geometry.tension_min_n, geometry.tension_max_n)

    def bounds(self, low, high):
        self.work[st.LOW], self.work[st.HIGH] = low, high

    def once(self, wrench):
        """The plain quadratic programme, without scaling."""
        st.linear(self.A, self.n_dof, self.weight, np.array(wrench, dtype=float), 1.0, self.work)
        passes = st.box_minimum(self.Q, self.work, self.L, self.t)
        st.rendered_wrench(self.A, self.n_dof, self.t, self.rendered)
        return passes

    def solve(self, wrench):
        return st.solve_tension(
            self.A, self.n_dof, self.weight, self.Q, np.array(wrench, dtype=float), self.work, self.L, self.t,
            self.rendered,
        )  # fmt: skip

    def margin(self, enough=1.0):
        work = np.zeros_like(self.work)
        return st.workspace_margin(
            self.A, self.n_dof, self.weight, self.Q, enough, work, self.L, np.zeros(len(self.t)), np.zeros(6)
        )


@pytest.mark.parametrize(("smooth", "force", "torque"), [(0.3, 4.05, 0.0), (1e-3, 4.996, 0.060), (1e-6, 5.0, 0.100)])
def test_table_of_smoothing(smooth, force, torque):
    pull = Pull(smooth=smooth, weight=6.0)
    pull.once([5, 0, 0, 0, 0, 0])
    assert abs(pull.rendered[0] - force) < 2e-3 if smooth < 0.1 else abs(pull.rendered[0] - force) < 5e-3
    pull.once([0, 0, 0, 0.1, 0, 0])
    assert abs(pull.rendered[3] - torque) < 5e-4


@pytest.mark.parametrize(
    ("low", "high", "force", "torque"),
    [(0.3, 20, (33, 29, 33), (0.57, 0.51, 0.57)), (0.2, 10.3, (15, 15, 15), (0.26, 0.26, 0.26))],
)
def test_largest_pure_wrenches(low, high, force, torque):
    pull = Pull()
    pull.bounds(low, high)
    for axis in range(6):
        for sign in (1, -1):
            wrench = np.zeros(6)
            wrench[axis] = sign * (1e3 if axis < 3 else 1e2)
            share = pull.solve(wrench)
            got = abs(pull.rendered[axis])
            wanted = (*force, *torque)[axis]
            assert wanted * 0.97 < got < wanted * 1.16
            assert abs(share * abs(wrench[axis]) - got) < 2e-3 * got


@pytest.mark.parametrize("name", ["spidar_g6_x3r", "spidar_g6_x4", "spidar_g6_45", "spidar_i7", "spidar_4"])
def test_minimum_is_that_of_scipy(name):
    rng = np.random.default_rng(1)
    pull = Pull(name, smooth=1e-3)
    weight = np.diag([1, 1, 1, *[math.sqrt(pull.weight)] * 3][: pull.n_dof])
    n = len(pull.t)
    for _ in range(SAMPLES):
        wrench = rng.normal(size=6) * ([10] * 3 + [0.2] * 3)
        wrench[pull.n_dof :] = 0
        pull.t[:] = rng.random(n) * 20  # a warm start from anywhere
        assert pull.once(wrench) < st.PASSES
        rows = np.vstack([weight @ pull.A[:, : pull.n_dof].T, math.sqrt(1e-3) * np.eye(n)])
        aim = np.concatenate([weight @ wrench[: pull.n_dof], np.zeros(n)])
        best = lsq_linear(rows, aim, (pull.work[st.LOW], pull.work[st.HIGH]), method="bvls", tol=1e-14)
        assert np.abs(pull.t - best.x).max() < 1e-6


def largest_share(pull, wrench):
    """By linear programming: the largest share of the wrench within the bounds, or None."""
    n = len(pull.t)
    answer = linprog(
        np.append(np.zeros(n), -1.0),
        A_eq=np.column_stack([pull.A[:, : pull.n_dof].T, -wrench[: pull.n_dof]]),
        b_eq=np.zeros(pull.n_dof),
        bounds=[*zip(pull.work[st.LOW], pull.work[st.HIGH], strict=True), (0, 1)],
    )
    return -answer.fun if answer.status == 0 else None


def test_what_cannot_be_rendered_keeps_its_direction():
    """Everywhere in the workspace, wrenches up to far beyond reach: the share that linear programming finds."""
    rng = np.random.default_rng(2)
    cut = 0
    for _ in range(SAMPLES):
        pull = Pull(pose=random_pose(rng, 0.02, math.radians(20)))
        wrench = rng.normal(size=6) * ([12] * 3 + [0.15] * 3)
        wanted = largest_share(pull, wrench)
        if wanted is None:
            continue
        share = pull.solve(wrench)
        cut += wanted < 0.999
        assert abs(share - wanted) < 5e-3
        scale = np.array([1, 1, 1, *[math.sqrt(pull.weight)] * 3])
        assert (
            np.linalg.norm((pull.rendered - share * wrench) * scale) <= 1.1e-3 * np.linalg.norm(wrench * scale) + 2e-4
        )
        assert (pull.t >= 0.3).all() and (pull.t <= 20).all()
    assert cut > SAMPLES / 10


def test_wrench_error_inside_the_workspace_is_below_one_percent():
    rng = np.random.default_rng(3)
    tried = 0
    for _ in range(3 * SAMPLES):
        pull = Pull(pose=random_pose(rng, 0.02, math.radians(20)))
        wrench = rng.normal(size=6) * ([3] * 3 + [0.03] * 3)
        if pull.margin(0.06) < 0.06 or (largest_share(pull, wrench) or 0) < 0.999:
            continue
        tried += 1
        assert pull.solve(wrench) == 1.0
        assert np.linalg.norm(pull.rendered[:3] - wrench[:3]) < 0.01 * np.linalg.norm(wrench[:3])
        assert np.linalg.norm(pull.rendered[3:] - wrench[3:]) < 0.01 * np.linalg.norm(wrench[3:])
    assert tried > SAMPLES


def test_margin_is_that_of_linear_programming():
    rng = np.random.default_rng(4)
    for k in range(SAMPLES):
        pull = Pull(pose=random_pose(rng, 0.03, math.radians(30)) if k else HOME)
        n = len(pull.t)
        # unknown t and mu: A^T t = 0, mu <= t_i <= 1
        answer = linprog(
            np.append(np.zeros(n), -1.0),
            A_eq=np.column_stack([pull.A.T, np.zeros(6)]),
            b_eq=np.zeros(6),
            A_ub=np.column_stack([-np.eye(n), np.ones(n)]),
            b_ub=np.zeros(n),
            bounds=[(0, 1)] * n + [(0, 1)],
        )
        assert abs(pull.margin() - -answer.fun) < 0.01


def test_tensions_are_continuous_along_a_path():
    """No jumps where the active set changes: in steps of 10 um and 1 mN, tensions move by little."""
    rng = np.random.default_rng(5)
    start, end = random_pose(rng, 0.02, 0.2), random_pose(rng, 0.02, 0.2)
    wrench = np.array([6.0, -4.0, 3.0, 0.05, 0.02, -0.04])
    last = None
    for s in np.linspace(0, 1, 40 if numba.config.DISABLE_JIT else 2000):
        pose = (1 - s) * start + s * end
        pose[3:] /= np.linalg.norm(pose[3:])
        pull = Pull(pose=pose)
        pull.solve(wrench)
        if last is not None and not numba.config.DISABLE_JIT:
            assert np.abs(pull.t - last).max() < 0.1
        last = pull.t.copy()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308, 5e-324])
def test_no_number_gets_a_tension_out_of_bounds(bad):
    for axis in range(6):
        pull = Pull()
        wrench = np.zeros(6)
        wrench[axis] = bad
        pull.solve(wrench)
        assert (pull.t >= 0.3).all() and (pull.t <= 20).all()
