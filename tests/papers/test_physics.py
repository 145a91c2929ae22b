"""Laws of physics on whole runs: momenta, energy, limits, rest, invariance, determinism."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hapticd
from hapticd.experiment.scene import shipped
from hapticd.kernel import layout as k
from hapticd.scene.plan import rotation

pytestmark = pytest.mark.paper

FLOOR = {"name": "floor", "kind": "static", "shape": {"type": "box", "size": [9, 9, 1]}, "position": [0, 0, -0.5]}
LAWS = ("none", "coulomb_area", "coulomb_point", "kikuuwe", "maxwell_slip")
seeds = st.integers(0, 2**32 - 1)


def q_of(R):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat().tolist()


def heap(seed, n=5, speed=2.0, height=0.0):
    """Random hulls of 0.3 m on the way to their common middle."""
    rng = np.random.default_rng(seed)
    bodies = []
    for i in range(n):
        points = rng.normal(size=(12, 3))
        points *= 0.3 / np.linalg.norm(points, axis=1)[:, None]
        q = rng.normal(size=4)
        corner = 0.45 * np.array([1 - 2 * (i & 1), 1 - (i & 2), 1 - (i & 4) / 2])  # apart at the start
        position = corner + rng.uniform(-0.1, 0.1, size=3) + (0, 0, height)
        bodies.append({
            "name": f"b{i}", "mass": float(rng.uniform(0.5, 2)), "shape": {"type": "hull", "vertices": points},
            "position": position, "q_xyzw": q / np.linalg.norm(q),
            "velocity": -speed * (position - (0, 0, height)) + 0.2 * rng.normal(size=3),
            "angular_velocity": rng.normal(size=3) * 2,
        })  # fmt: skip
    return bodies


def scene(bodies, **tables):
    material = {"default": {"stiffness": 2000, "damping": 3, "mu": 0.5, "stick_damping": 2}}
    return hapticd.load_scene({"material": material, "body": bodies, "allow_unstable": True} | tables)


@settings(max_examples=25)
@given(seeds, st.sampled_from(LAWS), st.sampled_from(["volume_penalty", "point_penalty"]))
def test_an_isolated_pile_keeps_its_momenta(seed, law, solver):
    sim = hapticd.Simulation(scene(heap(seed), gravity=[0, 0, 0]), friction=law, solver=solver)
    p, L = sim.momentum, sim.angular_momentum
    sim.step(400)
    assert np.allclose(sim.momentum, p, atol=1e-11)
    assert np.allclose(sim.angular_momentum, L, atol=1e-11)


@settings(max_examples=20)
@given(seeds, st.sampled_from(LAWS[1:]))
def test_energy_of_a_passive_heap_never_rises(seed, law):
    """Stated bound: 5 % of what was there at the start, for the integrator and for k V/A n not being a gradient; hits
    at 2 m/s on springs of 2 kN/m. Damped and rubbing, every run ends with less than it began."""
    sim = hapticd.Simulation(scene([FLOOR, *heap(seed, height=1.5)]), friction=law)
    lowest = 5.0 * 9.8 * 2.0  # the zero of gravity's energy is the floor's top: no body is below it by much
    start = highest = sim.energy().total
    for _ in range(60):
        sim.step(20)
        highest = max(highest, sim.energy().total)
    assert highest <= start + 0.05 * (abs(start) + lowest)
    assert sim.energy().total < start


@pytest.mark.parametrize(("unit", "stiffness", "bound"), [("per_contact", 1000.0, 1.06), ("per_area", 1e6, 0.45)])
def test_a_loop_about_an_edge_gains_no_more_than_stated(unit, stiffness, bound):
    """Neither k V n nor K V/A n is a gradient. A block circles, without friction, over the edge of another and out of
    contact: the work done on the hand per loop, over the peak of the energy stored, is stated here and changes its sign
    with the direction. Seen 1.04 and 0.43; formulas.md has 1.06 and 0.34 for a loop of its own. The stored energy is
    that of the mean depth, less than the true one of a wedge, so the share is on the high side."""
    works = []
    material = {"default": {"stiffness": stiffness, "damping": 0.0}}
    table = {
        "material": material, "stiffness_is": unit, "pointer_friction": "none",
        "body": [FLOOR | {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "position": [0, 0, -0.1]},
                 {"name": "hand", "kind": "pointer", "shape": {"type": "box", "size": [0.05, 0.05, 0.05]},
                  "position": [0.14, 0, 0.04]}],
    }  # fmt: skip
    for way in (1.0, -1.0):
        sim = hapticd.Simulation(hapticd.load_scene(table))
        angle = way * np.linspace(0, 2 * np.pi, 4000)
        path = np.stack([0.105 + 0.008 * np.cos(angle), 0 * angle, 0.02 + 0.008 * np.sin(angle)], axis=1)
        for i in range(400):  # there from outside
            sim.set_pointer((0.2, 0, 0.1) + (path[0] - (0.2, 0, 0.1)) * i / 400)
            sim.step()
        work = peak = 0.0
        before, force = path[0], np.zeros(3)
        for i, position in enumerate(path):
            sim.set_pointer(position)
            sim.step()
            now = sim.pointer_wrench[:3]
            work += 0.5 * (now + force) @ (position - before)
            before, force = position, now
            if i % 20 == 0:
                peak = max(peak, sim.energy().normal)
        assert peak > 1e-3
        assert abs(work) <= bound * peak
        works.append(work)
    assert works[0] == pytest.approx(-works[1], rel=0.01)


@settings(max_examples=15)
@given(seeds, st.sampled_from(LAWS[1:]))
def test_friction_stays_within_mu_n_in_every_tick(seed, law):
    sim = hapticd.Simulation(scene([FLOOR, *heap(seed, n=3, height=1.0)]), friction=law)
    for _ in range(60):
        sim.step(10)
        for contact in sim.contacts():
            force = contact.wrench[:3]
            normal = contact.normal @ force
            assert normal >= 0.0
            assert np.linalg.norm(force - normal * contact.normal) <= 0.5 * normal * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("law", LAWS[1:])
def test_a_stuck_body_does_not_drift_in_1e5_ticks(law):
    """On a slope of 20 degrees with mu 0.5, well damped (a block on bare springs rattles downhill, with any law).
    Settled first; then it stays within rounding for a hundred seconds."""
    c, s = np.cos(np.radians(20)), np.sin(np.radians(20))
    block = {"name": "block", "mass": 1.0, "shape": {"type": "box", "size": [0.4, 0.4, 0.2]}, "position": [0, 0, 0.1]}
    material = {"default": {"stiffness": 5000, "damping": 60, "mu": 0.5}}
    sim = hapticd.Simulation(scene([FLOOR, block], material=material, gravity=[9.8 * s, 0, -9.8 * c]), friction=law)
    sim.step(20_000)
    before = sim.body("block").position
    sim.step(100_000)
    assert np.abs(sim.body("block").position - before).max() < 1e-12


@settings(max_examples=10)
@given(seeds)
def test_a_turned_world_runs_the_same(seed):
    """Scene and gravity turned by one rotation: the same run, turned. Rounding grows in hits; 0.2 s with soft ones."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    R = rotation(q)
    bodies = heap(seed, n=3, speed=1.0)
    gravity = np.array([0.3, -0.5, -9.8])
    turned = [
        body | {key: R @ body[key] for key in ("position", "velocity", "angular_velocity")}
        | {"q_xyzw": q_of(R @ rotation(body["q_xyzw"]))}
        for body in bodies
    ]  # fmt: skip
    one = hapticd.Simulation(scene(bodies, gravity=gravity))
    other = hapticd.Simulation(scene(turned, gravity=R @ gravity))
    for sim in (one, other):
        sim.step(200)
    for a, b in zip(one.bodies, other.bodies, strict=True):
        assert np.allclose(R @ a.position, b.position, atol=1e-7)
        assert np.allclose(R @ a.rotation, b.rotation, atol=1e-6)


def busy_hash():
    sim = hapticd.Simulation(scene([FLOOR, *heap(11, n=6, height=1.0)]))
    sim.step(1000)
    return sim.state_hash()


def test_the_same_scene_has_the_same_hash():
    assert busy_hash() == busy_hash()


@pytest.mark.long
def test_the_hash_is_the_same_with_a_cold_and_a_warm_cache(tmp_path):
    """Another process, compiling everything anew, and a third that finds what the second has compiled."""
    code = (
        "import hapticd\nfrom hapticd.experiment.scene import shipped\n"
        "sim = hapticd.Simulation(hapticd.load_scene(shipped('dominoes')))\nsim.step(500)\nprint(sim.state_hash())"
    )
    here = hapticd.Simulation(hapticd.load_scene(shipped("dominoes")))
    here.step(500)
    environment = os.environ | {"HAPTICD_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.split()[-1] == here.state_hash()


def test_dominoes_fall_in_a_row():
    sim = hapticd.Simulation(hapticd.load_scene(shipped("dominoes")))
    fallen = {}
    for _ in range(150):
        sim.step(20)
        for body in sim.bodies[1:]:
            if body.rotation[2, 2] < 0.8:
                fallen.setdefault(body.name, sim.time)
    assert list(fallen) == [f"domino{i}" for i in range(1, 13)]
    assert sim.world.work.report[k.REPORT_DROPPED] == 0
