"""The arrays of the servo's side of a tick: what enters it, what the guard remembers, what a slot of the ring shows.

Device frame D, world frame W, as in kernel/layout.py; everything float64 and int64 unless said.
"""

from typing import NamedTuple

import numpy as np

Array = np.ndarray

# Cells of Inputs.word: with the raw bytes and the commands, all that enters a tick from outside.
INPUT_GAP = 0  # whole periods that were skipped since the last tick
INPUT_STOP = 1  # 0, or a cause (states.py) that ends the force now
INPUT_SCENE = 2  # which of the two model arenas is in force
INPUT_COMMANDS = 3  # rows of Inputs.command in use
INPUT_RAW = 4  # bytes that came from the device
INPUT_CODE = 5  # what the driver's decode made of them (status.py, SAMPLE_*)
INPUT_LEAVE = 6  # 1: the daemon is stopping: ramp to zero
INPUT_DEGRADE = 7  # 0, or a cause that the supervisor sees
INPUT_RENEW = 8  # 1: the scene begins anew in this tick, or another one does
INPUT_SIZE = 10

# Columns of a command row. Every command has effect in exactly one tick.
COMMAND_ID = 0  # the sender's number, given back in the event
COMMAND_CODE = 1  # states.py, COMMAND_*
COMMAND_TARGET = 2  # a body, a parameter, an arena
COMMAND_TICKS = 3  # for how many ticks; 0: until changed
COMMAND_VALUE = 4  # 4..11
COMMAND_SIZE = 12
COMMANDS_PER_TICK = 8

# Cells of Safety.word; those up to WORD_SHOWN are shown in the slot.
WORD_MODE = 0
WORD_CAUSE = 1  # of the last change of mode
WORD_LIMITS = 2  # mask of the limits active in this tick, bit = code
WORD_OVERRUNS = 3  # late ticks since the start
WORD_SKIPPED = 4  # periods that were skipped since the start
WORD_LEAK = 5  # the leaky count
WORD_MISSED = 6  # ticks without a sample since the start
WORD_REFUSED = 7  # samples refused since the start
WORD_GENERATION = 8  # of the scene
WORD_STATUS = 9  # of the simulation's step: the worst contact code
WORD_BODIES = 10  # rows in use
WORD_CONTACTS = 11
WORD_POINTS = 12
WORD_SENT = 13  # bytes sent to the device
WORD_PAUSED = 14  # 1: the world stands still, the force is off
WORD_REALTIME = 15  # 1: runs with real-time priority and locked memory
WORD_SHOWN = 16
WORD_GOOD = 16  # good ticks since the leaky count last fell
WORD_RAMP = 17  # ticks into the arming ramp
WORD_MISSED_ROW = 18  # ticks in a row without a sample
WORD_REFUSED_ROW = 19
WORD_SAMPLES = 20  # samples since the start
WORD_STREAK = 21  # of the last 60 ticks, one bit each: 1 = no sample
WORD_CLUTCHED = 22
WORD_LEAVING = 23  # ticks into the final ramp
WORD_EVENTS = 24  # rows of Safety.event in use in this tick
WORD_HEALTHY = 25  # ticks in a row with nothing that degrades
WORD_FRESH = 26  # 1: this tick has a good sample
WORD_HELD = 27  # ticks summed up in MEMORY_HELD
WORD_TICK = 28  # ticks of the servo; the world's own count (State.tick) stands still in a pause and starts anew
WORD_SIZE = 32

# Cells of Safety.limit. Forces in N and Nm on the device's side; set at the start, lowered by command.
LIMIT_FORCE = 0
LIMIT_TORQUE = 1
LIMIT_SLEW = 2  # N per tick
LIMIT_SLEW_TORQUE = 3  # Nm per tick
LIMIT_SPEED = 4  # m/s, from here on only damping
LIMIT_SPEED_FAULT = 5
LIMIT_SPIN = 6  # rad/s
LIMIT_SPIN_FAULT = 7
LIMIT_CONTINUOUS = 8  # N that may be held for ever
LIMIT_CONTINUOUS_TORQUE = 9
LIMIT_THERMAL_TIME = 10  # s
LIMIT_CENTRE = 11  # 11..13 m, of the workspace
LIMIT_HALF = 14  # 14..16 m; 0: no such axis
LIMIT_COS_INNER = 17  # |w| of the quaternion where the force begins to fade; 1 and 0 without rotation
LIMIT_COS_OUTER = 18  # and where it is gone
LIMIT_MARGIN = 19  # m over which the force fades at the edge
LIMIT_RAMP = 20  # ticks from zero to full force
LIMIT_LEAVE = 21  # ticks from full force to zero at the end
LIMIT_OVERRUNS = 22  # leaky count that is a fault
LIMIT_FORGIVE = 23  # good ticks that take one off it
LIMIT_GAP_RAMP = 24  # skipped ticks after which the force starts from zero
LIMIT_GAP_FAULT = 25
LIMIT_PASSIVE = 26  # 1: the passivity controller acts; 0: the observer only looks
LIMIT_DAMPING = 27  # Ns/m that the controller and the brake may use at most
LIMIT_RESERVE = 28  # J of past dissipation that the controller lets count
LIMIT_DT = 29  # s
LIMIT_DELAY = 30  # s, the device's declared t_d
LIMIT_LAG = 31  # ticks between a force and the sample that shows its effect, beyond the first
LIMIT_MAY_ARM = 32  # 0: no real-time priority on hardware, arming is refused
LIMIT_STALE = 33  # ticks without a sample from which on the force decays
LIMIT_SILENT = 34  # ticks without a sample that are a fault
LIMIT_REFUSED = 35  # refused samples in a row that are a fault
LIMIT_SIZE = 40

# Cells of Safety.mount: where the device stands in the world, and the scales between the two.
MOUNT_ROTATION = 0  # 0..8, R_WD row by row
MOUNT_POSITION = 9  # 9..11, p_WD
MOUNT_Q = 12  # 12..15, the same rotation as a quaternion
MOUNT_MOTION = 16  # s_p, m in the world per m of the hand
MOUNT_FORCE = 17  # s_f, N at the hand per N in the world
MOUNT_CLUTCH = 18  # mask of the button that frees the pointer from the hand; 0: none
MOUNT_SIZE = 20

# Cells of Safety.memory: what the guard carries from tick to tick. Device frame.
MEMORY_SENT = 0  # 0..5, the wrench of the last tick after all limits
MEMORY_HELD = 6  # 6..11, sum of the wrenches that the device gave since the last sample, N and Nm
MEMORY_PAST = 12  # 12..35, what it gave in the last ticks, newest first: LAGS rows of six
MEMORY_POSITION = 36  # 36..38, of the last sample
MEMORY_Q = 39  # 39..42
MEMORY_RESERVE = 43  # J, the controller's account: never above LIMIT_RESERVE
MEMORY_ENERGY = 44  # J that the hand has put in, by the passivity observer; below zero: the device is active
MEMORY_HEAT = 45  # share of the thermal budget, force
MEMORY_HEAT_TORQUE = 46
MEMORY_GAIN = 47  # of this tick
MEMORY_DAMPING = 48  # Ns/m of the passivity controller in this tick
MEMORY_CLUTCH = 49  # 49..55, p and q between the hand and the pointer: what the clutch has added up
MEMORY_SIZE = 56
MEMORY_SHOWN = MEMORY_ENERGY  # first of the cells that the slot shows
MEMORY_SHOWN_COUNT = 5
LAGS = 4

# Rows of Slots.wrench.
WRENCH_WORLD = 0  # on the pointer about its origin, world frame, as the simulation gave it
WRENCH_WANTED = 1  # the same on the device's side, before the limits
WRENCH_SENT = 2  # after the limits
WRENCH_RENDERED = 3  # what the driver says the device gives
WRENCH_ROWS = 4

# Cells of Slots.time, monotonic ns.
TIME_DUE = 0  # when the tick should have begun
TIME_WOKE = 1
TIME_READ = 2  # bytes are there
TIME_DECODED = 3
TIME_STEPPED = 4
TIME_ENCODED = 5
TIME_WRITTEN = 6
TIME_SIZE = 8

# Columns of Slots.contact: what the view draws. World frame; the wrench is that on A about CENTRE.
SHOWN_VOLUME = 0  # m3
SHOWN_AREA = 1  # m2
SHOWN_DEPTH = 2  # m
SHOWN_NORMAL = 3  # 3..5, from B into A
SHOWN_CENTRE = 6  # 6..8, m
SHOWN_WRENCH = 9  # 9..14, N and Nm
SHOWN_SIZE = 16

# Columns of Slots.contact_of.
OF_BODY_A = 0
OF_BODY_B = 1
OF_PART_A = 2
OF_PART_B = 3
OF_STATUS = 4
OF_POINT = 5  # first row of its polygon in Slots.point
OF_POINTS = 6
OF_SIZE = 8

# Columns of an event row (Safety.event).
EVENT_KIND = 0  # states.py, EVENT_*
EVENT_CODE = 1
EVENT_VALUE = 2  # 2..5
EVENT_SIZE = 6
EVENTS_PER_TICK = 16

# Columns of a shown body: position, q_xyzw, velocity, angular velocity.
BODY_SHOWN = 13


class Inputs(NamedTuple):
    """All that enters a tick; the log holds every one of them."""

    word: Array  # (INPUT_SIZE,) i8
    command: Array  # (COMMANDS_PER_TICK, COMMAND_SIZE)
    sample: Array  # (SAMPLE_SIZE,) the newest that the driver decoded


class Safety(NamedTuple):
    """The guard: its settings, its memory, and what it says about this tick."""

    limit: Array  # (LIMIT_SIZE,)
    mount: Array  # (MOUNT_SIZE,)
    word: Array  # (WORD_SIZE,) i8
    memory: Array  # (MEMORY_SIZE,)
    wrench: Array  # (WRENCH_ROWS, 6)
    event: Array  # (EVENTS_PER_TICK, EVENT_SIZE)
    sample: Array  # (SAMPLE_SIZE,) the last one that was good: what every later stage works with
    push: Array  # (n_body,) i8, ticks for which a commanded wrench still acts; 0: none, or until changed


class Recorded(NamedTuple):
    """Ticks of a log, row by row, as kernel/replay.py takes them."""

    word: Array  # (n, INPUT_SIZE) i8
    command: Array  # (n, COMMANDS_PER_TICK, COMMAND_SIZE)
    sample: Array  # (n, SAMPLE_SIZE)
    rendered: Array  # (n, 6) N, Nm
    sent_count: Array  # (n,) i8, bytes sent to the device
    clamped: Array  # (n,) i8, the bit of LIMITED_MOTOR where the clamp had to act


class Slots(NamedTuple):
    """The ring's slots field by field: views with the slot as their first index, strides as long as a slot.

    Views and not one record array: a record's type holds the sizes of its fields, so every other capacity in the config
    would compile the kernel again.
    """

    sequence: Array  # (n,) u8; odd while the slot is written
    tick: Array  # (n,) i8
    time: Array  # (n, TIME_SIZE) i8
    input: Array  # (n, INPUT_SIZE) i8
    command: Array  # (n, COMMANDS_PER_TICK, COMMAND_SIZE)
    sample: Array  # (n, SAMPLE_SIZE)
    pointer: Array  # (n, DEVICE_SIZE) where the device holds the pointer, world frame
    wrench: Array  # (n, WRENCH_ROWS, 6)
    word: Array  # (n, WORD_SHOWN) i8
    guard: Array  # (n, MEMORY_SHOWN_COUNT)
    body: Array  # (n, bodies, BODY_SHOWN)
    contact: Array  # (n, contacts, SHOWN_SIZE) f4
    contact_of: Array  # (n, contacts, OF_SIZE) i4
    point: Array  # (n, points, 3) f4, m: the polygons of the contacts, world frame
    raw: Array  # (n, input_size) u1
    sent: Array  # (n, output_size) u1
