"""One tick of a string device: encoder words to a sample row, a wrench to tensions; and what gives a bad sensor away.

Between the frames of the SPIDAR driver and the kinematics. Checks, in this order, of every new set of counts:

 1. speed      a string faster than `speed_limit` since the last good sample: refused; the third in a row is a fault
 2. agreement  n strings say more than the pose needs. A residual that grows by more than `residual_step` in one tick is
               refused likewise; one above `residual_limit` for longer than `residual_ticks` is a fault
 3. stillness  a string that stands still (one count) while another one moves by `still_travel`, and that disagrees by
               more than `still_residual`: a stuck encoder, seen where the residual alone is too weak. A string can
               stand still rightly, when the grip turns about it; then all strings agree.

All memory lies in arrays given by the driver, which are parts of its `state`.
"""

import math

from hapticd.kernel._jit import kernel
from hapticd.kernel.layout import SAMPLE_HELD, SAMPLE_POSITION, SAMPLE_VELOCITY
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_OK

from .count_velocity import count_rate, push_counts, unwrapped
from .refusal import GAP, REFUSED_RUN, STARTED, refuse
from .string_kinematics import (
    PER_PULSE,
    POSE_ROW,
    PULL,
    TENSION_MAX,
    TENSION_MIN,
    solve_pose,
    string_rows,
    twist,
)
from .string_tension import HIGH, LOW, SMOOTH, quadratic, solve_tension, workspace_margin

# Cells of the memory row, behind those of `refusal`.
SUSPECT_TICKS = 3  # with the residual above its limit
STILL_TICKS = 4
RESIDUAL = 5  # m, of the last good sample
GAIN = 6  # workspace fade of the last encode
SHARE = 7  # of the wrench that was rendered
MARGIN = 8
SUSPECT = 9  # which string
REFUSED = 10  # frames in all
MEMORY_SIZE = 11

# Cells of the setting row.
PERIOD = 0  # s
SPEED_LIMIT = 1  # m/s of string
RESIDUAL_LIMIT = 2  # m
RESIDUAL_TICKS = 3
RESIDUAL_STEP = 4  # m
STILL_TRAVEL = 5  # m
STILL_RESIDUAL = 6  # m
MARGIN_EDGE = 7  # workspace margin at which no force is left
MARGIN_FULL = 8  # and from which on all of it is given
TORQUE_WEIGHT = 9  # 1/m2
SETTING_SIZE = 10

FIRST_STEPS = 30  # of the pose solver from home at start
STEPS = 4  # from the last tick's pose; two are usual
STILL_COUNT = 1.0


@kernel
def counts_to_sample(raw, home, strings, n_dof, setting, memory, counts, history, still, pose, scratch, sample):
    """Encoder words (16 bit) to a sample row; `counts` are relative to `home` lengths. scratch: (A, N, vectors)."""
    A, N, vectors = scratch
    n = strings.shape[0]
    fresh, measured, length, delta = vectors[0, :n], vectors[1, :n], vectors[2, :n], vectors[3]
    trial = vectors[4]
    span = memory[GAP] - memory[REFUSED_RUN] + 1.0  # refused frames came in time: they widen nothing
    for i in range(n):
        fresh[i] = unwrapped(raw[i], counts[i])
        step = abs((fresh[i] - counts[i]) * strings[i, PER_PULSE])
        if memory[STARTED] != 0.0 and not step <= setting[SPEED_LIMIT] * setting[PERIOD] * span:
            memory[SUSPECT] = i
            return refuse(memory, REFUSED)
        measured[i] = home[i] + fresh[i] * strings[i, PER_PULSE]
    for r in range(POSE_ROW):
        trial[r] = pose[r]
    steps = STEPS if memory[STARTED] != 0.0 else FIRST_STEPS
    residual = solve_pose(strings, measured, n_dof, PULL, steps, trial, A, length, N, delta)
    if not residual >= 0.0:
        return refuse(memory, REFUSED)
    if memory[STARTED] != 0.0 and residual - memory[RESIDUAL] > setting[RESIDUAL_STEP] * span:
        memory[SUSPECT] = loudest(length, measured)
        return refuse(memory, REFUSED)
    accept(fresh, memory, counts, history, still)
    for r in range(POSE_ROW):
        pose[r] = trial[r]
        sample[SAMPLE_POSITION + r] = trial[r]
    for i in range(n):
        measured[i] = home[i] + fresh[i] * strings[i, PER_PULSE]
    code = watch(setting, memory, residual, strings, counts, still, length, measured)
    for i in range(n):
        measured[i] = count_rate(history, i) * strings[i, PER_PULSE] / setting[PERIOD]
    twist(A, N, n_dof, measured, delta)
    for r in range(6):
        sample[SAMPLE_VELOCITY + r] = delta[r]
    sample[SAMPLE_HELD] = 1.0
    return code


@kernel
def accept(fresh, memory, counts, history, still):
    """New counts become the last good ones; the first ones fill the whole history."""
    n = counts.shape[0]
    if memory[STARTED] == 0.0:
        memory[STARTED] = 1.0
        for i in range(n):
            for k in range(history.shape[1]):
                history[i, k] = fresh[i]
            for j in range(n):
                still[i, j] = fresh[j]
    else:
        push_counts(fresh, int(memory[GAP]), history)
    for i in range(n):
        counts[i] = fresh[i]
    memory[GAP] = 0.0
    memory[REFUSED_RUN] = 0.0


@kernel
def watch(setting, memory, residual, strings, counts, still, length, measured):
    """Checks 2 and 3 over time: SAMPLE_OK, or SAMPLE_ENCODER when a string can no longer be believed."""
    memory[RESIDUAL] = residual
    if residual > setting[RESIDUAL_LIMIT]:
        memory[SUSPECT_TICKS] += 1.0
        memory[SUSPECT] = loudest(length, measured)
    else:
        memory[SUSPECT_TICKS] = 0.0
    stuck = still_string(setting, strings, counts, still)
    if stuck >= 0 and residual > setting[STILL_RESIDUAL]:
        memory[STILL_TICKS] += 1.0
        memory[SUSPECT] = stuck
    else:
        memory[STILL_TICKS] = 0.0
    if memory[SUSPECT_TICKS] > setting[RESIDUAL_TICKS] or memory[STILL_TICKS] > setting[RESIDUAL_TICKS]:
        return SAMPLE_ENCODER
    return SAMPLE_OK


@kernel
def still_string(setting, strings, counts, still):
    """A string that has not moved while another one did by the travel that makes it suspect; -1: none.

    Row i of `still` holds all counts at the last time that string i moved.
    """
    n = counts.shape[0]
    found = -1
    for i in range(n):
        if abs(counts[i] - still[i, i]) > STILL_COUNT:
            for j in range(n):
                still[i, j] = counts[j]
            continue
        for j in range(n):
            if abs((counts[j] - still[i, j]) * strings[j, PER_PULSE]) > setting[STILL_TRAVEL]:
                found = i
    return found


@kernel
def loudest(length, measured):
    """The string that disagrees most."""
    worst = 0
    for i in range(length.shape[0]):
        if abs(length[i] - measured[i]) > abs(length[worst] - measured[worst]):
            worst = i
    return worst


@kernel
def wrench_to_units(wrench, strings, n_dof, setting, memory, pose, t, t_rest, per_newton, scratch, units, rendered):
    """Currents in whole units for as much of the wrench as can be made here; `rendered` is what they make."""
    A, Q, L, work, vectors = scratch
    n = strings.shape[0]
    weight = setting[TORQUE_WEIGHT]
    string_rows(strings, pose, A, vectors[0, :n])
    quadratic(A, n_dof, weight, SMOOTH, Q)
    mu = workspace_margin(A, n_dof, weight, Q, setting[MARGIN_FULL], work, L, t_rest, vectors[1])
    gain = min(max((mu - setting[MARGIN_EDGE]) / (setting[MARGIN_FULL] - setting[MARGIN_EDGE]), 0.0), 1.0)
    for i in range(n):
        work[LOW, i] = strings[i, TENSION_MIN]
        work[HIGH, i] = highest(strings[i, TENSION_MIN], strings[i, TENSION_MAX], mu, setting[MARGIN_EDGE])
    wanted = vectors[2]
    for r in range(6):
        wanted[r] = gain * wrench[r]
    share = solve_tension(A, n_dof, weight, Q, wanted, work, L, t, vectors[1])
    memory[MARGIN] = mu
    memory[GAIN] = gain
    memory[SHARE] = share
    for r in range(6):
        rendered[r] = 0.0
    for i in range(n):
        units[i] = math.floor(t[i] * per_newton[i] + 0.5)
        for r in range(n_dof):
            rendered[r] += units[i] / per_newton[i] * A[i, r]


@kernel
def highest(low, high, mu, edge):
    """The largest tension: all of it inside; beyond the edge what holds the grip there, falling to the least."""
    if mu >= edge:
        return high
    return low + (low / edge - low) * mu / edge
