"""Every number of the guard has one name."""

import numpy as np

from hapticd import words
from hapticd.control import EVENT_DTYPE
from hapticd.kernel.guard import states


def test_every_code_has_a_name():
    assert sorted(words.CAUSES) == list(range(states.CAUSE_COUNT))
    assert sorted(words.LIMITS) == list(range(states.LIMITED_COUNT))
    assert words.CAUSES[states.CAUSE_LINK_LOST] == "LINK_LOST"
    assert words.RESULTS[states.REFUSED_REALTIME] == "realtime"
    assert len(set(words.COMMANDS.values())) == len(words.COMMANDS) == 12


def test_mask_in_words():
    mask = 1 << states.LIMITED_FORCE | 1 << states.LIMITED_RAMP
    assert words.limit_names(mask) == ["101 RAMP", "105 FORCE"]


def test_events_in_words():
    row = np.zeros((), EVENT_DTYPE)
    row["kind"], row["code"], row["value"] = states.EVENT_MODE, states.CAUSE_STOP, (states.ACTIVE, states.FAULT, 0, 0)
    event = words.event_words(row)
    assert (event["kind"], event["from"], event["to"], event["cause"]) == ("MODE", "ACTIVE", "FAULT", "STOP")
    row["kind"], row["code"], row["value"] = states.EVENT_COMMAND, states.REFUSED_VALUE, (9, states.COMMAND_LIMIT, 0, 0)
    event = words.event_words(row)
    assert (event["id"], event["command"], event["result"]) == (9, "LIMIT", "value")
    row["kind"], row["text"] = states.EVENT_SERVICE, b"recorder"
    assert words.event_words(row)["text"] == "recorder"
