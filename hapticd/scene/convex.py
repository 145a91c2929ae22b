"""ConvexShape: a convex polyhedron from its corners, from a primitive or from a mesh file.

    a = ConvexShape(vertices)                         # (n, 3) m; points inside the hull are left out
    b = ConvexShape.box((0.1, 0.2, 0.1))
    c = ConvexShape.cylinder(0.05, 0.2, tolerance=1e-3).moved(position=(0, 0, 0.1))

Start-up side; `pack.pack_shapes` turns shapes into the kernel's arrays. A shape is immutable: its arrays are read-only.
The frame is the one its vertices are given in; a body's parts are moved to the body's centre of mass before packing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.scene import primitives
from hapticd.scene.check import MOST_CORNERS, checked_points, hull_candidates
from hapticd.scene.graph import Graph, corner_graph
from hapticd.scene.hull import HullError, face_normals, polygon_hull
from hapticd.scene.inertia import inertia_tensor, volume_moments
from hapticd.scene.mesh import check_convex, load_mesh

Floats = npt.NDArray[np.float64]


class ConvexShape:
    """A convex polyhedron: the hull of the vertices given.

    Every corner satisfies every plane to rounding; the corner graph is that of a polyhedron (planar, 3-connected).
    """

    name: str  # used in messages
    vertices: Floats  # (n, 3) m, the corners, in the order given
    planes: Floats  # (m, 4) unit outward normal and offset: inside is n . x <= d
    faces: tuple[npt.NDArray[np.intp], ...]  # corners of each face, counter-clockwise from outside
    graph: Graph  # neighbours of corners, and the 3-regular node graph
    volume: float  # m3
    centroid: Floats  # (3,) m

    def __init__(self, vertices: npt.ArrayLike, *, name: str = "shape") -> None:
        points = checked_points(vertices, name)
        candidates = hull_candidates(points, name)
        try:
            corners, loops = polygon_hull(points[candidates])
        except HullError as error:
            raise SceneError(f"{name}: no solid can be built from the {len(points)} vertices: {error}") from error
        if len(corners) > MOST_CORNERS:
            raise SceneError(
                f"{name}: {len(corners)} corners (vertex {candidates[corners[0]]} first); allowed are {MOST_CORNERS}; "
                "simplify the mesh or decompose it"
            )
        self.name = name
        self.graph = corner_graph(len(corners), loops)
        self.faces = tuple(np.array(loop, dtype=np.intp) for loop in loops)
        vertices = points[candidates[corners]]
        self._place(vertices, face_normals(vertices, loops))

    @classmethod
    def box(cls, size: npt.ArrayLike, *, name: str = "box") -> "ConvexShape":
        """Side lengths along x, y and z; the centre is the origin."""
        return cls(primitives.box_corners(size, name), name=name)

    @classmethod
    def prism(
        cls, outline: npt.ArrayLike | int, height: float, *, radius: float | None = None, name: str = "prism"
    ) -> "ConvexShape":
        """A convex outline (n, 2) in x and y, or a number of sides with `radius`; along z, half below the origin."""
        if isinstance(outline, int):
            if radius is None:
                raise SceneError(f"{name}: a prism of {outline} sides needs a radius")
            outline = primitives.regular_outline(outline, radius, name)
        return cls(primitives.prism_corners(outline, height, name), name=name)

    @classmethod
    def cylinder(cls, radius: float, height: float, tolerance: float, *, name: str = "cylinder") -> "ConvexShape":
        """Along z; inscribed in the true cylinder, no side of it deeper under the surface than `tolerance`."""
        return cls.prism(primitives.circle_sides(radius, tolerance, name), height, radius=radius, name=name)

    @classmethod
    def sphere(cls, radius: float, tolerance: float, *, name: str = "sphere") -> "ConvexShape":
        """Inscribed in the true sphere, no facet deeper under the surface than `tolerance`."""
        return cls(primitives.sphere_corners(radius, tolerance, name), name=name)

    @classmethod
    def load(
        cls, path: str | Path, *, scale: float = 1.0, hull: bool = False, name: str | None = None
    ) -> "ConvexShape":
        """From a mesh file (OBJ, STL, GLB, PLY); `scale` turns its unit into metres.

        A mesh that is not convex is refused with the place of the dent, unless `hull` asks for its hull.
        """
        mesh = load_mesh(path, name=name, scale=scale)
        shape = cls(mesh.vertices, name=mesh.name)
        if not hull:
            check_convex(mesh, shape.planes)
        return shape

    def moved(
        self, position: npt.ArrayLike = (0, 0, 0), rotation: npt.ArrayLike | None = None, scale: float = 1.0
    ) -> "ConvexShape":
        """A copy at x -> R (scale x) + p; no new hull is built, so the corners and faces keep their numbers."""
        R = np.eye(3) if rotation is None else np.asarray(rotation, dtype=np.float64)
        p = np.asarray(position, dtype=np.float64)
        if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0:
            raise SceneError(f"{self.name}: rotation = {R.tolist()}; wanted is a right-handed rotation matrix (3, 3)")
        if p.shape != (3,) or not np.isfinite(p).all():
            raise SceneError(f"{self.name}: position = {p.tolist()}; wanted are three finite numbers in m")
        if np.abs(R @ R.T - np.eye(3)).max() > 1e-15:
            U, _, Vt = np.linalg.svd(R)  # the nearest rotation: a matrix typed with six digits would shear the shape
            R = U @ Vt
        copy = object.__new__(type(self))
        copy.name, copy.graph, copy.faces = self.name, self.graph, self.faces
        # The normals are turned, not found again: of faces as thin as rounding they would come out at random.
        copy._place(
            (primitives.positive(self.name, "scale", scale) * self.vertices) @ R.T + p, self.planes[:, :3] @ R.T
        )
        return copy

    def mass(self, density: float) -> float:
        """In kg, of a density in kg/m3."""
        return density * self.volume

    def inertia(self, density: float | None = None, *, mass: float | None = None) -> Floats:
        """(3, 3) kg m2 about the centroid, axes of the shape's frame; give the density (kg/m3) or the mass (kg)."""
        if (density is None) == (mass is None):
            raise SceneError(f"{self.name}: give either density or mass")
        if density is None:
            assert mass is not None
            density = mass / self.volume
        return density * inertia_tensor(self._second)

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """(k, 2) pairs of corners, the lower first."""
        start, end = np.repeat(np.arange(len(self.vertices)), np.diff(self.graph.edge_start)), self.graph.edge_vertex
        return np.stack([start, end], axis=1)[start < end].astype(np.int32)

    @property
    def bounds(self) -> Floats:
        """(2, 3) m: least and greatest coordinates."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    def __repr__(self) -> str:
        counts = f"{len(self.vertices)} corners, {len(self.planes)} faces"
        return f"<ConvexShape {self.name!r}: {counts}, {self.volume:.4g} m3>"

    def _place(self, vertices: Floats, normals: Floats) -> None:
        """Everything that follows from where the corners are."""
        # A corner may stand above the plane of a face that is not its own, by rounding: the highest corner decides.
        planes = np.column_stack([normals, np.max(normals @ vertices.T, axis=1)])
        self.vertices, self.planes = vertices, planes
        self.volume, self.centroid, self._second = volume_moments(vertices, self.faces)
        arrays: list[npt.NDArray[Any]] = [vertices, planes, self.centroid, self._second, *self.graph, *self.faces]
        for array in arrays:
            array.flags.writeable = False


def body_frame(parts: Sequence[ConvexShape]) -> tuple[Floats, list[ConvexShape]]:
    """The common centroid of parts of one density that do not overlap, and the parts with it as their origin."""
    volumes = np.array([part.volume for part in parts])
    centre = volumes @ np.array([part.centroid for part in parts]) / volumes.sum()
    return centre, [part.moved(-centre) for part in parts]
