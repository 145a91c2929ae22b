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

    A corner where d > 3 edges meet becomes d - 2 nodes at the same place, chained by edges of length zero: so every
    node has exactly three neighbours, and a plane cuts the graph by bookkeeping alone.

    Half-edges: 4 i + k is the k-th edge at node i, k = 0, 1, 2 counter-clockwise seen from outside; the fourth cell is
    padding (-1), so that node and slot are a shift and a mask.

        node_twin[4 i + k]     the same edge seen from its other end; that end's node is node_twin >> 2
        node_face[4 i + k]     the face between the edges k and k + 1 of node i
    """

    vertex_start: Array  # (n_part + 1,) i4
    plane_start: Array  # (n_part + 1,) i4
    node_start: Array  # (n_part + 1,) i4
    vertex: Array  # (n_vertex, 3) m, the corners
    edge_start: Array  # (n_vertex + 1,) i4, into edge_vertex; corner v has the nodes from edge_start[v] - 2 v on
    edge_vertex: Array  # (2 n_edge,) i4, the corners next to each corner: what a support search walks along
    plane: Array  # (n_plane, 4) unit outward normal and offset: inside is n . x <= d
    node_vertex: Array  # (n_node,) i4
    node_twin: Array  # (4 n_node,) i4
    node_face: Array  # (4 n_node,) i4
    box: Array  # (n_part, 6) m, centre and half sides of the bounding box in the body frame


class Near(NamedTuple):
    """What the broad phase works on; `order` is kept between ticks, the rest is scratch."""

    low: Array  # (n_part, 3) m, world
    high: Array  # (n_part, 3) m
    order: Array  # (n_part,) i4, a permutation, sorted along the sweep axis
    head: Array  # (COLUMNS,) i4, first entry of each column's list
    entry: Array  # (n_entry, 2) i4: part, next entry; n_entry >= n_part
    count: Array  # (n_part + 1,) i4
    pair: Array  # (2 n_pair, 2) i4: the pairs in rising order; the upper half is for sorting them


COLUMNS = 1024  # cells of the broad phase grid, 32 x 32

# Columns of a contact row: what the force laws read. World frame; the force is that on A; n points from B into A.
VOLUME = 0  # V, m3
CENTROID = 1  # 1..3, of the volume, m
NORMAL = 4  # 4..6, n
AREA = 7  # S, one-sided area projected on the contact plane, m2
CENTRE = 8  # 8..10, centroid of that area, on the contact plane (through CENTROID, normal n), m
MOMENT = 11  # 11..16, integral of (p-c)(p-c)^T over that area: xx yy zz xy yz zx, m4
DEPTH = 17  # extent of the solid along n, m
CONTACT_SIZE = 18

# Cells of Solid.count.
SOLID_NODES = 0  # nodes in use
SOLID_BASE_PLANES = 1  # faces below this number belong to the base part, the others to the cutting one
SOLID_SWAPPED = 2  # 0: the base part is A's; 1: it is B's
SOLID_LOOP = 3  # half-edges in loop
SOLID_COUNTS = 4


class Solid(NamedTuple):
    """The solid that two parts share, in the frame of the base part's body; scratch memory of one pair at a time.

    Its graph is like that of Shapes: twin and face are node_twin and node_face. Faces are numbered by plane: those of
    the base part first, then those of the cutting part.
    """

    node: Array  # (3, n) m, x y z
    twin: Array  # (4 n,) i4
    face: Array  # (4 n,) i4
    height: Array  # (n,) m, of the nodes above the plane at hand
    plane: Array  # (n_face, 4) unit outward normal and offset of every face, in this frame
    corner: Array  # (n_face,) i4, one node of each face that is left; -1: none
    mark: Array  # (3, m) i4, which corners and which faces a search has met, all zero between searches; and its list
    loop: Array  # (4 n,) i4, half-edges between a cutter's face (on their left) and one of the base
    pose: Array  # (2, POSE_SIZE): this frame in the world; the cutter's body in this frame
    centroid: Array  # (3,) m, of the volume, in this frame
    count: Array  # (SOLID_COUNTS,) i8


# Body kinds.
DYNAMIC = 0
STATIC = 1
KINEMATIC = 2  # moved by a script
POINTER = 3  # moved by the device

# Columns of a body row (State.body). World frame, about the centre of mass.
BODY_POSITION = 0  # 0..2, m
BODY_Q = 3  # 3..6, unit quaternion x y z w
BODY_MOMENTUM = 7  # 7..9, kg m/s
BODY_SPIN = 10  # 10..12, angular momentum, kg m2/s
BODY_VELOCITY = 13  # 13..15, m/s
BODY_OMEGA = 16  # 16..18, rad/s
BODY_SIZE = 19

# Columns of a mass row (Model.mass), body frame. All zero for a body that forces do not move.
MASS_INVERSE = 0  # 1/kg
MASS = 1  # kg
INERTIA = 2  # 2..7, xx yy zz xy yz zx, kg m2
INERTIA_INVERSE = 8  # 8..13, the same order, 1/(kg m2)
MASS_SIZE = 14

# Columns of a script row (Model.script) of a kinematic body.
SCRIPT_KIND = 0
SCRIPT_AXIS = 1  # 1..3, unit
SCRIPT_AMPLITUDE = 4  # m
SCRIPT_RATE = 5  # Hz (oscillate), rad/s (spin)
SCRIPT_START = 6  # 6..8, position at t = 0, m
SCRIPT_Q = 9  # 9..12, orientation at t = 0
SCRIPT_VELOCITY = 13  # 13..15, m/s (constant velocity)
SCRIPT_SIZE = 16
SCRIPT_REST = 0
SCRIPT_OSCILLATE = 1
SCRIPT_SPIN = 2
SCRIPT_STEADY = 3

# Columns of a gain row (Model.gain): the laws of one pair of materials.
GAIN_STIFFNESS = 0  # k^N, N/m3 or K, N/m
GAIN_DAMPING = 1  # b^N, Ns/m3 or B, Ns/m
GAIN_STICK_STIFFNESS = 2  # k^S
GAIN_STICK_DAMPING = 3  # b^S
GAIN_MU_STATIC = 4  # mu_0
GAIN_MU_DYNAMIC = 5  # mu
GAIN_VISCOSITY = 6  # Ns/m
GAIN_STRIBECK = 7  # m/s, only read where mu_static differs from mu_dynamic
GAIN_FRICTION = 8  # which law: kernel/force/select.py
GAIN_SIZE = 9

# Cells of Model.world and Model.option.
WORLD_GRAVITY = 0  # 0..2, m/s2
WORLD_TRAVEL = 3  # m, the most that the pointer moves in one tick: half of the thinnest part, so nothing is skipped
WORLD_COUPLING = 4  # 4..7: N/m, Ns/m, Nm/rad, Nms/rad of the virtual coupling
WORLD_MARGIN = 8  # m, by which broad-phase boxes are fattened
WORLD_STEP = 9  # s, one tick
WORLD_REACH = 10  # m, from the pointer's centre of mass to its farthest corner
WORLD_SIZE = 11
OPTION_SOLVER = 0  # kernel/force/select.py
OPTION_PER_AREA = 1  # 1: gains are per area (a foundation); 0: per contact, spread evenly over the areas that share it
OPTION_POINTER = 2  # index of the pointer body, or -1
OPTION_COUPLED = 3  # 1: the pointer is a simulated body that hangs on the device by a spring-damper
OPTION_BODIES = 4  # how many bodies are in use
OPTION_PARTS = 5
OPTION_MATERIALS = 6  # n_material
OPTION_SIZE = 7

# Columns of the device row (State.device): where the device holds the origin of the pointer's frame, in the world.
DEVICE_POSITION = 0  # 0..2
DEVICE_Q = 3  # 3..6
DEVICE_VELOCITY = 7  # 7..9
DEVICE_OMEGA = 10  # 10..12
DEVICE_SIZE = 13

# Columns of a law row (State.law): what the friction law of one pair remembers. All zero when the contact begins.
LAW_AGE = 0  # ticks in contact; 0 says that the row is empty
LAW_NORMAL = 1  # 1..3, the normal of the last tick
LAW_CENTRE = 4  # 4..6, the patch centre of the last tick, m
LAW_SLIPS = 7  # 1 when the last tick slid
LAW_STRETCH = 8  # 8..10, r: displacement of A against B at the centre (Kikuuwe: e), m
LAW_TWIST = 11  # theta about n, rad (Kikuuwe: the third component of e, m)
LAW_STIFFNESS = 12  # stick stiffness of the whole patch at the last tick, N/m
LAW_BANK = 13  # 13..24, Maxwell slip: the second to fourth element, each as LAW_STRETCH and LAW_TWIST
# (coulomb_area keeps the direction of its slip in the first four of them)
LAW_FADE = 25  # share of the normal gains in force; below 1 after a pointer was found inside a body
LAW_SIZE = 26


class Model(NamedTuple):
    """What does not change while a scene runs, except by a command."""

    shapes: Shapes
    part_body: Array  # (n_part,) i4
    kind: Array  # (n_body,) i4
    still: Array  # (n_body,) i1, 1: two such bodies need not be tested against each other
    origin: Array  # (n_body, 3) m, the origin of the scene's body frame as seen from the centre of mass
    mass: Array  # (n_body, MASS_SIZE)
    material: Array  # (n_body,) i4, index into gain; the pointer has one of its own
    script: Array  # (n_body, SCRIPT_SIZE)
    gain: Array  # (n_material ** 2, GAIN_SIZE), row material_A * n_material + material_B
    world: Array  # (WORLD_SIZE,)
    option: Array  # (OPTION_SIZE,) i8


class State(NamedTuple):
    """All that one tick hands to the next: the whole of it is in a snapshot, and in the state hash.

    Rows of pairs beyond pair_count, and of bodies and parts beyond those in use, are zero.
    """

    tick: Array  # (1,) i8
    body: Array  # (n_body, BODY_SIZE)
    applied: Array  # (n_body, 6) N, Nm: a wrench from outside about the centre of mass, until it is changed
    device: Array  # (DEVICE_SIZE,)
    fat_low: Array  # (n_part, 3) m, the fattened boxes that the pair list was made with
    fat_high: Array  # (n_part, 3) m
    pair_count: Array  # (1,) i8
    pair: Array  # (n_pair, 2) i4, parts A and B, sorted
    touch: Array  # (n_pair,) i4, status of the last tick
    contact: Array  # (n_pair, CONTACT_SIZE)
    law: Array  # (n_pair, LAW_SIZE)


# Cells of Work.report.
REPORT_DROPPED = 0  # pairs that the last broad phase found beyond the capacity: left out, the last ones in order
REPORT_TOUCHING = 1  # pairs in contact
REPORT_WORST = 2  # the largest contact status of the tick
REPORT_REBUILDS = 3  # broad phases run since the start
REPORT_SIZE = 4


class Work(NamedTuple):
    """Scratch memory and results of one tick; nothing in here outlives it but what the shell reads."""

    X_W: Array  # (n_body, POSE_SIZE)
    wrench: Array  # (n_body, 6) N, Nm: contacts on each body about its centre of mass
    pair_wrench: Array  # (n_pair, 6) N, Nm: on A about the contact's CENTRE
    pointer: Array  # (6,) N, Nm: what the device is to render, about the origin of the pointer's frame
    near: Array  # (n_pair,) i1, 1: the boxes of the pair's parts overlap
    partner: Array  # (n_pair,) i4, and the next two: who shares a stiffness with whom, see force/beside.py
    stiffness: Array  # (n_pair,) N/m
    latest: Array  # (2, n_body) i4
    low: Array  # (n_part, 3) m, boxes of this tick
    high: Array  # (n_part, 3) m
    order: Array  # (n_part,) i4, and the next four: the broad phase's Near, whose boxes are State's fattened ones
    head: Array  # (COLUMNS,) i4
    entry: Array  # (n_entry, 2) i4
    count: Array  # (n_part + 1,) i4
    found: Array  # (2 n_pair, 2) i4
    old_pair: Array  # (n_pair, 2) i4, copies of State's rows while pairs come and go
    old_touch: Array  # (n_pair,) i4
    old_contact: Array  # (n_pair, CONTACT_SIZE)
    old_law: Array  # (n_pair, LAW_SIZE)
    report: Array  # (REPORT_SIZE,) i8


# Columns of a sample row: what a driver's decode writes. Device frame D, SI; axes that the device lacks stay 0.
SAMPLE_POSITION = 0  # 0..2, of the grip, m
SAMPLE_Q = 3  # 3..6, unit quaternion x y z w; 0 0 0 1 without rotation sensing
SAMPLE_VELOCITY = 7  # 7..9, m/s
SAMPLE_OMEGA = 10  # 10..12, rad/s
SAMPLE_GRIP = 13  # opening of the grip, 0 closed .. 1 open
SAMPLE_BUTTONS = 14  # bit mask as a whole number
SAMPLE_HELD = 15  # 0: the dead-man switch is released; 1 otherwise
SAMPLE_HEAT = 16  # temperature as a share of its limit; 0: not known
SAMPLE_AGE = 17  # s, age of the reading beyond the declared delay, where the device stamps its frames
SAMPLE_SIZE = 18

# Columns of a wrench row. In the device frame about the grip's origin, or in the world frame about the pointer's.
WRENCH_FORCE = 0  # 0..2, N
WRENCH_TORQUE = 3  # 3..5, Nm
WRENCH_SIZE = 6
