"""The stand-alone friction laws: what must hold for any parameters and any motion, and what bad input gives."""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.errors import ConfigError
from hapticd.friction import Admittance, Kikuuwe, MaxwellSlip, Stribeck, warm_up

pytestmark = pytest.mark.kernel

T = 1e-3
TICKS = 40 if numba.config.DISABLE_JIT else 300
LONG = 2_000 if numba.config.DISABLE_JIT else 100_000
BAD = [math.nan, math.inf, -math.inf, 1e200]

dims = st.sampled_from([1, 2, 3])
seeds = st.integers(0, 2**32 - 1)
limits = st.floats(1e-3, 1e2)
curves = st.builds(
    lambda rise, speed, delta: (rise, speed, delta),
    st.sampled_from([0.0, 0.3, 2.0]),
    st.floats(1e-3, 1.0),
    st.sampled_from([1, 2]),
)
bodies = st.fixed_dictionaries(
    {
        "K": st.floats(1e-2, 1e4),
        "B": st.sampled_from([0.0, 1.0, 50.0]),
        "M": st.sampled_from([0.0, 0.1, 2.0]),
        "viscosity": st.sampled_from([0.0, 3.0]),
    }
)


def motion(seed: int, dim: int, ticks: int = TICKS) -> np.ndarray:
    """A velocity record that rests, creeps, turns round and rushes."""
    random = np.random.default_rng(seed)
    steps = random.normal(size=(ticks, dim)).cumsum(axis=0) * 10.0 ** random.uniform(-4, 0)
    steps[random.random(ticks) < 0.2] = 0.0
    return steps[:, 0] if dim == 1 else steps


def stribeck(F: float, curve: tuple[float, float, int]) -> Stribeck | None:
    rise, speed, delta = curve
    return Stribeck(F * (1.0 + rise), speed, delta) if rise else None


def norm(x: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x, axis=1)


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


@given(body=bodies, F=limits, curve=curves, dim=dims, seed=seeds)
def test_friction_opposes_sliding_and_keeps_its_limit(
    body: dict[str, float], F: float, curve: tuple[float, float, int], dim: int, seed: int
) -> None:
    """g = f + M dw/dt; exactly so for M = 0, where the force is the friction force."""
    law = Kikuuwe(F=F, T=T, stribeck=stribeck(F, curve), dim=dim, **body)
    f = law.step(motion(seed, dim)).reshape(-1, dim)
    w = law.sliding.reshape(-1, dim)
    inertia = body["M"] * np.diff(w, axis=0, prepend=0.0) / T
    g = f + inertia
    rounding = 1e-12 * (
        norm(f) + norm(inertia) + norm(body["K"] * T * motion(seed, dim).reshape(-1, dim).cumsum(axis=0))
    )
    slack = rounding if body["M"] else 0.0
    assert np.all(dot(g, w) <= slack * norm(w))
    assert np.all(norm(g) <= (F * (1.0 + curve[0]) + body["viscosity"] * norm(w)) * (1.0 + 1e-14) + slack)


@given(body=bodies, F=limits, curve=curves, dim=dims, seed=seeds)
def test_the_law_is_passive_tick_by_tick(
    body: dict[str, float], F: float, curve: tuple[float, float, int], dim: int, seed: int
) -> None:
    """Work of the hand >= rise of the energy in the spring and the mass: backward differences only lose."""
    law = Kikuuwe(F=F, T=T, stribeck=stribeck(F, curve), dim=dim, **body)
    energy = 0.0
    for v in motion(seed, dim, 30):
        work = -float(np.sum(law.step(v) * v)) * T
        state = law.state
        now = 0.5 * body["K"] * np.sum(state.elongation**2) + 0.5 * body["M"] * np.sum(state.velocity**2)
        assert work >= now - energy - 1e-12 * (abs(work) + now + energy)
        energy = now


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("curve", [(0.0, 1.0, 1), (0.5, 0.01, 2)])
def test_a_held_point_never_drifts(dim: int, curve: tuple[float, float, int]) -> None:
    law = Kikuuwe(K=6000, B=10, F=4, T=T, stribeck=stribeck(4.0, curve), dim=dim)
    law.step(motion(3, dim))  # ends somewhere in a slide
    law.step(motion(4, dim, 7))
    rest = np.zeros((LONG, dim)) if dim > 1 else np.zeros(LONG)
    f = law.step(rest).reshape(-1, dim)
    assert np.all(law.sliding[1:] == 0.0)
    assert np.any(f[-1] != 0.0)
    assert np.all(f[1:] == f[1]), "a held force must keep its bits"


LAWS: dict[str, Callable[[int], Any]] = {
    "massless": lambda dim: Kikuuwe(K=6000, B=10, F=4, T=T, viscosity=1, stribeck=Stribeck(6, 0.05, 2), dim=dim),
    "massive": lambda dim: Kikuuwe(K=6000, B=10, F=4, M=1, T=T, viscosity=1, stribeck=Stribeck(6, 0.05, 1), dim=dim),
    "bank": lambda dim: MaxwellSlip(K=[1e4] * 3, B=100, F=[1, 2, 3], T=T, dim=dim),
    "admittance": lambda dim: Admittance(M=2, F=4, T=T, viscosity=1, stribeck=Stribeck(6, 0.05, 2), dim=dim),
}


@pytest.mark.parametrize("make", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_many_samples_are_as_many_single_ones_bit_for_bit(make: Callable[[int], Any], dim: int) -> None:
    one, many = make(dim), make(dim)
    v = 30 * motion(7, dim, 60)
    singles = np.array([one.step(sample) for sample in v])
    assert singles.tobytes() == many.step(v).tobytes()
    assert one.state.elongation.tobytes() == many.state.elongation.tobytes()
    assert one.state.velocity.tobytes() == many.state.velocity.tobytes()


@pytest.mark.parametrize("make", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_sample_gives_nothing_and_changes_nothing(make: Callable[[int], Any], bad: float) -> None:
    law, clean = make(2), make(2)
    before, after = motion(8, 2, 20), motion(9, 2, 20)
    law.step(before)
    spoilt = law.step([0.1, bad])
    kept = law.state.velocity if isinstance(law, Admittance) else np.zeros(2)
    assert np.array_equal(spoilt, kept) and law.bad.tolist() == [True]
    clean.step(before)
    assert law.step(after).tobytes() == clean.step(after).tobytes()
    assert not law.bad.any()


@given(samples=st.lists(st.floats(), min_size=1, max_size=20), name=st.sampled_from(list(LAWS)))
def test_no_sample_whatever_makes_a_force_that_is_not_finite(samples: list[float], name: str) -> None:
    law = LAWS[name](1)
    assert np.all(np.isfinite(law.step(samples)))
    assert all(np.all(np.isfinite(part)) for part in (law.state.elongation, law.state.velocity))


@pytest.mark.parametrize("make", [LAWS["massless"], LAWS["massive"], LAWS["bank"]])
def test_positions_are_backward_differences(make: Callable[[int], Any]) -> None:
    by_position, by_velocity = make(2), make(2)
    positions = motion(10, 2, 50)
    velocities = np.diff(positions, axis=0, prepend=positions[:1]) / T  # the first counts as rest
    expected = by_velocity.step(velocities)
    got = np.vstack([by_position.step_position(positions[:20]), [by_position.step_position(p) for p in positions[20:]]])
    assert np.array_equal(got, expected)


def test_a_bad_position_is_left_out() -> None:
    law, clean = LAWS["massless"](1), LAWS["massless"](1)
    f = law.step_position([0.0, 1e-4, math.nan, 2e-4])
    assert f[2] == 0.0 and law.bad.tolist() == [False, False, True, False]
    assert np.array_equal(f[[0, 1, 3]], clean.step_position([0.0, 1e-4, 2e-4]))


@pytest.mark.parametrize("make", LAWS.values(), ids=LAWS)
def test_a_state_can_be_kept_and_put_back(make: Callable[[int], Any]) -> None:
    law = make(3)
    law.step(motion(11, 3, 30))
    kept = law.state
    first = law.step(motion(12, 3, 30))
    law.state = kept
    assert law.step(motion(12, 3, 30)).tobytes() == first.tobytes()
    law.reset()
    assert not law.state.elongation.any() and not law.state.velocity.any()
    with pytest.raises(ConfigError, match="state of shape"):
        law.state = make(2).state


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Kikuuwe(K=-1, F=1, T=T), "K = -1"),
        (lambda: Kikuuwe(K=math.nan, F=1, T=T), "K = nan"),
        (lambda: Kikuuwe(K="soft", F=1, T=T), "K = 'soft'"),  # type: ignore[arg-type]
        (lambda: Kikuuwe(K=0, F=1, T=T), "all zero"),
        (lambda: Kikuuwe(K=1, F=1, T=0), "T = 0"),
        (lambda: Kikuuwe(K=1, F=math.inf, T=T), "F = inf"),
        (lambda: Kikuuwe(K=1, F=1, T=T, dim=4), "dim = 4"),
        (lambda: Kikuuwe(K=1, F=2, T=T, stribeck=Stribeck(1, 0.1)), "at least F = 2"),
        (lambda: Kikuuwe(K=1, F=1, T=T, stribeck=Stribeck(2, 0.1, 3)), "delta = 3"),
        (lambda: Kikuuwe(K=1, F=1, T=T, stribeck=Stribeck(2, 0.0)), "speed = 0"),
        (lambda: MaxwellSlip(K=[1, 2], F=[1], T=T), "one number per element"),
        (lambda: MaxwellSlip(K=[], F=[], T=T), "one number per element"),
        (lambda: MaxwellSlip(K=[0], F=[1], T=T), "element 0"),
        (lambda: Admittance(M=0, F=1, T=T), "M = 0"),
        (lambda: Kikuuwe(K=1, F=1, T=T, dim=2).step(1.0), "samples of shape"),
        (lambda: Kikuuwe(K=1, F=1, T=T).step([[1.0, 2.0]]), "samples of shape"),
    ],
)
def test_bad_parameters_are_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_no_samples_are_no_forces() -> None:
    assert Kikuuwe(K=1, F=1, T=T, dim=2).step(np.zeros((0, 2))).shape == (0, 2)


def test_warm_up_runs_every_law() -> None:
    warm_up()
