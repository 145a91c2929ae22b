"""The arrays that the kernel works on: every field with its shape, unit and the paper's symbol.

Frames: W world, A and B the two bodies of a pair; a body's origin is its centre of mass. A pose row is twelve numbers,
the rotation matrix row by row and then the position: x_W = R x_B + p. All lengths in metres, everything float64/int32.
"""

from typing import NamedTuple

import numpy as np

Array = np.ndarray

# Columns of a pose row X_WB.
ROTATION = 0  # 0..8, R row by row
POSITION = 9  # 9..11
POSE_SIZE = 12


class Shapes(NamedTuple):
    """All convex parts of a scene end to end, in the frame of their body. Indices inside a part are part-local.

    A corner where d > 3 edges meet becomes d - 2 nodes at the same place, chained by edges of length zero: so every node
    has exactly three neighbours, and a plane cuts the graph by bookkeeping alone.

        node_next[i] = (a, b, c)      counter-clockwise seen from outside
        node_face[i] = (f, g, h)      face f lies between the edges to a and b, g between b and c, h between c and a
    """

    vertex_start: Array  # (n_part + 1,) i4
    plane_start: Array  # (n_part + 1,) i4
    node_start: Array  # (n_part + 1,) i4
    vertex: Array  # (n_vertex, 3) m, the corners
    edge_start: Array  # (n_vertex + 1,) i4, into edge_vertex
    edge_vertex: Array  # (2 n_edge,) i4, the corners next to each corner: what a support search walks along
    plane: Array  # (n_plane, 4) unit outward normal and offset: inside is n . x <= d
    node_vertex: Array  # (n_node,) i4
    node_next: Array  # (n_node, 3) i4
    node_face: Array  # (n_node, 3) i4
    box: Array  # (n_part, 6) m, centre and half sides of the bounding box in the body frame


# Columns of a contact row: what the force laws read. World frame; the force is that on A; n points from B into A.
VOLUME = 0  # V, m3
CENTROID = 1  # 1..3, of the volume, m
NORMAL = 4  # 4..6, n
AREA = 7  # S, one-sided area projected on the contact plane, m2
CENTRE = 8  # 8..10, centroid of that area, on the contact plane (through CENTROID, normal n), m
MOMENT = 11  # 11..16, integral of (p-c)(p-c)^T over that area: xx yy zz xy yz zx, m4
DEPTH = 17  # extent of the solid along n, m
CONTACT_SIZE = 18
