"""The live entrance of a tick: shared words and mailbox into Inputs. Exact replay fills Inputs from the log instead.

This is the only place where anything that is not determined by the tick before comes in, beside the device's bytes.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.guard.layout import (
    COMMAND_CODE,
    COMMAND_SIZE,
    COMMAND_TARGET,
    COMMANDS_PER_TICK,
    INPUT_COMMANDS,
    INPUT_DEGRADE,
    INPUT_LEAVE,
    INPUT_RENEW,
    INPUT_SCENE,
    INPUT_STOP,
)
from hapticd.kernel.guard.states import CAUSE_STOP, CAUSE_SUPERVISOR, COMMAND_RESTART, COMMAND_SCENE

# Rows of the control words, as in hapticd/control.py.
SUPERVISOR_BEAT, STOP, LEAVE, SENT, TAKEN, DEGRADE = 1, 3, 4, 5, 6, 10

# Cells of the servo's own memory of them.
SEEN_STOP = 0
SEEN_BEAT = 1
STILL = 2  # ticks for which the supervisor's counter has not moved
STILL_LIMIT = 3  # ticks that are a fault
SEEN_SIZE = 4


@kernel
def gather(control, mailbox, seen, inputs):
    """Fill Inputs.word and Inputs.command, but for what the shell knows: gap, raw bytes, sample code, its own stop."""
    word = inputs.word
    word[INPUT_LEAVE] = control[LEAVE, 0]
    word[INPUT_DEGRADE] = control[DEGRADE, 0]
    word[INPUT_RENEW] = 0
    if control[STOP, 0] != seen[SEEN_STOP]:
        seen[SEEN_STOP] = control[STOP, 0]
        word[INPUT_STOP] = CAUSE_STOP
    watch_supervisor(control, seen, word)
    take_commands(control, mailbox, inputs)


@kernel
def watch_supervisor(control, seen, word):
    beat = control[SUPERVISOR_BEAT, 0]
    if beat != seen[SEEN_BEAT]:
        seen[SEEN_BEAT] = beat
        seen[STILL] = 0
        return
    seen[STILL] += 1
    if seen[STILL] >= seen[STILL_LIMIT]:
        word[INPUT_STOP] = CAUSE_SUPERVISOR


@kernel
def take_commands(control, mailbox, inputs):
    """Up to eight; one that begins a scene anew ends the batch, so that at most one does in a tick."""
    taken, sent, n = control[TAKEN, 0], control[SENT, 0], 0
    while taken < sent and n < COMMANDS_PER_TICK:
        row = taken % mailbox.shape[0]
        for k in range(COMMAND_SIZE):
            inputs.command[n, k] = mailbox[row, k]
        taken += 1
        n += 1
        code = inputs.command[n - 1, COMMAND_CODE]
        if code == COMMAND_SCENE or code == COMMAND_RESTART:
            arena = inputs.command[n - 1, COMMAND_TARGET]
            if code == COMMAND_SCENE and (arena == 0.0 or arena == 1.0):
                inputs.word[INPUT_SCENE] = int(arena)
            inputs.word[INPUT_RENEW] = 1
            break
    control[TAKEN, 0] = taken
    inputs.word[INPUT_COMMANDS] = n
