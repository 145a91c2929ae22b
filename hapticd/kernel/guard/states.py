"""The numbers that the guard speaks in: modes, causes, limits, commands, events. hapticd/words.py has them as text."""

# Modes, in the order of how much force may flow.
FAULT = 0  # no current; the first mode, and latched until cleared by a person
IDLE = 1  # rest frame: no wrench
ARMING = 2  # the ramp
ACTIVE = 3
DEGRADED = 4  # force on, but something is missing; its cause says what

# Why a mode was entered.
CAUSE_NONE = 0
CAUSE_START = 1  # a fresh start
CAUSE_UNCLEAN = 2  # the last run did not end by itself
CAUSE_COMMAND = 3
CAUSE_RAMPED = 4  # the arming ramp is through
CAUSE_RECOVERED = 5  # what degraded it has been gone for a while
CAUSE_LEAVE = 6  # the daemon stops
CAUSE_STOP = 7  # emergency stop
CAUSE_LINK_LOST = 8  # reading or writing failed: unplugged
CAUSE_SILENT = 9  # the link is open and no sample comes
CAUSE_REFUSED = 10  # three samples in a row that cannot be true
CAUSE_ENCODER = 11  # the driver no longer trusts a sensor
CAUSE_NUMERIC = 12  # NaN or infinity from the simulation
CAUSE_VELOCITY = 13
CAUSE_OVERRUN = 14  # too many late ticks
CAUSE_GAP = 15  # one pause too long
CAUSE_SUPERVISOR = 16  # its counter stands still
CAUSE_DRIVER = 17  # decode or encode raised
CAUSE_HEAT = 18  # the device reports its limit
CAUSE_DEADMAN = 19  # the hand has let go
CAUSE_SLOW = 20  # every other tick comes without a sample
CAUSE_LATE = 21  # samples are older than declared
CAUSE_SERVICE = 22  # publisher, recorder or command service is gone for good
CAUSE_WARM = 23  # the device is near its temperature limit
CAUSE_COUNT = 24

# Limits: bit numbers of the mask in a slot. The code in words and logs is 100 + bit.
LIMITED_PASSIVITY = 0
LIMITED_RAMP = 1
LIMITED_WORKSPACE = 2
LIMITED_VELOCITY = 3
LIMITED_THERMAL = 4
LIMITED_FORCE = 5
LIMITED_TORQUE = 6
LIMITED_SLEW = 7
LIMITED_SLEW_TORQUE = 8
LIMITED_FINITE = 9
LIMITED_MOTOR = 10  # the clamp after encode had to act
LIMITED_STALE = 11  # samples are missing: the force decays
LIMITED_DELAY = 12  # samples are late or rare: the stiffness is lowered
LIMITED_HEAT = 13
LIMITED_COUNT = 14

# Commands.
COMMAND_NONE = 0
COMMAND_CLEAR = 1  # FAULT -> IDLE
COMMAND_ARM = 2  # IDLE -> ARMING
COMMAND_DISARM = 3  # -> IDLE
COMMAND_PAUSE = 4  # the world stands still, force off
COMMAND_RESUME = 5  # and goes on, force from zero
COMMAND_RESTART = 6  # the scene from its beginning, force from zero
COMMAND_LIMIT = 7  # target: a cell of Safety.limit; value: the new limit, lower than now
COMMAND_GRAVITY = 8  # value: three numbers, m/s2
COMMAND_MATERIAL = 9  # target: row * 256 + column of the gain table; value: column, number
COMMAND_WRENCH = 10  # target: a body; ticks: how long; value: six numbers, N and Nm about its centre of mass
COMMAND_SCENE = 11  # target: the arena; ticks: the tick from which it is in force

# What became of a command.
DONE = 0
REFUSED_MODE = 1  # not in this mode
REFUSED_VALUE = 2  # not finite, out of range, or it would raise a safety limit
REFUSED_REALTIME = 3  # no real-time priority, no force
REFUSED_TARGET = 4  # no such body, parameter or arena
REFUSED_UNKNOWN = 5

# Events.
EVENT_MODE = 1  # code: cause; values: from, to
EVENT_COMMAND = 2  # code: what became of it; values: id, command
EVENT_OVERRUN = 3  # code: periods skipped; values: leaky count
EVENT_GAP = 4  # code: periods skipped; the force starts from zero
EVENT_SCENE = 5  # code: arena; values: generation
EVENT_SERVICE = 6  # code: 0 gone, 1 started again, 2 gone for good; text: which
EVENT_SERVO = 7  # code: wait status; text
EVENT_LIMITS = 8  # code: mask of limits that became active
EVENT_LEAVE = 9  # the daemon stops; text
EVENT_RECORD = 10  # code: why ticks are not in the log (channel.py), 0: it goes on; values: first, how many; text
