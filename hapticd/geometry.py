"""One pair of convex shapes, geometry only: the solid they share, for people who want the kernel without a scene.

    c = hapticd.contact(a, ((0, 0, 0.49), (0, 0, 0, 1)), b, ((0, 0, 0), (0, 0, 0, 1)))
    c.volume, c.normal, c.polygon          # None when the two are apart

Every call builds the kernel's arrays anew and starts cold; a loop over many ticks is `hapticd.Simulation`'s work.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hapticd.errors import SceneError
from hapticd.kernel import layout
from hapticd.kernel.contact.layout import GAP_WARM
from hapticd.kernel.contact.pair import pair_contact
from hapticd.kernel.contact.paper import dual_contact, separation_normal
from hapticd.kernel.contact.section import section_polygon
from hapticd.kernel.status import CONTACT_COARSE, CONTACT_DEEP, CONTACT_NONE
from hapticd.kernel.vector import write_pose
from hapticd.scene.convex import ConvexShape
from hapticd.scene.pack import make_gap, make_hull, make_solid, pack_shapes

Floats = npt.NDArray[np.float64]
Pose = tuple[npt.ArrayLike, npt.ArrayLike]  # position, q_xyzw

MOST_CORNERS = 512  # of the polygon handed out


class Face(NamedTuple):
    """One face of the shared solid."""

    owner: Literal["a", "b"]
    plane: int  # row of the owner's planes
    corners: Floats  # (n, 3) world, counter-clockwise seen from outside


@dataclass(frozen=True)
class Contact:
    """World frame; `normal` points from B into A."""

    status: Literal["ok", "deep", "coarse"]  # deep: one inside or through the other; coarse: a capacity was reached
    volume: float  # m3
    centroid: Floats  # (3,) of the volume
    normal: Floats  # (3,)
    offset: float  # m; the contact plane is normal . x = offset, through the centroid
    area: float  # m2, of one side, projected on that plane
    centre: Floats  # (3,) centroid of the area
    area_moment: Floats  # (3, 3) m4, about the centre
    depth: float  # m, along the normal
    polygon: Floats  # (n, 3) outline of the contact on its plane
    faces: tuple[Face, ...]


def contact(
    a: ConvexShape,
    pose_a: Pose,
    b: ConvexShape,
    pose_b: Pose,
    *,
    method: Literal["clip", "dual"] = "clip",
    normal: Literal["area", "gjk"] = "area",
) -> Contact | None:
    """What the two shapes share; None when they are apart or touch without a volume.

    The defaults are what a simulation uses; "dual" and "gjk" are the paper's ways (kernel/contact/paper.py).
    """
    _known("method", method, ("clip", "dual"))
    _known("normal", normal, ("area", "gjk"))
    X_W = np.zeros((2, layout.POSE_SIZE))
    _place(X_W, 0, pose_a, "pose_a")
    _place(X_W, 1, pose_b, "pose_b")
    shapes = pack_shapes([a, b])
    solid = make_solid(shapes)
    row = np.zeros((1, layout.CONTACT_SIZE))
    if method == "dual":
        status = dual_contact(shapes, 0, 1, X_W, 0, 1, solid, make_hull(shapes), row, 0)
    else:
        status = pair_contact(shapes, 0, 1, X_W, 0, 1, solid, row, 0)
    if status == CONTACT_NONE:
        return None
    if normal == "gjk":
        warm, scratch = np.zeros((1, GAP_WARM), dtype=np.int32), np.zeros((1, layout.POSE_SIZE))
        separation_normal(shapes, 0, 1, X_W, 0, 1, solid, row, 0, make_gap(), warm, scratch)
    return _contact(status, solid, row)


def warm_up() -> None:
    """A contact in the usual way and in the paper's, so that the kernels are compiled."""
    box, turn = ConvexShape.box((1.0, 1.0, 1.0)), (0.0, 0.0, 0.0, 1.0)
    above, below = ((0.0, 0.0, 0.99), turn), ((0.0, 0.0, 0.0), turn)
    contact(box, above, box, below)
    contact(box, above, box, below, method="dual", normal="gjk")


def _known(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SceneError(f"contact: {name} = {value!r}; allowed are {', '.join(map(repr, allowed))}")


def _contact(status: int, solid: layout.Solid, row: Floats) -> Contact:
    polygon = np.zeros((MOST_CORNERS, 3))
    n_corner = section_polygon(solid, row, 0, polygon)
    cells = row[0]
    normal = cells[layout.NORMAL : layout.NORMAL + 3]
    centroid = cells[layout.CENTROID : layout.CENTROID + 3]
    xx, yy, zz, xy, yz, zx = cells[layout.MOMENT : layout.MOMENT + 6]
    return Contact(
        status="deep" if status == CONTACT_DEEP else "coarse" if status == CONTACT_COARSE else "ok",
        volume=float(cells[layout.VOLUME]),
        centroid=centroid,
        normal=normal,
        offset=float(normal @ centroid),
        area=float(cells[layout.AREA]),
        centre=cells[layout.CENTRE : layout.CENTRE + 3],
        area_moment=np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]),
        depth=float(cells[layout.DEPTH]),
        polygon=polygon[:n_corner],
        faces=_faces(solid),
    )


def _place(X_W: Floats, row: int, pose: Pose, name: str) -> None:
    try:
        position = np.asarray(pose[0], dtype=np.float64).reshape(3)
        q = np.asarray(pose[1], dtype=np.float64).reshape(4)
    except (TypeError, ValueError, IndexError) as error:
        raise SceneError(f"{name} = {pose!r}; a pose is (position, q_xyzw), three and four numbers") from error
    length = float(np.linalg.norm(q))
    if not (np.isfinite(position).all() and 0.0 < length < np.inf):
        raise SceneError(f"{name} = {pose!r}; numbers must be finite and the quaternion not zero")
    write_pose(X_W, row, *position, *(q / length))


def _faces(solid: layout.Solid) -> tuple[Face, ...]:
    n_node, n_base, swapped = (int(n) for n in solid.count[:3])
    R, p = solid.pose[0, :9].reshape(3, 3), solid.pose[0, 9:]
    world = solid.node[:, :n_node].T @ R.T + p
    used = np.unique(solid.face[: 4 * n_node].reshape(-1, 4)[:, :3])
    faces = []
    for f in used:
        start = int(np.flatnonzero(solid.face[: 4 * n_node].reshape(-1, 4)[:, :3] == f)[0])
        half = 4 * (start // 3) + start % 3  # the edge that has the face on its left
        ring, h = [], half
        for _ in range(n_node):
            ring.append(h >> 2)
            t = int(solid.twin[h])
            h = t - 1 if t & 3 else t + 2  # the next edge with the same face on its left
            if h == half:
                break
        of_base = f < n_base
        owner: Literal["a", "b"] = "a" if of_base != bool(swapped) else "b"
        faces.append(Face(owner, int(f if of_base else f - n_base), world[ring]))
    return tuple(faces)
