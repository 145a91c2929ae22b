"""The guard's settings: config and device capabilities into the arrays of kernel/guard, the tighter of both.

Gets RunConfig and Capabilities from the daemon, gives `Safety` to the servo and to exact replay. Start-up only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hapticd.config import Mount, RunConfig
from hapticd.device import MOTOR_KINDS, Capabilities
from hapticd.kernel.guard import clamp
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.states import CAUSE_START, FAULT
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_Q, SAMPLE_SIZE, WRENCH_SIZE
from hapticd.kernel.vector import write_pose

STALE_TICKS = 3  # without a sample: the force decays
REFUSED_IN_ROW = 3  # refused samples: fault
TURN_MARGIN = 0.15  # rad over which the force fades at the end of the turn
DAMPING_SHARE = 1.0  # the guard's own damping may use as much as the device has: b > K T/2 + |B| leaves no more


def empty_safety(bodies: int) -> g.Safety:
    """Arrays of the right sizes, all zero: the template for the shared memory."""
    return g.Safety(
        limit=np.zeros(g.LIMIT_SIZE),
        mount=np.zeros(g.MOUNT_SIZE),
        word=np.zeros(g.WORD_SIZE, np.int64),
        memory=np.zeros(g.MEMORY_SIZE),
        wrench=np.zeros((g.WRENCH_ROWS, WRENCH_SIZE)),
        event=np.zeros((g.EVENTS_PER_TICK, g.EVENT_SIZE)),
        sample=np.zeros(SAMPLE_SIZE),
        push=np.zeros(bodies, np.int64),
    )


def set_up(safety: g.Safety, config: RunConfig, have: Capabilities, may_arm: bool, cause: int = CAUSE_START) -> None:
    """Every limit, the mount, and the mode at the start: FAULT."""
    for array in safety:
        array[...] = 0
    _set_limits(safety.limit, config, have, may_arm)
    set_mount(safety.mount, config.mount)
    safety.sample[SAMPLE_Q + 3] = safety.sample[SAMPLE_HELD] = 1.0
    safety.memory[g.MEMORY_Q + 3] = 1.0
    safety.memory[g.MEMORY_CLUTCH + 6] = 1.0
    safety.word[g.WORD_MODE] = FAULT
    safety.word[g.WORD_CAUSE] = cause


def _set_limits(limit: NDArray[np.float64], config: RunConfig, have: Capabilities, may_arm: bool) -> None:
    safety, loop = config.safety, config.loop
    dt = 1.0 / loop.rate_hz
    force = min(safety.force, have.force_peak)
    # A device without torque has a limit of zero; a tiny one instead keeps the ratio of the two defined.
    torque = max(min(safety.torque, have.torque_peak), 1e-9)
    continuous = have.force_continuous if safety.force_continuous is None else safety.force_continuous
    limit[g.LIMIT_FORCE] = force
    limit[g.LIMIT_TORQUE] = torque
    limit[g.LIMIT_SLEW] = safety.slew_rate * dt
    limit[g.LIMIT_SLEW_TORQUE] = safety.torque_slew_rate * dt
    limit[g.LIMIT_SPEED] = min(safety.speed, have.velocity_peak)
    limit[g.LIMIT_SPEED_FAULT] = min(safety.speed_fault, have.velocity_peak)
    limit[g.LIMIT_SPIN] = min(safety.spin, have.spin_peak)
    limit[g.LIMIT_SPIN_FAULT] = min(safety.spin_fault, have.spin_peak)
    limit[g.LIMIT_CONTINUOUS] = min(continuous, have.force_continuous)
    limit[g.LIMIT_CONTINUOUS_TORQUE] = have.torque_continuous
    limit[g.LIMIT_THERMAL_TIME] = have.thermal_time if safety.thermal_time is None else safety.thermal_time
    _set_workspace(limit, config, have)
    limit[g.LIMIT_RAMP] = math.ceil(safety.ramp_ms * 1e-3 / dt)
    limit[g.LIMIT_LEAVE] = math.floor(safety.stop_ramp_ms * 1e-3 / dt)
    limit[g.LIMIT_OVERRUNS] = loop.overrun_limit
    limit[g.LIMIT_FORGIVE] = loop.overrun_forgive_ticks
    limit[g.LIMIT_GAP_RAMP] = max(round(loop.gap_ramp_ms * 1e-3 / dt), 1)
    limit[g.LIMIT_GAP_FAULT] = max(round(loop.gap_fault_ms * 1e-3 / dt), 1)
    limit[g.LIMIT_PASSIVE] = 1.0 if safety.passivity == "control" else 0.0
    limit[g.LIMIT_DAMPING] = DAMPING_SHARE * have.damping
    limit[g.LIMIT_RESERVE] = 0.5 * force * force / safety.stiffness  # what the stiffest wall holds at full force
    limit[g.LIMIT_DT] = dt
    limit[g.LIMIT_DELAY] = have.delay
    limit[g.LIMIT_LAG] = min(round(have.delay / dt), g.LAGS - 1)
    limit[g.LIMIT_MAY_ARM] = 1.0 if may_arm else 0.0
    limit[g.LIMIT_STALE] = STALE_TICKS
    limit[g.LIMIT_SILENT] = loop.silent_ticks
    limit[g.LIMIT_REFUSED] = REFUSED_IN_ROW


def _set_workspace(limit: NDArray[np.float64], config: RunConfig, have: Capabilities) -> None:
    radius = config.safety.workspace_radius
    for k in range(3):
        half = have.workspace.half[k]
        limit[g.LIMIT_CENTRE + k] = have.workspace.centre[k]
        limit[g.LIMIT_HALF + k] = half if radius is None else min(half, radius)
    limit[g.LIMIT_MARGIN] = config.safety.workspace_margin
    angle = have.workspace.angle
    if angle > 0.0:
        limit[g.LIMIT_COS_INNER] = math.cos(0.5 * max(angle - TURN_MARGIN, 0.5 * angle))
        limit[g.LIMIT_COS_OUTER] = math.cos(0.5 * angle)


def set_mount(cells: NDArray[np.float64], mount: Mount) -> None:
    """[mount] as the kernel reads it."""
    pose = np.zeros((1, 12))
    write_pose(pose, 0, *mount.position, *mount.q_xyzw)
    cells[g.MOUNT_ROTATION : g.MOUNT_ROTATION + 12] = pose[0]
    cells[g.MOUNT_Q : g.MOUNT_Q + 4] = mount.q_xyzw
    cells[g.MOUNT_MOTION] = mount.motion_scale
    cells[g.MOUNT_FORCE] = mount.force_scale
    cells[g.MOUNT_CLUTCH] = 0 if mount.clutch_button is None else 1 << mount.clutch_button


class MotorClamp:
    """The clamp of one device's frames, with its scratch memory."""

    def __init__(self, have: Capabilities) -> None:
        kinds = list(MOTOR_KINDS)
        rows = [(m.offset, kinds.index(m.kind), m.low, m.high, m.off) for m in have.motors]
        self.motor = np.array(rows, dtype=float).reshape(-1, clamp.MOTOR_SIZE)
        self.byte = np.zeros(8, np.uint8)
        self.single = self.byte.view(np.float32)
        self.double = self.byte.view(np.float64)

    def __call__(self, frame: NDArray[np.uint8], count: int) -> int:
        """Clamp frame[:count] in place; how many motors had to be."""
        return int(clamp.clamp_motors(frame, count, self.motor, self.byte, self.single, self.double))
