"""Changes of mode on the console: each once, faults with what to do, never a flood."""

import logging

import pytest

from hapticd.modelog import PAUSE, PLAIN, ModeLog
from hapticd.words import CAUSE_HELP, CAUSES


def change(to: str, cause: str = "COMMAND", text: str = "") -> dict[str, str]:
    return {"kind": "MODE", "to": to, "cause": cause, "help": text}


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "hapticd.servo")
    return lambda: [(record.levelname, record.getMessage()) for record in caplog.records]


def test_a_change_is_told_once_and_a_fault_with_what_to_do(lines):
    modes = ModeLog()
    told = [
        change("IDLE"),
        change("ACTIVE", "RAMPED"),
        change("ARMING", "GAP"),
        change("FAULT", "GAP", "run the doctor"),
    ]
    for k, event in enumerate(told):
        modes.note({"kind": "LIMITS"})
        modes.note(event)
        modes.tell(float(k))
        modes.tell(k + 0.5)
    assert lines() == [("INFO", "IDLE"), ("INFO", "ACTIVE"), ("WARNING", "ARMING by GAP"),
                       ("ERROR", "FAULT by GAP: run the doctor")]  # fmt: skip


def test_a_flood_of_changes_is_ten_lines_a_second_and_no_fault_is_lost_in_it(lines):
    modes = ModeLog()
    for tick in range(1000):
        modes.note(change("FAULT", "STOP") if tick == 449 else change(("IDLE", "ACTIVE")[tick % 2]))
        modes.tell(1e-3 * tick)
    assert len(lines()) <= 1 + 1.0 / PAUSE
    assert ("ERROR", "FAULT by STOP") in lines()


def test_every_cause_is_plain_or_says_what_to_do():
    helpless = {name for code, name in CAUSES.items() if not CAUSE_HELP.get(code)}
    assert helpless <= set(PLAIN)
