"""Three-vectors and quaternions against numpy and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hapticd.kernel import vector
from hapticd.kernel.layout import POSE_SIZE, POSITION, ROTATION

pytestmark = pytest.mark.kernel

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_products_are_numpys(seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, 3))
    assert vector.dot(*a, *b) == pytest.approx(a @ b, abs=1e-14)
    assert np.allclose(vector.cross(*a, *b), np.cross(a, b), atol=1e-14)


@given(seeds)
def test_tangents_make_a_right_handed_frame_with_the_normal(seed: int) -> None:
    n = np.random.default_rng(seed).normal(size=3)
    n /= np.linalg.norm(n)
    t1, t2 = np.reshape(vector.tangent(*n), (2, 3))
    assert np.allclose(np.array([t1, t2, n]) @ np.array([t1, t2, n]).T, np.eye(3), atol=1e-14)
    assert np.allclose(np.cross(t1, t2), n, atol=1e-14)


@pytest.mark.parametrize("n", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
def test_tangents_of_the_axes(n: tuple[float, float, float]) -> None:
    t1, t2 = np.reshape(vector.tangent(*n), (2, 3))
    assert np.allclose(np.cross(t1, t2), n, atol=1e-15)


@given(seeds)
def test_quaternions_compose_as_rotations(seed: int) -> None:
    a, b = Rotation.random(2, rng=np.random.default_rng(seed))
    product = Rotation.from_quat(vector.quaternion_product(*a.as_quat(), *b.as_quat()))
    assert np.allclose(product.as_matrix(), (a * b).as_matrix(), atol=1e-14)


@given(seeds, st.floats(0.0, 0.6))
def test_a_turn_is_a_rotation_in_the_world_frame(seed: int, angle: float) -> None:
    random = np.random.default_rng(seed)
    q = Rotation.random(rng=random)
    axis = random.normal(size=3)
    axis *= angle / np.linalg.norm(axis)
    turned = vector.turned(*q.as_quat(), *axis)
    assert np.linalg.norm(turned) == pytest.approx(1.0, abs=1e-15)
    expected = Rotation.from_rotvec(axis) * q
    assert (Rotation.from_quat(turned) * expected.inv()).magnitude() < 2e-9


def test_ten_thousand_small_turns_keep_the_length() -> None:
    q = (0.0, 0.0, 0.0, 1.0)
    for _ in range(10_000):
        q = vector.turned(*q, 1e-3, -2e-3, 5e-4)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)
    expected = Rotation.from_rotvec(np.array([10.0, -20.0, 5.0]))
    assert (Rotation.from_quat(q) * expected.inv()).magnitude() < 1e-10


@given(seeds)
def test_a_pose_row_holds_the_matrix_and_the_position(seed: int) -> None:
    random = np.random.default_rng(seed)
    q, p = Rotation.random(rng=random), random.normal(size=3)
    X = np.zeros((2, POSE_SIZE))
    vector.write_pose(X, 1, *p, *q.as_quat())
    assert np.allclose(X[1, ROTATION : ROTATION + 9].reshape(3, 3), q.as_matrix(), atol=1e-14)
    assert np.array_equal(X[1, POSITION : POSITION + 3], p) and not X[0].any()
