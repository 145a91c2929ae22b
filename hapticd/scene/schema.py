"""The tables of a scene file: what may be written, in which units, within which bounds.

    gravity = [0, 0, -9.8]          stiffness_is = "per_contact"
    [material.wood]                 gains and friction of a surface against itself
    [[pair]]                        where two materials together are not what their means say
    [pointer]                       the gains of contacts with the pointer, and its coupling to the device
    [[body]]                        one body: shape, mass or density, pose, twist
    [[tower]], [[pyramid]]          many equal boxes, named block1, block2, ...

Read by `hapticd.schema`, expanded and checked across tables by `file.py`, turned into arrays by `build.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

from hapticd.rule import Above, AtLeast, AtMost, Norm, Within
from hapticd.schema import InputFile, UnitQuaternion, Vector

Positive = Annotated[float, Above(0)]
NotNegative = Annotated[float, AtLeast(0)]
Size = tuple[Positive, Positive, Positive]
UnitVector = Annotated[tuple[float, float, float], Norm(1.0)]
FrictionName = Literal["none", "coulomb_area", "coulomb_point", "kikuuwe", "maxwell_slip"]
SolverName = Literal["volume_penalty", "point_penalty"]

MOST_BODIES = 20_000  # a tick of so many takes a second: more is a mistake, and is said at once


@dataclass(frozen=True, kw_only=True)
class Material:
    """[material.NAME]: gains of this material against itself, of all contacts of two bodies together.

    Units follow stiffness_is: per_contact N/m and Ns/m, per_area N/m3 and Ns/m3. Two materials together have the
    harmonic means of their gains (same material: its own) and the geometric means of their coefficients.
    """

    stiffness: Positive
    damping: NotNegative
    stick_stiffness: Positive | None = None  # of the static friction's spring; default half the stiffness
    stick_damping: NotNegative | None = None  # default half the damping
    mu: Annotated[float, Within(0, 10)] = 0.5  # dynamic coefficient
    mu_static: Annotated[float, Within(0, 10)] | None = None  # default mu
    viscosity: NotNegative = 0.0  # Ns/m, kikuuwe only
    stribeck_speed: Positive = 0.01  # m/s, kikuuwe with mu_static above mu

    def complaints(self) -> Iterator[tuple[str, str]]:
        if self.mu_static is not None and self.mu_static < self.mu:
            yield "mu_static", f"is {self.mu_static:g}; allowed is at least mu = {self.mu:g}"


@dataclass(frozen=True, kw_only=True)
class Gains:
    """Those of a pair of materials that the means do not describe; what is not named stays."""

    stiffness: Positive | None = None
    damping: NotNegative | None = None
    stick_stiffness: Positive | None = None
    stick_damping: NotNegative | None = None
    mu: Annotated[float, Within(0, 10)] | None = None
    mu_static: Annotated[float, Within(0, 10)] | None = None
    viscosity: NotNegative | None = None
    stribeck_speed: Positive | None = None
    friction: FrictionName | None = None


@dataclass(frozen=True, kw_only=True)
class Pair(Gains):
    """[[pair]]."""

    materials: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Coupling:
    """[pointer.coupling]: a spring and damper between the device and a simulated pointer body."""

    stiffness: Positive  # N/m
    damping: NotNegative  # Ns/m
    turn_stiffness: NotNegative = 0.0  # Nm/rad
    turn_damping: NotNegative = 0.0  # Nms/rad


@dataclass(frozen=True, kw_only=True)
class Pointer(Gains):
    """[pointer]: gains of every contact with the pointer; without [pointer.coupling] it is coupled directly."""

    coupling: Coupling | None = None
    unbounded: bool = False  # true: keep gains that the device's delay and damping do not allow


@dataclass(frozen=True, kw_only=True)
class Placed:
    position: Vector = (0.0, 0.0, 0.0)  # m, of the part in its body
    q_xyzw: UnitQuaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Box(Placed):
    type: Literal["box"]
    size: Size  # m


@dataclass(frozen=True, kw_only=True)
class Hull(Placed):
    type: Literal["hull"]
    vertices: tuple[Vector, ...]  # m


@dataclass(frozen=True, kw_only=True)
class Prism(Placed):
    type: Literal["prism"]
    sides: Annotated[int, Within(3, 256)]
    radius: Positive  # m
    height: Positive  # m, along z


@dataclass(frozen=True, kw_only=True)
class Cylinder(Placed):
    type: Literal["cylinder"]
    radius: Positive  # m
    height: Positive  # m, along z
    tolerance: Positive | None = None  # m; default 2 % of the radius


@dataclass(frozen=True, kw_only=True)
class Sphere(Placed):
    type: Literal["sphere"]
    radius: Positive  # m
    tolerance: Positive | None = None  # m; default 5 % of the radius


@dataclass(frozen=True, kw_only=True)
class Mesh(Placed):
    type: Literal["mesh"]
    file: InputFile
    scale: Positive = 1.0  # metres per unit of the file
    hull: bool = False  # true: take the hull of a mesh that is not convex
    decomposed: bool = False  # true: take the parts that `hapticd decompose` has written beside it

    def complaints(self) -> Iterator[tuple[str, str]]:
        if self.hull and self.decomposed:
            yield "decomposed", "is true, and so is hull; allowed is one of them"


Part = Box | Hull | Prism | Cylinder | Sphere | Mesh


@dataclass(frozen=True, kw_only=True)
class Rest:
    type: Literal["rest"] = "rest"


@dataclass(frozen=True, kw_only=True)
class Oscillate:
    """To and fro about the body's position, which it passes at the start."""

    type: Literal["oscillate"]
    axis: UnitVector
    amplitude: Positive  # m
    frequency: Positive  # Hz


@dataclass(frozen=True, kw_only=True)
class Spin:
    """Turns about an axis through its centre of mass."""

    type: Literal["spin"]
    axis: UnitVector
    rate: float  # rad/s


@dataclass(frozen=True, kw_only=True)
class Steady:
    type: Literal["steady"]
    velocity: Vector  # m/s


Script = Rest | Oscillate | Spin | Steady


@dataclass(frozen=True, kw_only=True)
class Body:
    """[[body]]."""

    name: str
    kind: Literal["dynamic", "static", "kinematic", "pointer"] = "dynamic"
    material: str = "default"
    shape: Part | None = None
    parts: tuple[Part, ...] = ()  # several convex parts that make one body
    mass: Positive | None = None  # kg; or density
    density: Positive | None = None  # kg/m3
    position: Vector = (0.0, 0.0, 0.0)  # m, of the body's frame
    q_xyzw: UnitQuaternion = (0.0, 0.0, 0.0, 1.0)
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s
    angular_velocity: Vector = (0.0, 0.0, 0.0)  # rad/s, world frame
    script: Script = Rest()
    colour: (
        tuple[Annotated[float, Within(0, 1)], Annotated[float, Within(0, 1)], Annotated[float, Within(0, 1)]] | None
    ) = None

    @property
    def all_parts(self) -> tuple[Part, ...]:
        return (() if self.shape is None else (self.shape,)) + self.parts

    def complaints(self) -> Iterator[tuple[str, str]]:
        if not self.all_parts:
            yield "shape", "is missing; needed is a shape, or a list of parts"
        if self.mass is not None and self.density is not None:
            yield "density", "is given beside mass; allowed is one of them"
        if self.kind == "dynamic" and self.mass is None and self.density is None:
            yield "mass", "is missing; a dynamic body needs a mass in kg or a density in kg/m3"
        if self.kind != "kinematic" and not isinstance(self.script, Rest):
            yield "script", f"moves a {self.kind} body; only a kinematic one follows a script"


@dataclass(frozen=True, kw_only=True)
class Stack:
    """Equal boxes; `position` is the middle of the foot."""

    count: Annotated[int, Within(1, MOST_BODIES)]
    size: Size = (1.0, 2.0, 1.0)  # m
    mass: Positive = 1.0  # kg
    material: str = "default"
    position: Vector = (0.0, 0.0, 0.0)  # m
    name: str = "block"  # block1 is the lowest


@dataclass(frozen=True, kw_only=True)
class Tower(Stack):
    """[[tower]]: one on the other."""


@dataclass(frozen=True, kw_only=True)
class Pyramid(Stack):
    """[[pyramid]]: rows along x, each one shorter than the one below; the top row may be incomplete."""

    gap: NotNegative = 0.1  # between neighbours, as a share of their width


@dataclass(frozen=True, kw_only=True)
class SceneTable:
    """A whole scene file."""

    name: str = ""
    about: str = ""  # one line for lists of scenes
    gravity: Vector = (0.0, 0.0, -9.8)  # m/s2
    step: Annotated[float, Above(0), AtMost(0.1)] = 1e-3  # s
    solver: SolverName = "volume_penalty"
    stiffness_is: Literal["per_contact", "per_area"] = "per_contact"
    friction: FrictionName = "coulomb_area"
    pointer_friction: FrictionName = "kikuuwe"
    allow_unstable: bool = False  # true: simulate settings that the stability bound refuses
    material: dict[str, Material] = field(default_factory=dict)
    pair: tuple[Pair, ...] = ()
    pointer: Pointer = Pointer()
    body: tuple[Body, ...] = ()
    tower: tuple[Tower, ...] = ()
    pyramid: tuple[Pyramid, ...] = ()
