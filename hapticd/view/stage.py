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

from hapticd.state import Contacts, Scene, State
from hapticd.view import palette
from hapticd.view.outline import Outline
from hapticd.view.server import Server, tell

POSE = [0, 1, 2, 6, 3, 4, 5]  # columns of a body's row: x y z, w x y z
PRESSURE_STEPS = 6  # contact polygons are drawn in as many colours
TRAIL_POINTS = 120
TRAIL_PERIOD_NS = 50_000_000
MARKS_PERIOD_NS = 33_000_000  # contacts and forces: half as often as bodies, which halves the cost of the view
LIFT = 0.002  # of the scene's size, by which polygons float above the surface so that both are not drawn in one place
SEE_THROUGH = 0.88  # opacity of what moves, so that contacts beneath are seen
NOTHING = np.zeros((0, 2, 3), np.float32)
ARROW_COLOURS = np.array([palette.CONTACT_FORCE, palette.FORCE], np.uint8)
POINT = np.zeros((3, 3), np.float32)  # a triangle of no size: a mesh must not be empty
FACE = np.array([[0, 1, 2]], np.uint32)

Floats = NDArray[np.floating[Any]]


@dataclass
class Batch:
    """Every body that has this shape."""

    handle: Any
    bodies: NDArray[np.intp]
    shown: NDArray[np.float32]  # (bodies, 7), what the browsers were told


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
        self.colours = palette.pressure_colour(np.arange(PRESSURE_STEPS) / (PRESSURE_STEPS - 1))
        self.joined: tuple[bytes, bytes] | None = None  # colours and corners that the triangles were made for
        self.outline, self.sides = Outline(np.array([3])), POINT  # what was drawn last
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
        self.joined = None
        self.size, centre, floor = _extent(scene, state)
        self.batches = [self._batch(scene, i) for i in range(len(scene.shapes))]
        api, size = self.server.scene, self.size
        self.grid = api.add_grid(
            "/grid", 40 * size, 40 * size, cell_size=size / 2, section_size=2.5 * size, position=(0.0, 0.0, floor),
            cell_color=(225, 228, 235), section_color=(200, 205, 216), fade_distance=14 * size, shadow_opacity=0.25,
        )  # fmt: skip
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
            for i, colour in enumerate(self.colours)
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
        return Batch(handle, np.array(bodies), np.zeros((len(bodies), 7), np.float32))

    def show(self, state: State) -> None:
        """One state, at once for every viewer."""
        poses = state.body[:, POSE].astype(np.float32)
        with self.server.atomic():
            for batch in self.batches:
                rows = poses[batch.bodies]
                if not np.array_equal(rows, batch.shown):  # one look for all that rests, instead of two by viser
                    batch.shown = rows
                    tell(batch.handle, batched_positions=rows[:, :3].copy(), batched_wxyzs=rows[:, 3:].copy())
            if abs(state.time_ns - self.marks_ns) >= MARKS_PERIOD_NS:
                self.marks_ns = state.time_ns
                contacts = state.contact_columns
                self._show_contacts(contacts)
                self._show_forces(contacts, state)
            self._show_trail(state)
        # Else viser waits for a sixtieth of a second after each frame: 53 of 60 come out, at the cost of more CPU.
        self.server.flush()

    def _show_contacts(self, contacts: Contacts) -> None:
        chosen = np.flatnonzero((contacts.count >= 3) & (contacts.area > 0.0))
        pressure = np.abs((contacts.force * contacts.normal).sum(axis=1))[chosen] / contacts.area[chosen]
        self.hardest = max(0.98 * self.hardest, float(pressure.max(initial=0.0)), 1e-6)
        step = np.minimum((pressure * (PRESSURE_STEPS / self.hardest)).astype(np.intp), PRESSURE_STEPS - 1)
        order = np.argsort(step, kind="stable")  # contacts of one colour lie together
        chosen, step = chosen[order], step[order]
        ends = np.searchsorted(step, np.arange(PRESSURE_STEPS), side="right").tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        corners = contacts.count[chosen]
        joined = (step.tobytes(), corners.tobytes())
        if new := joined != self.joined:
            self.joined = joined
            self._join(corners, step, spans)
        if not len(chosen):
            return
        sides = self.outline.sides(contacts, chosen, LIFT * self.size)
        if not new and np.array_equal(sides, self.sides):
            return
        self.sides = sides
        tell(self.rims, points=self.outline.rims(sides))
        for handle, (first, last) in zip(self.patches, spans, strict=True):
            if first < last:
                tell(handle, vertices=self.outline.vertices(sides, first, last))

    def _join(self, corners: NDArray[np.int32], step: NDArray[np.intp], spans: list[tuple[int, int]]) -> None:
        """What stays the same while polygons only move: triangles, colours, which colours are in use."""
        self.rims.visible = len(corners) > 0
        for handle, (first, last) in zip(self.patches, spans, strict=True):
            handle.visible = first < last
        if not len(corners):
            return
        self.outline = Outline(corners)
        self.rims.colors = self.outline.rim_colours(palette.for_lines(self.colours)[step])
        for handle, (first, last) in zip(self.patches, spans, strict=True):
            if first < last:
                handle.faces = self.outline.faces(first, last)

    def _show_forces(self, contacts: Contacts, state: State) -> None:
        """Each contact's force on A, and what the pointer feels."""
        starts = np.concatenate([contacts.centre, state.pointer[None, :3]])
        forces = np.concatenate([contacts.force, state.pointer_wrench[None, :3]])
        strength = np.sqrt((forces * forces).sum(axis=1))
        self.strongest = max(0.99 * self.strongest, float(strength.max(initial=0.0)), 1e-6)
        shown = np.flatnonzero(strength > 0.03 * self.strongest)
        start, along = starts[shown], forces[shown] * (0.5 * self.size / self.strongest)
        points = np.stack([start, start + along], axis=1).astype(np.float32)
        if not np.array_equal(points, self.arrows.points):
            kind = (shown == len(contacts.force)).astype(np.intp)
            tell(self.arrows, points=points, colors=ARROW_COLOURS[kind])

    def _show_trail(self, state: State) -> None:
        if abs(state.time_ns - self.trail_ns) < TRAIL_PERIOD_NS or self.scene is None or self.scene.pointer < 0:
            return
        self.trail_ns = state.time_ns
        self.trail.append(state.pointer[:3].copy())
        if len(self.trail) < 2:
            return
        points = np.array(self.trail, np.float32)
        age = np.linspace(0.0, 1.0, len(points) - 1)[:, None, None]
        fade = np.array(palette.TRAIL_END) + np.subtract(palette.TRAIL, palette.TRAIL_END) * age
        colours = palette.for_lines(np.broadcast_to(fade, (len(points) - 1, 2, 3)))
        tell(self.path, points=np.stack([points[:-1], points[1:]], axis=1), colors=colours)


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
