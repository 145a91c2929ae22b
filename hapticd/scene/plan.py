"""From a scene's tables to bodies with shapes, masses and frames: everything that is worked out once, before arrays.

A body's kernel frame has its origin in the centre of mass and the axes of the scene's frame; `origin` keeps where the
scene's frame is. The mass is spread evenly over the parts, which should not overlap.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.scene.convex import ConvexShape, body_frame
from hapticd.scene.decompose import load_parts
from hapticd.scene.file import Scene
from hapticd.scene.schema import Body, Box, Cylinder, Hull, Mesh, Part, Prism, Sphere

Floats = npt.NDArray[np.float64]

CYLINDER_TOLERANCE = 0.02  # of the radius: 16 sides
SPHERE_TOLERANCE = 0.05  # of the radius


class PlannedBody(NamedTuple):
    table: Body
    parts: list[ConvexShape]  # about the centre of mass
    origin: Floats  # (3,) m, of the scene's frame, seen from the centre of mass
    mass: float  # kg; 0: forces do not move it
    inertia: Floats  # (3, 3) kg m2 about the centre of mass

    @property
    def moves(self) -> bool:
        return self.mass > 0.0

    @property
    def position(self) -> Floats:
        """Of the centre of mass in the world at the start."""
        return np.asarray(self.table.position - rotation(self.table.q_xyzw) @ self.origin)


class Plan(NamedTuple):
    scene: Scene
    bodies: list[PlannedBody]

    @property
    def pointer(self) -> int:
        """Index of the pointer's body, or -1."""
        return next((i for i, body in enumerate(self.bodies) if body.table.kind == "pointer"), -1)


def plan(scene: Scene) -> Plan:
    """Shapes and masses of all bodies; equal boxes are built once."""
    known: dict[Part, list[ConvexShape]] = {}
    return Plan(scene, [_planned(scene, body, known) for body in scene.bodies])


def _planned(scene: Scene, body: Body, known: dict[Part, list[ConvexShape]]) -> PlannedBody:
    shapes = []
    for part in body.all_parts:
        if part not in known:
            known[part] = _shapes(part, body.name)
        shapes += known[part]
    centre, parts = body_frame(shapes)
    volume = sum(part.volume for part in parts)
    simulated = body.kind == "dynamic" or (body.kind == "pointer" and scene.table.pointer.coupling is not None)
    mass = 0.0
    if simulated:
        mass = body.mass if body.mass is not None else volume * (body.density or 0.0)
    inertia = sum((_about_origin(part, mass * part.volume / volume) for part in parts), np.zeros((3, 3)))
    if simulated and not (np.isfinite(inertia).all() and np.linalg.cond(inertia) < 1e12):
        raise SceneError(f"body {body.name!r}: its inertia has no inverse; make it thicker or heavier")
    return PlannedBody(body, parts, -centre, mass, inertia)


def _shapes(part: Part, name: str) -> list[ConvexShape]:
    """One convex part, or those of a mesh that was decomposed."""
    if isinstance(part, Mesh) and part.decomposed:
        shapes = load_parts(part.file, name=name, scale=part.scale)
    else:
        shapes = [_shape(part, name)]
    return [shape.moved(part.position, rotation(part.q_xyzw)) for shape in shapes]


def _shape(part: Part, name: str) -> ConvexShape:
    match part:
        case Box():
            shape = ConvexShape.box(part.size, name=name)
        case Hull():
            shape = ConvexShape(part.vertices, name=name)
        case Prism():
            shape = ConvexShape.prism(part.sides, part.height, radius=part.radius, name=name)
        case Cylinder():
            shape = ConvexShape.cylinder(
                part.radius, part.height, part.tolerance or CYLINDER_TOLERANCE * part.radius, name=name
            )
        case Sphere():
            shape = ConvexShape.sphere(part.radius, part.tolerance or SPHERE_TOLERANCE * part.radius, name=name)
        case Mesh():
            shape = ConvexShape.load(part.file, scale=part.scale, hull=part.hull, name=name)
    return shape


def _about_origin(part: ConvexShape, mass: float) -> Floats:
    """Inertia of a part about the body's centre of mass: its own, and Steiner's."""
    if mass == 0.0:
        return np.zeros((3, 3))
    c = part.centroid
    return part.inertia(mass=mass) + mass * (c @ c * np.eye(3) - np.outer(c, c))


def rotation(q_xyzw: npt.ArrayLike) -> Floats:
    """The matrix of a quaternion, normalised first: files give six digits."""
    q = np.asarray(q_xyzw, dtype=np.float64)
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
