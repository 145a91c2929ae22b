"""What may be asked: every command with its arguments, and what each wrong argument is answered with."""

import hypothesis
import pytest
from hypothesis import strategies as st

from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard import states
from hapticd.kernel.layout import GAIN_MU_DYNAMIC, GAIN_STIFFNESS
from hapticd.requests import RULES, Build, Names, Order, Refusal, understand
from hapticd.wire import Request

NAMES = Names({"block1": 1, "block2": 2}, ["wood", "steel"], {(0, 2): (800.0, 2.0, 400.0, 1.0, 0.5, 0.5)})


def ask(command: str, role: str = "control", **args):
    return understand(Request(1, command, args), role, NAMES)


def test_orders():
    assert ask("arm") == Order(states.COMMAND_ARM) and ask("reset") == Order(states.COMMAND_RESTART)
    assert ask("set", name="gravity", value=[0, 0, -9.8]) == Order(states.COMMAND_GRAVITY, values=(0.0, 0.0, -9.8))
    assert ask("set", name="limit.force", value=2) == Order(states.COMMAND_LIMIT, g.LIMIT_FORCE, values=(2.0,))
    assert ask("set", name="material.wood.pointer.mu", value=0.3).values == (GAIN_MU_DYNAMIC, 0.3)
    assert ask("set", name="material.wood.pointer.mu", value=0.3).target == 2
    assert ask("set", name="material.steel.wood.mu", value=0.3).target == 256
    assert ask("wrench", body="block2", torque=[0, 0, 1], ticks=5) == Order(
        states.COMMAND_WRENCH, 2, 5, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    )
    assert ask("load", text="gravity = [0, 0, 0]") == Build("load", text="gravity = [0, 0, 0]")
    assert ask("load", name="pyramid") == Build("load", name="pyramid")
    assert ask("remove", body="block1") == Build("remove", name="block1")


def test_stiffness_may_be_lowered_and_not_raised():
    assert ask("set", name="material.wood.pointer.stiffness", value=800).values == (GAIN_STIFFNESS, 800.0)
    with pytest.raises(Refusal, match="at most what was loaded, 800"):
        ask("set", name="material.wood.pointer.stiffness", value=801)


@pytest.mark.parametrize("command", [name for name, rule in RULES.items() if rule.role == "control"])
def test_an_observer_may_look_and_stop_only(command):
    with pytest.raises(Refusal) as refused:
        ask(command, role="observer")
    assert refused.value.code == "role"
    assert ask("status", role="observer") == "status" and ask("stop", role="observer") == "stop"


@pytest.mark.parametrize(
    ("code", "command", "args"),
    [
        ("unknown", "explode", {}),
        ("value", "arm", {"now": True}),
        ("value", "wrench", {"body": "block1"}),
        ("value", "wrench", {"body": "block1", "ticks": 0}),
        ("value", "wrench", {"body": "block1", "ticks": True}),
        ("value", "wrench", {"body": "block1", "ticks": 5, "force": [1, 2]}),
        ("value", "wrench", {"body": "block1", "ticks": 5, "force": [1, 2, 1e9]}),
        ("value", "wrench", {"body": "block1", "ticks": 5, "force": [1, 2, "3"]}),
        ("target", "wrench", {"body": "table9", "ticks": 5}),
        ("target", "wrench", {"body": ["block1"], "ticks": 5}),
        ("target", "set", {"name": "limit.slew", "value": 1.0}),
        ("target", "set", {"name": 5, "value": 1.0}),
        ("target", "set", {"name": "material.wood.glass.mu", "value": 1.0}),
        ("value", "set", {"name": "limit.force", "value": -1.0}),
        ("value", "set", {"name": "material.wood.wood.mu", "value": True}),
        ("value", "set", {"name": "gravity", "value": 9.8}),
        ("value", "load", {}),
        ("value", "load", {"name": "a", "text": "b"}),
        ("value", "load", {"name": "../../etc/passwd"}),
        ("value", "load", {"text": "x" * 60_001}),
        ("target", "remove", {"body": "nobody"}),
    ],
)
def test_refusals(code, command, args):
    with pytest.raises(Refusal) as refused:
        ask(command, **args)
    assert refused.value.code == code and 0 < len(str(refused.value)) < 300


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3)
values = plain | st.lists(plain, max_size=4) | st.dictionaries(st.text(max_size=3), plain, max_size=2)
keys = st.sampled_from(["name", "value", "body", "force", "torque", "ticks", "text", "x"])


@hypothesis.given(st.sampled_from(list(RULES)), st.dictionaries(keys, values, max_size=5))
def test_any_arguments_are_understood_or_refused(command, args):
    try:
        asked = ask(command, **args)
    except Refusal as refusal:
        assert refusal.code in ("value", "target", "unknown")
    else:
        assert isinstance(asked, Order | Build) or asked in ("status", "stop")
