"""Events of a tick and changes of mode: the rows that the shell copies into the servo's journal."""

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.guard.layout import (
    EVENT_CODE,
    EVENT_KIND,
    EVENT_VALUE,
    EVENTS_PER_TICK,
    MEMORY_SENT,
    WORD_CAUSE,
    WORD_EVENTS,
    WORD_MODE,
    WORD_RAMP,
)
from hapticd.kernel.guard.states import ARMING, EVENT_MODE, FAULT


@kernel_inline
def note(safety, kind, code, first, second):
    """One event; those beyond the room of a tick are left out (a tick cannot cause so many)."""
    i = safety.word[WORD_EVENTS]
    if i < EVENTS_PER_TICK:
        safety.event[i, EVENT_KIND] = kind
        safety.event[i, EVENT_CODE] = code
        safety.event[i, EVENT_VALUE] = first
        safety.event[i, EVENT_VALUE + 1] = second
        safety.event[i, EVENT_VALUE + 2] = 0.0
        safety.event[i, EVENT_VALUE + 3] = 0.0
        safety.word[WORD_EVENTS] = i + 1


@kernel_inline
def enter(safety, mode, cause):
    """Change the mode. A fault keeps its first cause until it is cleared; ARMING always starts its ramp at zero."""
    old = safety.word[WORD_MODE]
    if mode <= ARMING:  # the next force is measured from zero, not from what was there before
        for k in range(6):
            safety.memory[MEMORY_SENT + k] = 0.0
    if mode == ARMING:
        safety.word[WORD_RAMP] = 0
    if old == mode and (mode == FAULT or safety.word[WORD_CAUSE] == cause):
        return
    note(safety, EVENT_MODE, cause, old, mode)
    safety.word[WORD_MODE] = mode
    safety.word[WORD_CAUSE] = cause
