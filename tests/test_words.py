"""Every number of the guard has one name."""

from hapticd import words
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
