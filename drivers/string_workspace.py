"""The workspace of a string device: how far and how strongly it can render, computed from its strings.

Start-up and `hapticd devices --workspace` only. A pose belongs to the workspace where the margin of `string_tension`
leaves the full force; from there to the edge the force fades.
"""

import math

import numpy as np
import numpy.typing as npt

from . import string_device as sd
from . import string_tension as st
from .string_kinematics import POSE_ROW, TENSION_MAX, TENSION_MIN, string_rows

Floats = npt.NDArray[np.float64]
STEPS = 40  # of the search along a direction


class Probe:
    """Margins and largest wrenches at any pose."""

    def __init__(self, strings: Floats, n_dof: int, setting: Floats) -> None:
        self.strings, self.n_dof, self.setting = strings, n_dof, setting
        n = len(strings)
        self.A, self.Q, self.L, self.length = np.zeros((n, 6)), np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
        self.work, self.rendered = np.zeros((st.WORK_ROWS, n)), np.zeros(6)

    def at(self, pose: Floats) -> None:
        string_rows(self.strings, pose, self.A, self.length)
        st.quadratic(self.A, self.n_dof, self.setting[sd.TORQUE_WEIGHT], st.SMOOTH, self.Q)

    def margin(self, pose: Floats, enough: float = 1.0) -> float:
        self.at(pose)
        weight, t = self.setting[sd.TORQUE_WEIGHT], np.zeros(len(self.strings))
        margin = st.workspace_margin(self.A, self.n_dof, weight, self.Q, enough, self.work, self.L, t, self.rendered)
        return float(margin)

    def largest(self, pose: Floats, direction: Floats) -> float:
        """How much of a unit wrench can be made there."""
        self.at(pose)
        self.work[st.LOW], self.work[st.HIGH] = self.strings[:, TENSION_MIN], self.strings[:, TENSION_MAX]
        weight, t = self.setting[sd.TORQUE_WEIGHT], self.strings[:, TENSION_MIN].copy()
        share = st.solve_tension(
            self.A, self.n_dof, weight, self.Q, 1e4 * direction, self.work, self.L, t, self.rendered
        )
        return float(1e4 * share)


def pose_of(position: Floats, turn: Floats) -> Floats:
    """A pose row from a position and a rotation vector."""
    pose = np.zeros(POSE_ROW)
    angle = float(np.linalg.norm(turn))
    pose[:3] = position
    pose[6] = math.cos(angle / 2)
    if angle > 0:
        pose[3:6] = turn / angle * math.sin(angle / 2)
    return pose


def reach(strings: Floats, n_dof: int, setting: Floats) -> tuple[float, float, tuple[float, float, float], float]:
    """Peak force and torque at home in their weakest directions; half sizes along the axes (m); largest turn (rad)."""
    probe = Probe(strings, n_dof, setting)
    home, size = pose_of(np.zeros(3), np.zeros(3)), float(np.abs(strings[:, :3]).max())
    axes = np.vstack([np.eye(6), -np.eye(6)])
    pure = [probe.largest(home, axis) for axis in axes[[0, 1, 2, 6, 7, 8]]]
    torque = min(probe.largest(home, axis) for axis in axes[[3, 4, 5, 9, 10, 11]]) if n_dof == 6 else 0.0
    half = [min(_far(probe, axis[:3], True, size) for axis in (axes[k], axes[k + 6])) for k in range(3)]
    turns = [_far(probe, axis[3:], False, math.pi / 2) for axis in axes[[3, 4, 5, 9, 10, 11]]] if n_dof == 6 else [0.0]
    return min(pure), torque, (half[0], half[1], half[2]), min(turns)


def _far(probe: Probe, axis: Floats, moves: bool, limit: float) -> float:
    """How far one can go from home along an axis (or turn about it) with the full margin all the way."""
    enough, far = float(probe.setting[sd.MARGIN_FULL]), 0.0
    for step in range(1, STEPS + 1):
        s = limit * step / STEPS
        pose = pose_of(s * axis, np.zeros(3)) if moves else pose_of(np.zeros(3), s * axis)
        if probe.margin(pose, enough) < enough:
            return far
        far = s
    return far
