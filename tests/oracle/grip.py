"""A grip on strings, written plainly: lengths by rotation and norm, random poses; nothing shared with the drivers."""

import numpy as np
from scipy.spatial.transform import Rotation


def string_lengths(exits, knots, position, q_xyzw):
    """Distance of each exit from its knot at a pose."""
    return np.linalg.norm(exits - (Rotation.from_quat(q_xyzw).apply(knots) + position), axis=1)


def random_pose(rng, reach, angle):
    """A position within `reach` m and an orientation within `angle` rad of home, as one row of seven."""
    position = rng.normal(size=3)
    position *= reach * rng.random() ** (1 / 3) / np.linalg.norm(position)
    axis = rng.normal(size=3)
    turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle * rng.random())
    return np.concatenate([position, turn.as_quat()])


def angle_between(q_a, q_b):
    """Angle in rad of the turn from one orientation to the other."""
    return (Rotation.from_quat(q_a) * Rotation.from_quat(q_b).inv()).magnitude()
