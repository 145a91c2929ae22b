"""One contact through the force laws: two shapes, their poses and twists, and what comes out."""

from dataclasses import dataclass, field

import numpy as np

from hapticd.kernel import layout as k
from hapticd.kernel.force.pair import pair_force
from hapticd.kernel.force.select import FRICTIONS, SOLVERS
from hapticd.scene.convex import ConvexShape
from tests.oracle.pair import Pair, pose

UPRIGHT = np.eye(3)
GAINS = {
    k.GAIN_STIFFNESS: 2000.0,
    k.GAIN_DAMPING: 3.0,
    k.GAIN_STICK_STIFFNESS: 1000.0,
    k.GAIN_STICK_DAMPING: 1.0,
    k.GAIN_MU_STATIC: 0.5,
    k.GAIN_MU_DYNAMIC: 0.5,
    k.GAIN_STRIBECK: 0.01,
}


@dataclass
class Patch:
    """A on B; `step` works out the contact and its wrench, and keeps the friction state as between two ticks."""

    a: ConvexShape
    b: ConvexShape
    friction: str = "coulomb_area"
    solver: str = "volume_penalty"
    per_area: bool = False
    fades: bool = False
    dt: float = 1e-3
    gains: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pair = Pair.of(self.a, self.b)
        self.law = np.zeros((1, k.LAW_SIZE))
        self.body = np.zeros((2, k.BODY_SIZE))
        self.wrench = np.zeros((2, 6))  # on A and B, each about its own position
        self.on_a = np.zeros((1, 6))  # about the patch centre

    def place(self, i: int, position, velocity=(0, 0, 0), omega=(0, 0, 0)) -> None:
        row = self.body[i]
        row[k.BODY_POSITION : k.BODY_POSITION + 3] = position
        row[k.BODY_VELOCITY : k.BODY_VELOCITY + 3] = velocity
        row[k.BODY_OMEGA : k.BODY_OMEGA + 3] = omega

    def step(self, R_A=UPRIGHT, R_B=UPRIGHT) -> int:
        """The contact's status; 0: apart, and nothing is written."""
        gain = np.zeros((1, k.GAIN_SIZE))
        for column, value in (GAINS | self.gains).items():
            gain[0, column] = value
        gain[0, k.GAIN_FRICTION] = FRICTIONS.index(self.friction)
        position = self.body[:, k.BODY_POSITION : k.BODY_POSITION + 3]
        status, _ = self.pair.contact(pose(R_A, position[0]), pose(R_B, position[1]), warm=True)
        self.wrench[:] = 0.0
        if status:
            pair_force(
                self.row[None], self.law, 0, 0, 1, self.body, gain, 0, SOLVERS.index(self.solver), self.per_area,
                0.0, self.fades, self.dt, self.pair.solid, self.wrench, self.on_a,
            )  # fmt: skip
        return status

    @property
    def row(self) -> np.ndarray:
        return self.pair.row[0]

    @property
    def normal(self) -> np.ndarray:
        return self.row[k.NORMAL : k.NORMAL + 3]

    @property
    def centre(self) -> np.ndarray:
        return self.row[k.CENTRE : k.CENTRE + 3]


def block_on_floor(depth: float, **options) -> Patch:
    """A block 0.2 x 0.1 x 0.1 m, its lower side `depth` under the top of a floor that ends at z = 0."""
    patch = Patch(ConvexShape.box((0.2, 0.1, 0.1)), ConvexShape.box((2.0, 2.0, 1.0)), **options)
    patch.place(0, (0.0, 0.0, 0.05 - depth))
    patch.place(1, (0.0, 0.0, -0.5))
    return patch


def drive(patch, velocities, spins):
    """Move the block over the floor with these speeds; friction force and torque about the centre of each tick."""
    position = np.array([0.0, 0.0, 0.05 - 1e-3])
    out = []
    for velocity, spin in zip(velocities, spins, strict=True):
        position = position + patch.dt * np.array([*velocity, 0.0])
        patch.place(0, position, (*velocity, 0.0), (0.0, 0.0, spin))
        patch.step()
        out.append(patch.on_a[0, [0, 1, 5, 2]])
    return np.array(out)
