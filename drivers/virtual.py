"""The simulated device: no hardware, in the servo's own process. A handle like a SPIDAR's, or a 2-DOF one.

Frames are honest bytes, so that recording and replay treat it like any device (little-endian):

    in    f64[13] u32       position, q_xyzw, velocity, angular velocity, buttons
    out   f64[6]            force and torque

A hand (`virtual_hand.py`) moves it along a path, stiffly or by a spring that feels the force. What it does not model:
strings, motors and their limits, delay, quantisation (but for `resolution`), a hand that thinks. It serves demos and
tests of the loop; the closed loop with bytes on a wire is the emulators' (tests/emulators).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from hapticd.device import Bytes, Capabilities, Device, Motor, Row, Transport, Workspace
from hapticd.rule import Above, AtLeast
from hapticd.schema import read_table

from . import virtual_frame as f
from . import virtual_hand as h

SUBSTEPS = 10  # of the hand in one tick

STILL = ((0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class Options:
    """[device] of driver = "virtual"."""

    kind: Literal["spidar", "handle"] = "spidar"
    hand: Literal["stiff", "soft"] = "soft"
    path: tuple[tuple[float, ...], ...] = (
        STILL  # t s, x y z m, and perhaps a rotation vector, rad; walked over and over
    )
    mass: Annotated[float, Above(0)] = 0.6  # kg, hand and grip
    stiffness: Annotated[float, AtLeast(0)] = 135.0  # N/m, of the hand
    damping: Annotated[float, AtLeast(0)] = 6.5  # Ns/m
    friction: Annotated[float, Above(0)] = 2.0  # Ns/m, b of the device
    resolution: Annotated[float, AtLeast(0)] = 0.0  # m; 0: exact
    buttons: Annotated[int, AtLeast(0)] = 0  # pressed all the time

    def complaints(self) -> Iterator[tuple[str, str]]:
        if len(self.path) < 2 or any(len(point) not in (4, 7) for point in self.path):
            yield "path", "needs at least two points of 4 numbers (t x y z) or 7 (and a rotation vector)"
            return
        times = [point[0] for point in self.path]
        if times[0] != 0.0 or any(a >= b for a, b in itertools.pairwise(times)):
            yield "path", f"has the times {times}; they must rise from 0"
        if any(sum(x * x for x in point[4:]) > 1.0 for point in self.path):
            yield "path", "turns by more than one radian"


class Virtual(Device):
    """driver = "virtual"."""

    name = "virtual"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = read_table(Options, options)
        self.off = self.rest = bytes(f.OUTPUT_SIZE)
        self.panic = ()
        self.state = np.zeros(1)  # decode and encode remember nothing
        self.capabilities = _capabilities(self.options)
        self.path = np.zeros((len(self.options.path), h.WAY_SIZE))
        for row, point in zip(self.path, self.options.path, strict=True):
            row[: len(point)] = point
        self.hand = np.zeros(h.HAND_SIZE)
        self.grip, self.target = np.zeros(h.GRIP_SIZE), np.zeros(12)
        self.time = 0.0
        self.frame = np.zeros(f.INPUT_SIZE, np.uint8)
        self.frame_numbers = self.frame[:-4].view(np.float64)
        self.force, self.in_bytes, self.out_bytes = (np.zeros(8 * n, np.uint8) for n in (6, f.NUMBERS, 6))
        self.force_numbers, self.in_numbers, self.out_numbers = (
            scratch.view(np.float64) for scratch in (self.force, self.in_bytes, self.out_bytes)
        )

    def open(self) -> int:
        options = self.options
        # The turn has the numbers of the shift on a grip of 3 cm radius.
        turn = np.array([options.mass, options.damping, options.stiffness]) * 0.03**2
        self.hand[:] = options.mass, options.damping, options.stiffness, options.friction, *turn
        self.frame[-4:].view(np.uint32)[0] = options.buttons
        self.exchange(np.zeros(f.OUTPUT_SIZE, np.uint8), f.OUTPUT_SIZE, self.frame.copy())  # compiles what it calls
        self.time = 0.0
        h.follow(self.grip, self.path, 0.0, self.target)
        return -1

    def exchange(self, out: Bytes, count: int, raw: Bytes) -> int:
        """One period of the hand under the last force; the frame that the device would send at its end."""
        if count == f.OUTPUT_SIZE:
            f.take(out, self.force)
        self.time += self.period
        if self.options.hand == "stiff":
            h.follow(self.grip, self.path, self.time, self.target)
        else:
            dt = self.period / SUBSTEPS
            h.drag(self.grip, self.path, self.time, self.target, self.hand, self.force_numbers, dt, SUBSTEPS)
        flat = self.options.kind == "handle"
        return int(f.report(self.grip, self.options.resolution, flat, self.frame, self.frame_numbers, raw))

    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        return int(f.unpack(raw, count, self.in_bytes, self.in_numbers, sample))

    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        have = self.capabilities
        return int(
            f.pack(wrench, have.dof, have.force_peak, have.torque_peak, self.out_bytes, self.out_numbers, raw, rendered)
        )

    def close(self) -> None:
        pass


def _capabilities(options: Options) -> Capabilities:
    flat = options.kind == "handle"
    half = (0.06, 0.06, 0.0) if flat else (0.06, 0.06, 0.06)
    force, torque = (8.0, 0.0) if flat else (20.0, 0.5)
    bounds = [force] * 3 + [torque] * 3
    return Capabilities(
        title="simulated 2-DOF handle" if flat else "simulated 6-DOF handle", identity="virtual", dof=2 if flat else 6,
        force_peak=force, force_continuous=0.5 * force, torque_peak=torque, torque_continuous=0.5 * torque,
        thermal_time=20.0, workspace=Workspace((0.0, 0.0, 0.0), half, 0.0 if flat else 1.2), velocity_peak=5.0,
        spin_peak=60.0, delay=0.0, damping=options.friction, transport=Transport.INTERNAL, input_size=f.INPUT_SIZE,
        output_size=f.OUTPUT_SIZE, motors=tuple(Motor(8 * k, "f8", -b, b) for k, b in enumerate(bounds)), watchdog=0.0,
        buttons=24, simulated=True,
    )  # fmt: skip
