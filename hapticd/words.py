"""The guard's numbers as text: for the status file, the stream, the log and people. One table per kind."""

from typing import Any

from hapticd.kernel.guard import states as s

MODES = {
    s.FAULT: "FAULT",
    s.IDLE: "IDLE",
    s.ARMING: "ARMING",
    s.ACTIVE: "ACTIVE",
    s.DEGRADED: "DEGRADED",
}


def _names(prefix: str) -> dict[int, str]:
    """Constants of kernel/guard/states.py by value: CAUSE_LINK_LOST -> LINK_LOST."""
    return {value: name.removeprefix(prefix) for name, value in vars(s).items() if name.startswith(prefix)}


CAUSES = {value: name for value, name in _names("CAUSE_").items() if name != "COUNT"}
LIMITS = {value: name for value, name in _names("LIMITED_").items() if name != "COUNT"}
COMMANDS = _names("COMMAND_")
EVENTS = _names("EVENT_")
RESULTS = {s.DONE: "done", **{value: name.lower() for value, name in _names("REFUSED_").items()}}

LIMIT_CODE = 100  # a limit's public code is this plus its bit

CAUSE_HELP = {
    s.CAUSE_START: "a fresh start: clear, then arm",
    s.CAUSE_UNCLEAN: "the last run did not end by itself: look at the log, then clear and arm",
    s.CAUSE_STOP: "emergency stop: clear and arm when all is well",
    s.CAUSE_LINK_LOST: "the device is unplugged or its port failed: plug it in and start again",
    s.CAUSE_SILENT: "the device does not answer: check its power and cable",
    s.CAUSE_REFUSED: "the device sent poses that cannot be true: check strings and encoders, calibrate",
    s.CAUSE_ENCODER: "a sensor of the device is stuck or lost: check it, calibrate",
    s.CAUSE_NUMERIC: "the simulation gave NaN or infinity: a snapshot was saved",
    s.CAUSE_VELOCITY: "the handle moved faster than safety.speed_fault",
    s.CAUSE_OVERRUN: "too many late ticks: run `hapticd doctor`",
    s.CAUSE_GAP: "the loop stood still for too long: run `hapticd doctor`",
    s.CAUSE_SUPERVISOR: "the supervisor is gone: start again",
    s.CAUSE_DRIVER: "the driver raised an error: see the log",
    s.CAUSE_HEAT: "the device is too hot: let it cool down",
    s.CAUSE_DEADMAN: "the hand let go of the handle: arm again",
    s.CAUSE_SLOW: "every other tick comes without a sample: the device or its line is too slow for loop.rate_hz",
    s.CAUSE_LATE: "samples are older than the device promises: check cable, hub and serial settings",
    s.CAUSE_SERVICE: "publisher, recorder or command service is gone: see the log, start again when you can",
    s.CAUSE_WARM: "the device is near its temperature limit: let it rest",
}


def limit_names(mask: int) -> list[str]:
    """The limits of a slot's mask, as "105 FORCE"."""
    return [f"{LIMIT_CODE + bit} {name}" for bit, name in LIMITS.items() if mask >> bit & 1]


def event_words(row: Any) -> dict[str, Any]:
    """A row of a journal (control.py, EVENT_DTYPE) as names: kind, code, and what else that kind of event tells."""
    kind, code, value = int(row["kind"]), int(row["code"]), [float(number) for number in row["value"]]
    words: dict[str, Any] = {"kind": EVENTS.get(kind, str(kind)), "code": code, "value": value}
    text = bytes(row["text"]).rstrip(b"\0").decode(errors="replace")
    if text:
        words["text"] = text
    if kind == s.EVENT_MODE:
        words |= {"from": _mode(value[0]), "to": _mode(value[1]), "cause": CAUSES.get(code, str(code))}
        words["help"] = CAUSE_HELP.get(code, "")
    elif kind == s.EVENT_COMMAND:
        words |= {"id": int(value[0]), "command": COMMANDS.get(int(value[1]), "?"), "result": RESULTS.get(code, "?")}
    elif kind == s.EVENT_LIMITS:
        words["limits"] = limit_names(code)
    return words


def _mode(value: float) -> str:
    return MODES.get(int(value), "?")
