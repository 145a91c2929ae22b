"""Is a scene stable at its step? If not: refused with the bound and the nearest stable value, never rescaled.

Symplectic Euler with an explicit damper is stable iff h^2 lambda(M^-1 K) + 2 h lambda(M^-1 B) < 4. The largest
eigenvalue is at most the largest row sum: for a body of mass m, over the bodies that it touches,

    sum = sum of (h^2 K + 2 h B) / m,   twice for a body that moves, too

All that stands still counts once, by its largest gains: gains per contact are shared (kernel/force/beside.py). Stated
worst case: the bodies that a body's box touches at the start, and at least the stiffest other one. Moving bodies by
the dozen later on, and corners far from the centre of mass, are beyond it. Rest is quiet up to a pair sum
(reduced mass) of about 0.4 along the normal and 0.2 in friction; above that a warning is logged. formulas.md,
"Stability".
"""

import logging
from typing import NamedTuple

import numpy as np

from hapticd.errors import SceneError
from hapticd.scene.build import largest_section
from hapticd.scene.material import Gain, PointerLimit, pair_gain, pointer_gain
from hapticd.scene.plan import Floats, Plan, PlannedBody, rotation

LIMIT = 4.0
QUIET_NORMAL, QUIET_STICK = 0.4, 0.2
TOUCH = 1e-3  # of a body's size: boxes this near count as touching

log = logging.getLogger(__name__)


class Sums(NamedTuple):
    """Row sums of one body: its springs' and its dampers' part."""

    spring: float
    damper: float

    @property
    def total(self) -> float:
        return self.spring + self.damper


def check(plan: Plan, dt: float, friction: str | None = None, limit: PointerLimit | None = None) -> None:
    """Raise SceneError if a body is unstable and the scene does not allow it; warn when it is restless."""
    gains = _Gains(plan, dt, friction, limit)
    near = neighbours(plan)
    quiet, worst, message = True, 0.0, ""
    for i, body in enumerate(plan.bodies):
        if not body.moves:
            continue
        partners = near[i] or gains.stiffest(i)
        for stick in (False, True):
            sums = row_sums(plan, gains, i, partners, dt, stick)
            if not sums.total < LIMIT and sums.total > worst:
                worst, message = sums.total, _refusal(plan, gains.of(i, partners[0]), i, len(partners), sums, dt, stick)
            reduced = max((row_sums(plan, gains, i, [j], dt, stick).total for j in partners), default=0.0)
            quiet = quiet and reduced <= (QUIET_STICK if stick else QUIET_NORMAL)
    if message and not plan.scene.table.allow_unstable:
        raise SceneError(message)
    _check_coupling(plan, dt)
    if not quiet:
        log.warning(
            "scene '%s': a pair's stability sum at dt = %g s is above %g (normal) or %g (friction); "
            "it is stable, but may not come to rest",
            *(plan.scene.name, dt, QUIET_NORMAL, QUIET_STICK),
        )


class _Gains:
    """Gains of pairs of bodies, each pair of materials worked out once."""

    def __init__(self, plan: Plan, dt: float, friction: str | None, limit: PointerLimit | None) -> None:
        self.plan, self.dt, self.friction, self.limit = plan, dt, friction, limit
        self.known: dict[tuple[str, str, bool], Gain] = {}
        self.sections = [max(largest_section(part) for part in body.parts) for body in plan.bodies]

    def of(self, i: int, j: int) -> Gain:
        """Per contact, whatever the scene's unit."""
        if j == self.plan.pointer:
            i, j = j, i
        a, b = self.plan.bodies[i].table.material, self.plan.bodies[j].table.material
        key = (a, b, i == self.plan.pointer)
        if key not in self.known:
            scene = self.plan.scene
            self.known[key] = (
                pointer_gain(scene, a, b, self.sections[i], self.dt, self.limit, self.friction)
                if key[2]
                else pair_gain(scene, a, b, self.friction)
            )
        gain = self.known[key]
        if self.plan.scene.table.stiffness_is == "per_contact":
            return gain
        return gain.times(min(self.sections[i], self.sections[j]))

    def stiffest(self, i: int) -> list[int]:
        """The other body against which body i is stiffest; none in a scene of one body."""
        first: dict[tuple[str, bool, bool], int] = {}
        for j, body in enumerate(self.plan.bodies):
            if j != i:
                first.setdefault((body.table.material, body.moves, j == self.plan.pointer), j)
        ranked = sorted(first.values(), key=lambda j: self.of(i, j).stiffness * (1 + self.plan.bodies[j].moves))
        return ranked[-1:]


def row_sums(plan: Plan, gains: _Gains, i: int, partners: list[int], dt: float, stick: bool) -> Sums:
    spring = damper = 0.0
    still = Sums(0.0, 0.0)
    for j in partners:
        gain = gains.of(i, j)
        if stick and gain.friction == "none":
            continue
        K, B = (gain.stick_stiffness, gain.stick_damping) if stick else (gain.stiffness, gain.damping)
        share = 1.0 / plan.bodies[i].mass
        if plan.bodies[j].moves:
            share += 1.0 / plan.bodies[i].mass if len(partners) > 1 else 1.0 / plan.bodies[j].mass
        own = Sums(dt * dt * K * share, 2.0 * dt * B * share)
        if plan.bodies[j].moves or j == plan.pointer or plan.scene.table.stiffness_is == "per_area":
            spring, damper = spring + own.spring, damper + own.damper
        else:
            still = Sums(max(still.spring, own.spring), max(still.damper, own.damper))
    return Sums(spring + still.spring, damper + still.damper)


def neighbours(plan: Plan) -> list[list[int]]:
    """Bodies whose boxes touch at the start, by a sweep along the axis of the largest spread."""
    boxes = np.array([_world_box(body) for body in plan.bodies])
    axis = int(np.argmax(np.ptp(boxes.mean(axis=1), axis=0)))
    order = np.argsort(boxes[:, 0, axis], kind="stable")
    starts = boxes[order, 0, axis]
    near: list[list[int]] = [[] for _ in plan.bodies]
    for place, i in enumerate(order):
        others = order[place + 1 : np.searchsorted(starts, boxes[i, 1, axis], side="right")]
        touch = (boxes[others, 0] <= boxes[i, 1]).all(axis=1) & (boxes[others, 1] >= boxes[i, 0]).all(axis=1)
        for j in others[touch]:
            near[i].append(int(j))
            near[int(j)].append(int(i))
    return near


def _world_box(body: PlannedBody) -> Floats:
    R = rotation(body.table.q_xyzw)
    corners = np.concatenate([part.vertices for part in body.parts]) @ R.T + body.position
    low, high = corners.min(axis=0), corners.max(axis=0)
    slack = TOUCH * (high - low).min()
    return np.array([low - slack, high + slack])


def _check_coupling(plan: Plan, dt: float) -> None:
    coupling = plan.scene.table.pointer.coupling
    if coupling is None or plan.pointer < 0 or plan.scene.table.allow_unstable:
        return
    body = plan.bodies[plan.pointer]
    inertia = float(np.linalg.eigvalsh(body.inertia)[0])
    for what, K, B, m in (
        ("", coupling.stiffness, coupling.damping, body.mass),
        ("turn_", coupling.turn_stiffness, coupling.turn_damping, inertia),
    ):
        total = dt * dt * K / m + 2.0 * dt * B / m
        if not total < LIMIT:
            nearest = _nearest(Sums(dt * dt * K / m, 2.0 * dt * B / m), K, B, what)
            raise SceneError(
                f"scene '{plan.scene.name}': [pointer.coupling] {what}stiffness = {K:g} with {what}damping = {B:g} is "
                f"unstable at dt = {dt:g} s: the sum is {total:.3g}, allowed is below {LIMIT:g}; {nearest}; or set "
                "allow_unstable = true"
            )


def _refusal(plan: Plan, gain: Gain, i: int, others: int, sums: Sums, dt: float, stick: bool) -> str:
    body = plan.bodies[i].table
    what = "stick_" if stick else ""
    K, B = (gain.stick_stiffness, gain.stick_damping) if stick else (gain.stiffness, gain.damping)
    return (
        f"scene '{plan.scene.name}': body '{body.name}' (material '{body.material}', {plan.bodies[i].mass:g} kg, "
        f"on {others} bodies): {what}stiffness {K:g} N/m with {what}damping {B:g} Ns/m is unstable at dt = {dt:g} s: "
        f"the sum of (h^2 K + 2 h B)/m is {sums.total:.3g}, allowed is below {LIMIT:g}; {_nearest(sums, K, B, what)}; "
        "a smaller step or a larger mass helps, too; or set allow_unstable = true"
    )


def _nearest(sums: Sums, K: float, B: float, what: str) -> str:
    """The nearest setting that passes, a thousandth below the bound: the stiffness if that is enough."""
    room = 0.999 * LIMIT
    if sums.damper < room:
        return f"nearest stable is {what}stiffness {K * (room - sums.damper) / sums.spring:.4g}"
    if sums.spring < room:
        return f"nearest stable is {what}damping {B * (room - sums.spring) / sums.damper:.4g}"
    share = room / sums.total
    return f"nearest stable is {what}stiffness {K * share:.4g} with {what}damping {B * share:.4g}"
