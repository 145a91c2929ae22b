"""The 3-D part of the view: bodies, pointer, contact polygons, forces, the pointer's trail.

Gets the scene and states of a client, gives them to viser's batched calls: one per distinct shape, because a node per
body costs fourteen times as much (84 % of a core instead of 6 % for 100 bodies). viser's quaternions are w x y z.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.state import Contact, Scene, State
from hapticd.view import palette
from hapticd.view.server import Server

WXYZ = [6, 3, 4, 5]  # columns of a body's row
PRESSURE_STEPS = 6  # contact polygons are drawn in as many colours
TRAIL_POINTS = 120
TRAIL_PERIOD_NS = 50_000_000
MARKS_PERIOD_NS = 33_000_000  # contacts and forces: half as often as bodies, which halves the cost of the view
LIFT = 0.002  # of the scene's size, by which polygons float above the surface so that both are not drawn in one place
OUTSET = 1.08  # by which polygons are drawn larger: a rim shows around the smaller body, wherever one looks from
SEE_THROUGH = 0.88  # opacity of what moves, so that contacts beneath are seen
NOTHING = np.zeros((0, 2, 3), np.float32)
POINT = np.zeros((3, 3), np.float32)  # a triangle of no size: a mesh must not be empty
FACE = np.array([[0, 1, 2]], np.uint32)

Floats = NDArray[np.floating[Any]]


@dataclass
class Batch:
    """Every body that has this shape."""

    handle: Any
    bodies: NDArray[np.intp]


class Stage:
    """Everything in the picture; `show` draws one state."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.scene: Scene | None = None
        self.batches: list[Batch] = []
        self.nodes: list[Any] = []
        self.size = 1.0  # m, of what moves
        self.strongest = 1e-6  # N, of late: the longest arrow
        self.hardest = 1e-6  # Pa, of late: the hottest colour
        self.trail: deque[Floats] = deque(maxlen=TRAIL_POINTS)
        self.trail_ns = self.marks_ns = 0
        server.scene.set_up_direction("+z")
        # viser's own lights wash colours out: a soft sky, and one lamp that throws shadows.
        server.scene.configure_default_lights(enabled=False)
        server.scene.configure_environment_map(None)
        server.scene.add_light_hemisphere("/light/sky", ground_color=(190, 185, 180), intensity=1.2)
        server.scene.add_light_directional("/light/lamp", intensity=1.1, cast_shadow=True, position=(0.6, -0.8, 2.0))

    def set_scene(self, scene: Scene, state: State) -> None:
        """A new picture for a new scene."""
        self.scene = scene
        for node in [*(batch.handle for batch in self.batches), *self.nodes]:
            node.remove()
        self.trail.clear()
        self.trail_ns = self.marks_ns = 0
        self.size, centre, floor = _extent(scene, state)
        self.batches = [self._batch(scene, i) for i in range(len(scene.shapes))]
        api, size = self.server.scene, self.size
        self.grid = api.add_grid(
            "/grid", 40 * size, 40 * size, cell_size=size / 2, section_size=2.5 * size, position=(0.0, 0.0, floor),
            cell_color=(225, 228, 235), section_color=(200, 205, 216), fade_distance=14 * size, shadow_opacity=0.25,
        )  # fmt: skip
        steps = palette.pressure_colour(np.arange(PRESSURE_STEPS) / (PRESSURE_STEPS - 1))
        self.patches = [
            api.add_mesh_simple(
                f"/contact/{i}",
                POINT,
                FACE,
                color=_rgb(colour),
                side="double",
                cast_shadow=False,
                receive_shadow=False,
                visible=False,
            )
            for i, colour in enumerate(steps)
        ]
        self.rims = api.add_line_segments("/contact/rim", NOTHING, (255, 255, 255), thickness=0.008 * size)
        self.arrows = api.add_arrows(
            "/forces", NOTHING, np.zeros((0, 3), np.uint8),
            shaft_radius=0.01 * size, head_radius=0.025 * size, head_length=0.05 * size,
        )  # fmt: skip
        self.path = api.add_line_segments("/trail", NOTHING, (255, 255, 255), thickness=0.008 * size)
        self.nodes = [self.grid, *self.patches, self.rims, self.arrows, self.path]
        camera = self.server.initial_camera
        camera.look_at = tuple(centre)
        camera.position = tuple(centre + size * np.array([0.75, -1.15, 0.75]))

    def _batch(self, scene: Scene, shape: int) -> Batch:
        bodies = [i for i, body in enumerate(scene.bodies) if shape in body.shapes]
        colours = [palette.body_colour(i, scene.bodies[i].kind, scene.bodies[i].colour) for i in bodies]
        one = np.tile(np.array([1.0, 0, 0, 0], np.float32), (len(bodies), 1))
        solid = all(scene.bodies[i].kind == "static" for i in bodies)
        handle = self.server.scene.add_batched_meshes_simple(
            f"/bodies/{shape}", scene.shapes[shape].vertices, scene.shapes[shape].faces.astype(np.uint32), one,
            np.zeros((len(bodies), 3), np.float32), batched_colors=np.array(colours, np.uint8), flat_shading=True,
            lod="off", opacity=None if solid else SEE_THROUGH,
        )  # fmt: skip
        return Batch(handle, np.array(bodies))

    def show(self, state: State) -> None:
        """One state, at once for every viewer."""
        with self.server.atomic():
            for batch in self.batches:
                rows = state.body[batch.bodies]
                batch.handle.batched_positions = rows[:, :3].astype(np.float32)
                batch.handle.batched_wxyzs = rows[:, WXYZ].astype(np.float32)
            if abs(state.time_ns - self.marks_ns) >= MARKS_PERIOD_NS:
                self.marks_ns = state.time_ns
                contacts = state.contacts
                self._show_contacts(contacts)
                self._show_forces(contacts, state)
            self._show_trail(state)

    def _show_contacts(self, contacts: list[Contact]) -> None:
        patches = [contact for contact in contacts if len(contact.polygon) >= 3 and contact.area > 0.0]
        pressure = np.array([abs(float(c.wrench[:3] @ c.normal)) / c.area for c in patches])
        self.hardest = max(0.98 * self.hardest, float(pressure.max(initial=0.0)), 1e-6)
        share = pressure / self.hardest
        step = np.minimum((share * PRESSURE_STEPS).astype(int), PRESSURE_STEPS - 1)
        for i, handle in enumerate(self.patches):
            chosen = [contact for contact, s in zip(patches, step, strict=True) if s == i]
            if chosen:
                handle.vertices, handle.faces = _fans(chosen, LIFT * self.size)
            if handle.visible != bool(chosen):
                handle.visible = bool(chosen)
        lift = LIFT * self.size
        loops = [np.stack([side, np.roll(side, -1, axis=0)], axis=1) for c in patches for side in _sides(c, lift)]
        colours = [
            np.broadcast_to(colour, (len(loop), 2, 3))
            for loop, colour in zip(loops, np.repeat(palette.pressure_colour(share), 2, axis=0), strict=True)
        ]
        self.rims.points = np.concatenate([NOTHING, *loops]).astype(np.float32)
        self.rims.colors = np.concatenate([np.zeros((0, 2, 3), np.uint8), *colours])

    def _show_forces(self, contacts: list[Contact], state: State) -> None:
        """Each contact's force on A, and what the pointer feels."""
        starts = [contact.centre for contact in contacts]
        forces = [contact.wrench[:3] for contact in contacts]
        colours = [palette.CONTACT_FORCE] * len(contacts)
        pointer = state.pointer_wrench[:3]
        if float(np.linalg.norm(pointer)) > 0.0:
            starts, forces, colours = [*starts, state.pointer[:3]], [*forces, pointer], [*colours, palette.FORCE]
        strength = np.array([float(np.linalg.norm(force)) for force in forces])
        self.strongest = max(0.99 * self.strongest, float(strength.max(initial=0.0)), 1e-6)
        shown = np.flatnonzero(strength > 0.03 * self.strongest)
        if not len(shown):
            points = NOTHING
        else:
            start = np.array([starts[i] for i in shown])
            points = np.stack(
                [start, start + np.array([forces[i] for i in shown]) * 0.5 * self.size / self.strongest], 1
            )
        self.arrows.points = points.astype(np.float32)
        self.arrows.colors = np.array([colours[i] for i in shown], np.uint8).reshape(-1, 3)

    def _show_trail(self, state: State) -> None:
        if abs(state.time_ns - self.trail_ns) < TRAIL_PERIOD_NS or self.scene is None or self.scene.pointer < 0:
            return
        self.trail_ns = state.time_ns
        self.trail.append(state.pointer[:3].copy())
        if len(self.trail) < 2:
            return
        points = np.array(self.trail, np.float32)
        age = np.linspace(0.0, 1.0, len(points) - 1)[:, None, None]
        fade = 255.0 + (np.array(palette.TRAIL) - 255.0) * age  # into the white background
        self.path.points = np.stack([points[:-1], points[1:]], axis=1)
        self.path.colors = np.broadcast_to(fade, (len(points) - 1, 2, 3)).astype(np.uint8)


def _sides(contact: Contact, lift: float) -> tuple[Floats, Floats]:
    """The outline just outside of either body, a little larger than it is: the true one lies inside both."""
    middle = contact.polygon.mean(axis=0)
    larger = middle + OUTSET * (contact.polygon - middle)
    step = (0.5 * contact.depth + lift) * contact.normal
    return larger + step, larger - step


def _fans(contacts: list[Contact], lift: float) -> tuple[Floats, NDArray[np.uint32]]:
    """Triangles of convex polygons, outside of both bodies."""
    vertices, faces, first = [], [], 0
    for contact in contacts:
        for side in _sides(contact, lift):
            vertices.append(side)
            faces += [(first, first + k, first + k + 1) for k in range(1, len(side) - 1)]
            first += len(side)
    return np.concatenate(vertices).astype(np.float32), np.array(faces, np.uint32)


def _extent(scene: Scene, state: State) -> tuple[float, Floats, float]:
    """Size and centre of what moves, and the height of the ground."""
    reach = [
        max((float(np.linalg.norm(scene.shapes[s].vertices, axis=1).max()) for s in body.shapes), default=0.0)
        for body in scene.bodies
    ]
    moving = [i for i, body in enumerate(scene.bodies) if body.kind != "static"] or list(range(len(scene.bodies)))
    if not moving:
        return 1.0, np.zeros(3), 0.0
    low = np.min([state.positions[i] - reach[i] for i in moving], axis=0)
    high = np.max([state.positions[i] + reach[i] for i in moving], axis=0)
    floors = [
        float((state.positions[i][2] + scene.shapes[s].vertices[:, 2]).min())
        for i, body in enumerate(scene.bodies)
        for s in body.shapes
    ]
    return float(max(*(high - low), 1e-3)), 0.5 * (low + high), min(floors, default=0.0)


def _rgb(colour: NDArray[np.uint8]) -> tuple[int, int, int]:
    return int(colour[0]), int(colour[1]), int(colour[2])
