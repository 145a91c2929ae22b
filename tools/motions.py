"""Motions with a known answer: each takes an engine's maker and gives one number. Used by `quality` and `agree`.

All on one box of 1 kg on a floor, mu 0.5, g 9.8, steps of 1 ms unless said; the flat box is 1 x 1 x 0.2 m.
"""

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from engines import Floats, Maker
from probe import Hand, Probe, about_y
from stacks import GRAVITY, MU, PYRAMID_GAINS, box, stack

import hapticd

CUBE_DROP = Path(__file__).resolve().parents[1] / "configs" / "scene" / "cube_drop.toml"

DT = 1e-3
FLAT = (1.0, 1.0, 0.2)
WEIGHT = GRAVITY  # N, of 1 kg
LEAN = 0.1  # rad, of the rocked cube to each side
HAND = Hand(1000.0, 40.0, 1000.0, 20.0)  # N/m, Ns/m, Nm/rad, Nms/rad: a firm grip
SQUARE_RADIUS = (math.sqrt(2) + math.asinh(1)) / 6  # mean distance of a unit square's points from its middle, m


@functools.cache
def rest_ripple(maker: Maker) -> tuple[float, float]:
    """A box at rest under a load of 5 N, 0.3 m off its middle: rms error of contact force and torque, mN, mNm."""
    probe = Probe(maker, box(FLAT, (0, 0, 0.1)), DT)
    load = np.array([0, 0, -5.0, 0, 5.0 * 0.3, 0])
    for _ in range(1000):
        probe.tick(load)
    felt = np.array([probe.tick(load) for _ in range(1000)])
    error = felt - np.array([0, 0, WEIGHT + 5.0, 0, -1.5, 0])
    rms = np.sqrt((error**2).mean(axis=0))
    return 1e3 * float(np.linalg.norm(rms[:3])), 1e3 * float(np.linalg.norm(rms[3:]))


def sliding_force(maker: Maker, speed: float, seconds: float) -> float:
    """Friction of a sliding box, in three directions: the worst error of the mean force vector, % of mu m g.

    `speed` is that at the start; the first third of `seconds` is left for the box to come down. It must not stop.
    """
    worst = 0.0
    for degrees in (0.0, 22.5, 45.0):
        way = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0])
        probe = Probe(maker, box(FLAT, (0, 0, 0.1), velocity=list(speed * way)), DT)
        probe.run(seconds / 3)
        start = probe.twist[:3]
        probe.run(2 * seconds / 3)
        force = (probe.twist[:3] - start) / (2 * seconds / 3)
        worst = max(worst, float(np.linalg.norm((force + MU * WEIGHT * way)[:2])))
    return 100 * worst / (MU * WEIGHT)


def spinning_torque(maker: Maker) -> float:
    """Friction torque of a square face that spins on the floor, against the evenly pressed face: error in %."""
    probe = Probe(maker, box(FLAT, (0, 0, 0.1), angular_velocity=[0, 0, 8.0]), DT)
    probe.run(0.1)
    start = probe.twist[5]
    probe.run(0.1)
    torque = (start - probe.twist[5]) / 0.1 * probe.inertia[2]
    right = MU * WEIGHT * SQUARE_RADIUS
    return 100 * abs(torque - right) / right


def stop_distance(maker: Maker) -> float:
    """Way of a box pushed off at 2 m/s, m; v^2 / (2 mu g) = 0.408."""
    probe = Probe(maker, box(FLAT, (0, 0, 0.1), velocity=[2.0, 0, 0]), DT)
    probe.run(1.0)
    return float(probe.position[0])


def slope_creep(maker: Maker) -> float:
    """Creep of a box on a slope of 20 degrees, where it should stick: um in 10 s."""
    probe = Probe(maker, box(FLAT, (0, 0, 0.1), slope=math.radians(20.0)), DT)
    probe.run(1.0)
    start = probe.position
    probe.run(10.0)
    return 1e6 * float(np.linalg.norm(probe.position - start))


def tower_drift(maker: Maker) -> float:
    """Largest way of a block of the 13-block tower from 2 s to 12 s, um."""
    engine = maker.build(stack("tower", 13), DT)
    engine.step(2000)
    start = engine.poses()[:, :3]
    engine.step(10_000)
    return 1e6 * float(np.abs(engine.poses()[:, :3] - start).max())


def settling_time(maker: Maker) -> float:
    """The papers' cube drop at 10 ms: when the angular momentum stays below 1 % of its peak, s; 4: not within 4 s."""
    probe = Probe(maker, hapticd.load_scene(CUBE_DROP), 0.01)
    track = np.array([abs(_ticked(probe)[4]) for _ in range(400)])
    late = np.flatnonzero(track > 0.01 * track.max())
    return 0.01 * (float(late[-1]) + 1)


def _ticked(probe: Probe) -> np.ndarray:
    probe.engine.step(1)
    return probe.momentum()


@dataclass(frozen=True)
class Rock:
    """A hand turns a pressed cube of 1 m from one edge over the face to the other edge."""

    seconds: float  # for the whole turn of 0.2 rad
    press: float  # m, how far below the resting height the hand wants the cube; 1000 N/m

    @property
    def landing(self) -> tuple[float, float]:
        """Steps of a rigid cube as its face lands, N and Nm in 1 ms: m v and I omega end within one step."""
        omega = 2 * LEAN / self.seconds
        return math.sqrt(0.5) * omega / DT, omega / 6 / DT


@functools.cache  # force and torque are two rows
def rocking(maker: Maker, rock: Rock) -> tuple[float, float]:
    """Largest change of contact force and torque in 1 ms while the cube is rocked: N, Nm."""
    turned = [0, math.sin(0.5 * LEAN), 0, math.cos(0.5 * LEAN)]
    probe = Probe(maker, box((1.0, 1.0, 1.0), (0, 0, 0.55), q_xyzw=turned), DT)
    place, ticks = np.array([0.0, 0.0, 0.5 - rock.press]), round(rock.seconds / DT)
    wrenches = []
    for k in range(1000 + ticks + 200):  # held for 1 s, turned, held
        angle = LEAN - 2 * LEAN * min(max((k - 1000) / ticks, 0.0), 1.0)
        wrenches.append(probe.tick(HAND.wrench(probe, place, about_y(angle))))
    return largest_step(wrenches[900:])


def seam(maker: Maker) -> float:
    """Largest change of contact force in 1 ms while a hand draws a pressed box over two floor tiles in one plane, N."""
    wood = {"stiffness": PYRAMID_GAINS[0], "damping": PYRAMID_GAINS[1], "mu": MU}
    tiles = [
        {"name": f"tile{x}", "kind": "static", "material": "wood", "position": [x, 0.0, -1.0],
         "shape": {"type": "box", "size": [50.0, 100.0, 2.0]}}
        for x in (-25.0, 25.0)
    ]  # fmt: skip
    flat = {"name": "box", "material": "wood", "mass": 1.0, "position": [-0.8, 0.0, 0.1]}
    flat["shape"] = {"type": "box", "size": list(FLAT)}
    probe = Probe(maker, hapticd.load_scene({"material": {"wood": wood}, "body": [*tiles, flat]}), DT)
    wrenches = []
    for k in range(4500):  # at 0.4 m/s; after 0.5 s it slides evenly, after 0.75 s its front meets the seam
        place = np.array([-0.8 + 0.4 * k * DT, 0.0, 0.08])
        wrenches.append(probe.tick(HAND.wrench(probe, place, about_y(0.0))))
    return largest_step(wrenches[500:])[0]


def largest_step(wrenches: list[Floats]) -> tuple[float, float]:
    """Of force and of torque, from one wrench to the next."""
    steps = np.diff(np.array(wrenches), axis=0)
    return float(np.linalg.norm(steps[:, :3], axis=1).max()), float(np.linalg.norm(steps[:, 3:], axis=1).max())


def tumbling_energy(maker: Maker) -> float:
    """A 1 x 2 x 3 m box that tumbles freely about its middle axis for 10 s: change of its energy, %."""
    scene = box((1.0, 2.0, 3.0), (0, 0, 10.0), gravity=0.0, angular_velocity=[0.1, 5.0, 0.1])
    probe = Probe(maker, scene, DT)
    start = probe.energy()
    worst = 0.0
    for _ in range(1000):
        probe.engine.step(10)
        worst = max(worst, abs(probe.energy() - start))
    return 100 * worst / start


def sinking(maker: Maker, gains: tuple[float, float] = PYRAMID_GAINS) -> float:
    """How far a box at rest is in the floor, mm; only hapticd reads the gains."""
    probe = Probe(maker, box(FLAT, (0, 0, 0.1), gains=gains), DT)
    probe.run(2.0)
    return 1e3 * float(0.1 - probe.position[2])


def slip_angle(maker: Maker) -> float:
    """Slope at which a box first slides, degrees; atan mu = 26.57."""

    def slides(angle: float) -> bool:
        probe = Probe(maker, box(FLAT, (0, 0, 0.1), slope=math.radians(angle)), DT)
        probe.run(1.5)  # what it slid while it was still landing is over
        start = probe.position
        probe.run(0.5)
        return float(np.linalg.norm(probe.position - start)) > 1e-3

    return bisect(slides, 20.0, 33.0)


def topple_angle(maker: Maker) -> float:
    """Lean from which a 0.5 x 0.5 x 2 m post falls over instead of back, degrees; atan(0.5 / 2) = 14.04."""

    def topples(angle: float) -> bool:
        lean = math.radians(angle)
        height = math.cos(lean) + 0.25 * math.sin(lean)
        turned = [0, math.sin(0.5 * lean), 0, math.cos(0.5 * lean)]
        probe = Probe(maker, box((0.5, 0.5, 2.0), (0, 0, height), q_xyzw=turned), DT)
        probe.run(3.0)
        return bool(probe.rotation[2, 2] < 0.7)

    return bisect(topples, 10.0, 18.0)


def topple_direction(maker: Maker) -> float:
    """Where the top of that post lies when it leans by 20 degrees towards azimuth 30 and falls: degrees."""
    lean, azimuth = math.radians(20.0), math.radians(30.0)
    axis = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0]) * math.sin(0.5 * lean)
    scene = box((0.5, 0.5, 2.0), (0, 0, 1.3), q_xyzw=[*axis, math.cos(0.5 * lean)])
    probe = Probe(maker, scene, DT)
    probe.run(3.0)
    top = probe.rotation[:, 2]
    return math.degrees(math.atan2(top[1], top[0]))


def bisect(over: object, low: float, high: float, halvings: int = 7) -> float:
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if over(middle) else (middle, high)
    return 0.5 * (low + high)
