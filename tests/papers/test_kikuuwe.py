"""The experiments of Kikuuwe and Fujimoto: joystick, hysteresis, laws, admittance twin."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.friction import Admittance, Kikuuwe, MaxwellSlip, Stribeck

pytestmark = [pytest.mark.paper, pytest.mark.kernel]

T = 1e-3
JOYSTICK = {"K": 6000.0, "B": 10.0, "F": 4.0, "T": T, "dim": 2}
SECONDS = 2 if numba.config.DISABLE_JIT else 100  # that a hand holds still


def circle(radius: float, rate: float, ticks: int) -> np.ndarray:
    """Positions on a circle, rate in rad/s, that starts smoothly."""
    time = np.arange(ticks) * T
    angle = rate * (time - 0.5 * (1.0 - np.exp(-time / 0.5)))
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def test_joystick_without_mass_feels_friction_alone() -> None:
    """B1, M = 0: |f| <= F in every tick, and opposite to the sliding direction while it slides."""
    law = Kikuuwe(**JOYSTICK)
    f = law.step_position(circle(0.05, 2.0, 3000))
    w = law.sliding
    assert np.all(np.linalg.norm(f, axis=1) <= 4.0)
    slides = np.linalg.norm(w, axis=1) > 0.0
    assert slides.sum() > 2000
    assert np.allclose(f[slides], -4.0 * w[slides] / np.linalg.norm(w[slides], axis=1)[:, None], atol=1e-9)


def test_joystick_is_held_at_one_point_under_a_force_below_the_limit() -> None:
    """B1: a hand pushes a 0.5 kg grip with 3.9 N < F; after a first give the anchor never moves again, by any bit."""
    law = Kikuuwe(**JOYSTICK)
    p, v, anchor = np.zeros(2), np.zeros(2), None
    push = 3.9 * np.array([0.6, 0.8])
    f = np.zeros(2)
    ticks = int(SECONDS / T)
    for k in range(min(ticks, 6000)):
        ramp = min(1.0, k * T / 0.5)  # a hand does not push in one tick
        v = v + T * (ramp * push + f - 5.0 * v) / 0.5
        p = p + T * v
        f = law.step(v)
        assert not law.sliding.any()
        anchor = p + law.state.elongation if anchor is None else anchor
    assert np.linalg.norm(p + law.state.elongation - anchor) < 1e-12
    assert np.linalg.norm(v) < 1e-9
    assert np.allclose(f, -push, atol=1e-6)


def test_a_held_joystick_does_not_move_for_as_long_as_it_is_held() -> None:
    law = Kikuuwe(**JOYSTICK)
    law.step_position(circle(0.05, 2.0, 777))  # into a slide, and stop there
    stopped = law.step([0.0, 0.0])
    held = law.step(np.zeros((int(SECONDS / T), 2)))
    assert np.all(held == stopped) and not law.sliding.any()


def test_joystick_with_mass_feels_inertia_and_centrifugal_force() -> None:
    """B1, M = 1 kg: on a circle the mass pulls outward with M rate^2 r; without mass there is no such part."""
    rate, radius = 4.0 * math.pi, 0.05
    positions = circle(radius, rate, 6000)
    outward = positions[-1] / np.linalg.norm(positions[-1])
    radial = {}
    for mass in (0.0, 1.0):
        law = Kikuuwe(M=mass, **JOYSTICK)
        f = law.step_position(positions)
        q = positions[-1] + law.state.elongation
        radial[mass] = f[-1] @ outward, np.linalg.norm(q)
        along = np.array([-outward[1], outward[0]])
        assert f[-1] @ along < -3.0  # friction against the motion in both
    assert radial[0.0][0] == pytest.approx(0.0, abs=0.2)
    assert radial[1.0][0] == pytest.approx(rate**2 * radial[1.0][1], rel=0.05)


def test_joystick_with_mass_resists_acceleration() -> None:
    """B1, M = 1 kg: f = -(F + M a) on a straight line with constant acceleration a."""
    law = Kikuuwe(M=1.0, **(JOYSTICK | {"dim": 1}))
    acceleration = 2.0
    f = law.step(acceleration * T * np.arange(1, 2001))
    assert f[-1] == pytest.approx(-(4.0 + acceleration), rel=1e-6)


NESTED = [0.0, 6e-3, -6e-3, 4e-3, -3e-3, 2e-3, -1e-3, 2e-3, -3e-3, 4e-3, -6e-3, 6e-3]  # m, turning points


def bank(damping: float) -> MaxwellSlip:
    return MaxwellSlip(K=[1e4] * 10, B=damping, F=np.arange(1.0, 11.0), T=T)


def drive(law: MaxwellSlip, speed: float) -> dict[int, float]:
    """The force at each turning point of NESTED, approached at a constant speed."""
    forces = {}
    for i in range(1, len(NESTED)):
        ticks = round(abs(NESTED[i] - NESTED[i - 1]) / (speed * T))
        velocity = (NESTED[i] - NESTED[i - 1]) / (ticks * T)
        forces[i] = float(law.step(np.full(ticks, velocity))[-1])
    return forces


@pytest.mark.parametrize(("damping", "tolerance"), [(0.0, 1e-9), (100.0, 1e-3)])
def test_nested_hysteresis_loops_close(damping: float, tolerance: float) -> None:
    """B2: 4e-3 .. -3e-3 .. 2e-3 .. -1e-3 and back out: at each return the force is that of the first visit."""
    forces = drive(bank(damping), speed=0.01)
    pairs = [(5, 7), (4, 8), (3, 9), (2, 10), (1, 11)]
    for first, again in pairs:
        assert NESTED[first] == NESTED[again]
        assert forces[again] == pytest.approx(forces[first], abs=tolerance), (first, again)
    # it is a hysteresis: the same place, other forces on the way there
    assert abs(forces[3] - forces[2]) > 50.0
    assert forces[1] == pytest.approx(-55.0 - 0.0, abs=0.5)  # all ten slide: the sum of the limits


def test_hysteresis_dissipates_on_every_closed_loop() -> None:
    law = bank(100.0)
    time = np.arange(4000) * T
    x = 3e-3 * np.sin(2 * math.pi * time)
    f = law.step_position(x)
    work = -f[1:] * np.diff(x)
    cycle = round(1.0 / T)
    losses = [work[k * cycle : (k + 1) * cycle].sum() for k in range(1, 3)]
    assert all(loss > 0.0 for loss in losses)
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)  # and the loop is the same every time


@given(K=st.floats(10, 1e5), F=st.floats(1e-2, 50), dim=st.sampled_from([1, 2, 3]), seed=st.integers(0, 2**32 - 1))
def test_without_mass_and_damping_it_is_the_elastoplastic_element(K: float, F: float, dim: int, seed: int) -> None:
    """B3: perfect elasto-plastic (Hayward and Armstrong 2000): a spring whose stretch is cut at F / K."""
    random = np.random.default_rng(seed)
    v = random.normal(size=(100, dim)) * 10.0 ** random.uniform(-3, 1, size=(100, 1)) * F / K / T
    e, expected = np.zeros(dim), []
    for sample in v:
        e = e - T * sample
        e = e * min(1.0, F / (K * np.linalg.norm(e)))
        expected.append(K * e)
    f = Kikuuwe(K=K, F=F, T=T, dim=dim).step(v if dim > 1 else v[:, 0])
    assert np.allclose(f.reshape(-1, dim), expected, rtol=0.0, atol=1e-9 * F)


LAWS = {
    "coulomb": {},
    "viscous": {"viscosity": 5.0},
    "stribeck": {"stribeck": Stribeck(6.0, 0.01, 2), "viscosity": 1.0},
    "tustin": {"stribeck": Stribeck(6.0, 0.05, 1)},
}


@pytest.mark.parametrize("options", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("mass", [0.0, 0.5])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_sliding_stops_in_finite_time(options: dict, mass: float, dim: int) -> None:
    """B3: when the hand stops, the sliding velocity is exactly zero after some ticks, and stays so."""
    law = Kikuuwe(K=6000, B=10, M=mass, F=4, T=T, dim=dim, **options)
    push = np.linspace(0.0, 1.0, 200)[:, None] * np.array([0.5, -0.3, 0.2])[:dim]
    law.step(push if dim > 1 else push[:, 0])
    assert np.any(law.sliding[-1] != 0.0)
    law.step(np.zeros((1000, dim)) if dim > 1 else np.zeros(1000))
    assert not law.sliding[-500:].any()
    assert np.linalg.norm(law.state.elongation) <= 6.0 / 6000 * (1 + 1e-9)


@pytest.mark.parametrize("options", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_admittance_twin_opposes_sliding_and_stops(options: dict, dim: int) -> None:
    """B4: (3)-(7): friction against the velocity, rest after a finite time, no creep under a force below the limit."""
    law = Admittance(M=2.0, F=4.0, T=T, dim=dim, **options)
    direction = np.array([0.6, 0.64, 0.48])[:dim] / np.linalg.norm([0.6, 0.64, 0.48][:dim])
    shape = (lambda rows: rows) if dim > 1 else (lambda rows: rows[:, 0])
    law.step(shape(np.tile(30.0 * direction, (500, 1))))
    v, g = law.state.velocity, law.friction.reshape(-1, dim)[-1]
    assert np.linalg.norm(v) > 1.0
    assert g / np.linalg.norm(g) == pytest.approx(-v / np.linalg.norm(v))
    coasting = law.step(shape(np.zeros((4000, dim)))).reshape(-1, dim)
    still = np.linalg.norm(coasting, axis=1) == 0.0
    assert still[-1] and np.all(still[np.argmax(still) :])
    held = law.step(shape(np.tile(3.99 * direction, (1000, 1))))
    assert not held.any()


def test_admittance_twin_accelerates_by_the_rest_of_the_force() -> None:
    """B4: Coulomb: v grows by T (h - F) / M per tick, and brakes from v in M v / (F T) ticks."""
    law = Admittance(M=2.0, F=4.0, T=T)
    v = law.step(np.full(100, 10.0))
    assert np.allclose(v, np.arange(1, 101) * T * (10.0 - 4.0) / 2.0, rtol=1e-12)
    brake = law.step(np.zeros(400))
    assert np.argmax(brake == 0.0) + 1 == math.ceil(2.0 * v[-1] / (4.0 * T))
