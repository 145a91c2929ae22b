"""What may be asked of a running daemon: every command with its role, its arguments, and what it becomes.

    Request ─► understand ─► Order     a row for the servo's mailbox (kernel/guard/states.py, COMMAND_*)
                             Build     a scene to be built first, outside the servo
                             "status", "stop"    done by commands.py itself
                             Refusal   a code and a reason; nothing has changed

Arguments are checked here for name, type, range; what depends on the tick (modes, present limits) is for the kernel.
Stiffness and damping may be lowered while the scene runs, not raised above what was loaded, because only a load checks
that a scene is stable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard import states as s
from hapticd.kernel.layout import (
    GAIN_DAMPING,
    GAIN_MU_DYNAMIC,
    GAIN_MU_STATIC,
    GAIN_STICK_DAMPING,
    GAIN_STICK_STIFFNESS,
    GAIN_STIFFNESS,
)
from hapticd.wire import Message, Request

TEXT_MAX = 60_000  # letters of a scene or a body
WRENCH_MAX = 1000.0  # N, Nm
TICKS_MAX = 60_000
GRAVITY_MAX = 100.0  # m/s2
MU_MAX = 10.0
POINTER = "pointer"  # the last material of the gain table

LIMITS = {"force": g.LIMIT_FORCE, "torque": g.LIMIT_TORQUE, "speed": g.LIMIT_SPEED, "spin": g.LIMIT_SPIN}
GAINS = {
    "stiffness": GAIN_STIFFNESS,
    "damping": GAIN_DAMPING,
    "stick_stiffness": GAIN_STICK_STIFFNESS,
    "stick_damping": GAIN_STICK_DAMPING,
    "mu": GAIN_MU_DYNAMIC,
    "mu_static": GAIN_MU_STATIC,
}
SCENE_NAME = re.compile(r"[A-Za-z0-9_\-]{1,60}")


class Refusal(Exception):
    """A command that is not done: a code for programs and a reason for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Order(NamedTuple):
    """A row of the mailbox, without its number."""

    code: int
    target: int = 0
    ticks: int = 0
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Build:
    """A scene to be built: another one, or this one with a body more or less."""

    kind: Literal["load", "add", "remove"]
    name: str = ""  # of a scene in the scene folder, or of a body
    text: str = ""  # TOML: a scene, or one [[body]]


@dataclass
class Names:
    """What the running scene calls its things, and the gains that were loaded: (material, material) -> row."""

    bodies: dict[str, int] = field(default_factory=dict)
    materials: list[str] = field(default_factory=list)
    loaded: dict[tuple[int, int], tuple[float, ...]] = field(default_factory=dict)


Understood = Order | Build | Literal["status", "stop"]


class Rule(NamedTuple):
    """One command: who may ask, the arguments it takes (those with ? may be left out), what it becomes."""

    role: str
    args: tuple[str, ...]
    make: Callable[[Message, Names], Understood]


def understand(request: Request, role: str, names: Names) -> Understood:
    """What a command of a peer with this role asks for, or a Refusal."""
    rule = RULES.get(request.command)
    if rule is None:
        raise Refusal("unknown", f"no command is called {request.command!r}; known are {', '.join(RULES)}")
    if rule.role == "control" and role != "control":
        raise Refusal("role", f"{request.command} needs the role control; yours is {role}")
    known = {name.rstrip("?") for name in rule.args}
    for name in request.args:
        if name not in known:
            raise Refusal(
                "value", f"{request.command} takes {', '.join(sorted(known)) or 'nothing'}; not {name[:40]!r}"
            )
    for name in rule.args:
        if not name.endswith("?") and name not in request.args:
            raise Refusal("value", f"{request.command} needs {name}")
    return rule.make(request.args, names)


def _wrench(args: Message, names: Names) -> Order:
    force, torque = (_vector(args.get(key, [0, 0, 0]), key, WRENCH_MAX) for key in ("force", "torque"))
    ticks = args["ticks"]
    if type(ticks) is not int or not 1 <= ticks <= TICKS_MAX:
        raise Refusal("value", f"ticks is {str(ticks)[:20]}; allowed is a whole number from 1 to {TICKS_MAX}")
    return Order(s.COMMAND_WRENCH, _body(args["body"], names), ticks, force + torque)


def _set(args: Message, names: Names) -> Order:
    """gravity, limit.NAME, or material.A.B.GAIN."""
    name, value = args["name"], args["value"]
    parts = name.split(".") if isinstance(name, str) else []
    match parts:
        case ["gravity"]:
            return Order(s.COMMAND_GRAVITY, values=_vector(value, "value", GRAVITY_MAX))
        case ["limit", limit] if limit in LIMITS:
            return Order(s.COMMAND_LIMIT, LIMITS[limit], values=(_number(value, 1e6),))
        case ["material", one, other, gain] if gain in GAINS:
            return _gain(one, other, gain, value, names)
    allowed = f"gravity, limit.({'|'.join(LIMITS)}), material.A.B.({'|'.join(GAINS)})"
    raise Refusal("target", f"name is {str(name)[:60]!r}; allowed are {allowed}")


def _gain(one: str, other: str, gain: str, value: Any, names: Names) -> Order:
    known = [*names.materials, POINTER]
    if one not in known or other not in known or not names.materials:
        raise Refusal("target", f"materials {one[:40]!r} and {other[:40]!r}; known are {', '.join(known)}")
    a, b, column = known.index(one), known.index(other), GAINS[gain]
    if column in (GAIN_MU_DYNAMIC, GAIN_MU_STATIC):
        return Order(s.COMMAND_MATERIAL, a * 256 + b, values=(column, _number(value, MU_MAX)))
    loaded = names.loaded.get((a, b), ())
    most = loaded[column] if column < len(loaded) else 0.0
    if (number := _number(value, 1e12)) > most:
        raise Refusal("value", f"{gain} is {number:g}; allowed is at most what was loaded, {most:g}")
    return Order(s.COMMAND_MATERIAL, a * 256 + b, values=(column, number))


def _load(args: Message, names: Names) -> Build:
    if len(args) != 1:
        raise Refusal("value", "load needs name or text, one of them")
    if "text" in args:
        return Build("load", text=_text(args["text"]))
    name = args["name"]
    if not isinstance(name, str) or not SCENE_NAME.fullmatch(name):
        raise Refusal("value", "name: allowed are letters, digits, - and _; the scene folder is searched for NAME.toml")
    return Build("load", name=name)


def _remove(args: Message, names: Names) -> Build:
    _body(args["body"], names)
    return Build("remove", name=args["body"])


def _body(name: Any, names: Names) -> int:
    if not isinstance(name, str) or name not in names.bodies:
        raise Refusal("target", f"no body is called {str(name)[:60]!r}")
    return names.bodies[name]


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= TEXT_MAX:
        raise Refusal("value", f"text: allowed is TOML of at most {TEXT_MAX} letters")
    return value


def _number(value: Any, most: float) -> float:
    if type(value) not in (int, float) or not 0.0 <= value <= most:
        raise Refusal("value", f"value is {str(value)[:20]}; allowed is a number from 0 to {most:g}")
    return float(value)


def _vector(value: Any, key: str, most: float) -> tuple[float, ...]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(type(n) in (int, float) and abs(n) <= most for n in numbers):
        raise Refusal("value", f"{key}: allowed are three numbers from {-most:g} to {most:g}")
    return tuple(float(n) for n in numbers)


def _order(code: int) -> Callable[[Message, Names], Order]:
    return lambda args, names: Order(code)


RULES = {
    "status": Rule("observer", (), lambda args, names: "status"),
    "stop": Rule("observer", (), lambda args, names: "stop"),
    "clear": Rule("control", (), _order(s.COMMAND_CLEAR)),
    "arm": Rule("control", (), _order(s.COMMAND_ARM)),
    "disarm": Rule("control", (), _order(s.COMMAND_DISARM)),
    "pause": Rule("control", (), _order(s.COMMAND_PAUSE)),
    "resume": Rule("control", (), _order(s.COMMAND_RESUME)),
    "reset": Rule("control", (), _order(s.COMMAND_RESTART)),
    "set": Rule("control", ("name", "value"), _set),
    "wrench": Rule("control", ("body", "force?", "torque?", "ticks"), _wrench),
    "load": Rule("control", ("name?", "text?"), _load),
    "add": Rule("control", ("text",), lambda args, names: Build("add", text=_text(args["text"]))),
    "remove": Rule("control", ("body",), _remove),
}
