"""A plan into the kernel's arrays: `fill` writes a world of given capacities, `build` makes one that fits.

    world = build(plan(load_scene(path)), Settings(dt=1e-3))          # memory of this process
    fill(world(arena), plan, settings)                                # an arena of a running daemon

Start-up or builder side; never in a tick.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.kernel import layout as k
from hapticd.kernel.force.select import SOLVERS
from hapticd.kernel.layout import Model, Shapes, State
from hapticd.scene.arrays import Capacity, World, allocate
from hapticd.scene.convex import ConvexShape
from hapticd.scene.material import PointerLimit, coupling_gains, material_names, pair_gain, pointer_gain
from hapticd.scene.pack import pack_shapes
from hapticd.scene.plan import Floats, Plan, PlannedBody, rotation
from hapticd.scene.schema import Oscillate, Spin, Steady

KINDS = {"dynamic": k.DYNAMIC, "static": k.STATIC, "kinematic": k.KINEMATIC, "pointer": k.POINTER}
PAIRS_PER_PART = 8  # boxes in a dense heap have 12 to 14 neighbours, half of them with a higher number
MARGIN_SHARE = 0.02  # of the thinnest moving part: boxes are fattened by it


@dataclass(frozen=True)
class Settings:
    """What the scene file leaves open, or what a caller overrides."""

    dt: float
    solver: str | None = None
    friction: str | None = None  # for all pairs
    limit: PointerLimit | None = None  # the device; None: a simulated one that bears everything


def build(plan: Plan, settings: Settings) -> World:
    """A world just large enough for the scene, filled."""
    made = allocate(needed(plan))
    fill(made, plan, settings)
    return made


def needed(plan: Plan) -> Capacity:
    parts = [part for body in plan.bodies for part in body.parts]
    return Capacity(
        bodies=len(plan.bodies),
        parts=len(parts),
        pairs=64 + PAIRS_PER_PART * len(parts),
        materials=len(plan.scene.materials) + 1,
        vertices=sum(len(part.vertices) for part in parts),
        planes=sum(len(part.planes) for part in parts),
        nodes=sum(len(part.graph.node_vertex) for part in parts),
        edge_ends=sum(len(part.graph.edge_vertex) for part in parts),
        part_planes=max(len(part.planes) for part in parts),
        part_vertices=max(len(part.vertices) for part in parts),
    )


def capacity_of(world: World) -> Capacity:
    """Read off the arrays' shapes."""
    m, s, shapes = world.model, world.state, world.model.shapes
    return Capacity(
        bodies=len(m.kind),
        parts=len(m.part_body),
        pairs=len(s.pair),
        materials=round(len(m.gain) ** 0.5),
        vertices=len(shapes.vertex),
        planes=len(shapes.plane),
        nodes=len(shapes.node_vertex),
        edge_ends=len(shapes.edge_vertex),
        part_planes=(len(world.solid.corner) - 1) // 2,
        part_vertices=world.solid.mark.shape[1] - 1,
    )


def fill(world: World, plan: Plan, settings: Settings) -> None:
    """Write the scene into the world's arrays; what is not used is zero. Too large a scene changes nothing."""
    check_capacity(capacity_of(world), needed(plan))
    clear(world)
    fill_shapes(world.model.shapes, [part for body in plan.bodies for part in body.parts])
    fill_model(world.model, plan, settings)
    fill_state(world.state, world.model, plan)
    world.work.order[:] = np.arange(len(world.work.order))


def check_capacity(capacity: Capacity, wanted: Capacity) -> None:
    short = [name for name in capacity.holds(wanted) if name != "pairs"]  # pairs are counted while it runs
    if short:
        lacks = ", ".join(f"{getattr(wanted, name)} {name} (capacity {getattr(capacity, name)})" for name in short)
        raise SceneError(f"the scene needs {lacks}; raise [capacity] in the run config, or make the scene smaller")


def clear(world: World) -> None:
    for group in (world.model.shapes, world.model[1:], world.state, world.work, world.solid):
        for array in group:
            array[...] = 0


def fill_shapes(shapes: Shapes, parts: list[ConvexShape]) -> None:
    """Starts beyond the last part stay at the end: such parts are empty."""
    for name, packed in pack_shapes(parts)._asdict().items():
        array: npt.NDArray[Any] = getattr(shapes, name)
        array[: len(packed)] = packed
        if name.endswith("_start"):
            array[len(packed) :] = packed[-1]


def fill_model(m: Model, plan: Plan, settings: Settings) -> None:
    parts = [(i, part) for i, body in enumerate(plan.bodies) for part in body.parts]
    m.part_body[: len(parts)] = [i for i, _ in parts]
    names = material_names(plan.scene)
    for i, body in enumerate(plan.bodies):
        kind = body.table.kind
        m.kind[i] = KINDS[kind]
        m.still[i] = kind in ("static", "kinematic")
        m.origin[i] = body.origin
        m.material[i] = len(names) if kind == "pointer" else names.index(body.table.material)
        fill_mass(m.mass[i], body)
        fill_script(m.script[i], body)
    fill_gains(m, plan, settings)
    fill_world(m, plan, settings)


def fill_mass(row: Floats, body: PlannedBody) -> None:
    if not body.moves:
        return
    row[k.MASS_INVERSE], row[k.MASS] = 1.0 / body.mass, body.mass
    row[k.INERTIA : k.INERTIA + 6] = _six(body.inertia)
    row[k.INERTIA_INVERSE : k.INERTIA_INVERSE + 6] = _six(np.asarray(np.linalg.inv(body.inertia), dtype=np.float64))


def _six(tensor: Floats) -> list[float]:
    return [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[1, 2], tensor[2, 0]]


def fill_script(row: Floats, body: PlannedBody) -> None:
    row[k.SCRIPT_START : k.SCRIPT_START + 3] = body.position
    row[k.SCRIPT_Q : k.SCRIPT_Q + 4] = _unit(body)
    match body.table.script:
        case Oscillate(axis=axis, amplitude=amplitude, frequency=frequency):
            row[k.SCRIPT_KIND], row[k.SCRIPT_AMPLITUDE], row[k.SCRIPT_RATE] = k.SCRIPT_OSCILLATE, amplitude, frequency
            row[k.SCRIPT_AXIS : k.SCRIPT_AXIS + 3] = axis
        case Spin(axis=axis, rate=rate):
            row[k.SCRIPT_KIND], row[k.SCRIPT_RATE] = k.SCRIPT_SPIN, rate
            row[k.SCRIPT_AXIS : k.SCRIPT_AXIS + 3] = axis
        case Steady(velocity=velocity):
            row[k.SCRIPT_KIND] = k.SCRIPT_STEADY
            row[k.SCRIPT_VELOCITY : k.SCRIPT_VELOCITY + 3] = velocity


def fill_gains(m: Model, plan: Plan, settings: Settings) -> None:
    """Row a * n + b for the materials a and b; the last index is the pointer's, its row with itself is never read."""
    scene, names = plan.scene, material_names(plan.scene)
    n = len(names) + 1
    table = m.gain[: n * n].reshape(n, n, k.GAIN_SIZE)
    for a, one in enumerate(names):
        for b, other in enumerate(names):
            table[a, b] = pair_gain(scene, one, other, settings.friction).row()
    if plan.pointer >= 0:
        pointer = plan.bodies[plan.pointer]
        area = max(largest_section(part) for part in pointer.parts)
        for b, other in enumerate(names):
            gain = pointer_gain(
                scene, pointer.table.material, other, area, settings.dt, settings.limit, settings.friction
            )
            table[n - 1, b] = table[b, n - 1] = gain.row()


def fill_world(m: Model, plan: Plan, settings: Settings) -> None:
    table = plan.scene.table
    widths = np.array([thickness(part) for body in plan.bodies for part in body.parts])
    moving = np.array([body.moves for body in plan.bodies for _ in body.parts])
    m.world[k.WORLD_GRAVITY : k.WORLD_GRAVITY + 3] = table.gravity
    m.world[k.WORLD_TRAVEL] = 0.5 * widths.min()
    m.world[k.WORLD_MARGIN] = MARGIN_SHARE * (widths[moving].min() if moving.any() else widths.min())
    m.world[k.WORLD_STEP] = settings.dt
    m.option[k.OPTION_SOLVER] = SOLVERS.index(settings.solver or table.solver)
    m.option[k.OPTION_PER_AREA] = table.stiffness_is == "per_area"
    m.option[k.OPTION_POINTER] = plan.pointer
    m.option[k.OPTION_BODIES], m.option[k.OPTION_PARTS] = len(plan.bodies), len(widths)
    m.option[k.OPTION_MATERIALS] = len(plan.scene.materials) + 1
    if plan.pointer >= 0:
        parts = plan.bodies[plan.pointer].parts
        m.world[k.WORLD_REACH] = max(float(np.linalg.norm(part.vertices, axis=1).max()) for part in parts)
        m.option[k.OPTION_COUPLED] = table.pointer.coupling is not None
        m.world[k.WORLD_COUPLING : k.WORLD_COUPLING + 4] = coupling_gains(plan.scene, settings.dt, settings.limit)


def thickness(part: ConvexShape) -> float:
    """Least width across any of the faces."""
    return float((part.planes[:, 3] - (part.planes[:, :3] @ part.vertices.T).min(axis=1)).min())


def largest_section(part: ConvexShape) -> float:
    """Area of the largest side of the bounding box: no contact patch is larger than about this."""
    sides = np.sort(part.bounds[1] - part.bounds[0])
    return float(sides[1] * sides[2])


def fill_state(s: State, m: Model, plan: Plan) -> None:
    for i, body in enumerate(plan.bodies):
        place(s.body[i], m.mass[i], body)
    if plan.pointer >= 0:
        table = plan.bodies[plan.pointer].table
        s.device[k.DEVICE_POSITION : k.DEVICE_POSITION + 3] = table.position
        s.device[k.DEVICE_Q : k.DEVICE_Q + 4] = _unit(plan.bodies[plan.pointer])
        s.device[k.DEVICE_VELOCITY : k.DEVICE_VELOCITY + 3] = table.velocity
        s.device[k.DEVICE_OMEGA : k.DEVICE_OMEGA + 3] = table.angular_velocity
    else:
        s.device[k.DEVICE_Q + 3] = 1.0


def place(row: Floats, mass: Floats, body: PlannedBody) -> None:
    """Pose and twist of the start: the table's, moved from the scene's frame to the centre of mass."""
    R, omega = rotation(body.table.q_xyzw), np.array(body.table.angular_velocity)
    velocity = np.array(body.table.velocity) - np.cross(omega, R @ body.origin)
    row[k.BODY_POSITION : k.BODY_POSITION + 3] = body.position
    row[k.BODY_Q : k.BODY_Q + 4] = _unit(body)
    if body.table.kind in ("static", "kinematic"):
        return  # at rest, or as the script says
    row[k.BODY_VELOCITY : k.BODY_VELOCITY + 3] = velocity
    row[k.BODY_OMEGA : k.BODY_OMEGA + 3] = omega
    row[k.BODY_MOMENTUM : k.BODY_MOMENTUM + 3] = mass[k.MASS] * velocity
    row[k.BODY_SPIN : k.BODY_SPIN + 3] = R @ body.inertia @ R.T @ omega


def _unit(body: PlannedBody) -> Floats:
    q = np.array(body.table.q_xyzw)
    return np.asarray(q / np.linalg.norm(q))
