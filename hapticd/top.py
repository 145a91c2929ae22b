"""The running daemon in a terminal: state, rates, latency, forces, limits, contacts; ten times a second.

An ordinary client: gets states, timing and events from `hapticd.Client`, gives rich what to draw.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hapticd.state import Scene, State
from hapticd.wire import Message

BARS = " ▁▂▃▄▅▆▇█"
KEPT = 60  # points of a sparkline
CONTACTS = 6
EVENTS = 5
COLOURS = {"FAULT": "white on red", "IDLE": "black on bright_black", "ACTIVE": "black on green"}


class Top:
    """What was seen of late, and how it is drawn."""

    def __init__(self) -> None:
        self.force: deque[float] = deque(maxlen=KEPT)
        self.latency: deque[float] = deque(maxlen=KEPT)
        self.events: deque[str] = deque(maxlen=EVENTS)

    def add(self, state: State, events: list[Message]) -> None:
        self.force.append(_norm(state.device_wrench[:3]))
        self.latency.append((state.received_ns - state.time_ns) * 1e-6)
        self.events.extend(event_line(event) for event in events if event.get("kind") != "COMMAND" or event.get("code"))

    def draw(self, state: State, scene: Scene | None, timing: Message) -> RenderableType:
        """The whole screen."""
        panels = [
            Panel(self._state(state, scene), title="state", width=46),
            Panel(self._timing(timing), title="timing", width=46),
            Panel(self._contacts(state, scene), title="contacts", width=46),
            Panel(Text("\n".join(self.events) or "none yet"), title="events", width=46),
        ]
        return Group(self._head(state), Columns(panels))

    def _head(self, state: State) -> Text:
        mode = "PAUSED" if state.paused else state.mode
        head = Text.assemble("hapticd  ", (f" {mode} ", COLOURS.get(state.mode, "black on yellow")), f"  {state.cause}")
        head.append("" if state.realtime else "  not real-time", "yellow")
        return head

    def _state(self, state: State, scene: Scene | None) -> RenderableType:
        torque = _norm(state.device_wrench[3:])
        return _rows(
            ("scene", scene.name if scene else "-"),
            ("tick", f"{state.tick:,}"),
            ("bodies, contacts", f"{len(state.body)}, {len(state.contacts)}"),
            ("pointer, mm", " ".join(f"{1e3 * x:8.1f}" for x in state.pointer[:3])),
            ("force, torque", f"{self.force[-1] if self.force else 0.0:.2f} N  {torque:.3f} Nm"),
            ("", sparkline(self.force)),
            ("limits", ", ".join(state.limits) or "none"),
            ("energy", f"{1e3 * state.energy:.2f} mJ"),
        )

    def _timing(self, timing: Message) -> RenderableType:
        wake, stages = timing.get("wake_us", {}), timing.get("stage_us", {})
        tick = stages.get("tick", {})
        return _rows(
            ("servo rate", f"{timing.get('rate_hz', 0.0):.1f} Hz"),
            ("wake-up p50 p99 max", " ".join(f"{wake.get(p, 0.0):.0f}" for p in ("p50", "p99", "max")) + " us"),
            ("", sparkline(timing.get("histogram", [])) + "  2 us .. 5 ms"),
            ("tick p50 p99 max", " ".join(f"{tick.get(p, 0.0):.0f}" for p in ("p50", "p99", "max")) + " us"),
            *((f"  {name} p50", f"{stages[name]['p50']:.0f} us") for name in stages if name != "tick"),
            ("tick to here", f"{self.latency[-1] if self.latency else 0.0:.2f} ms"),
            ("", sparkline(self.latency)),
        )

    def _contacts(self, state: State, scene: Scene | None) -> RenderableType:
        table = Table(box=None, padding=(0, 1))
        for title, side in (("A on B", "left"), ("N", "right"), ("cm2", "right"), ("mm", "right")):
            table.add_column(title, justify=side, no_wrap=True)  # type: ignore[arg-type]
        contacts = sorted(state.contacts, key=lambda contact: -_norm(contact.wrench[:3]))[:CONTACTS]
        for c in contacts:
            pair = f"{_name(scene, c.body_a)} on {_name(scene, c.body_b)}"
            numbers = (_norm(c.wrench[:3]), 1e4 * c.area, 1e3 * c.depth)
            table.add_row(Text(pair), *(f"{x:.2f}" for x in numbers))
        return table if contacts else Text("none")


def sparkline(values: Any) -> str:
    """Bars of values from 0 to their largest."""
    numbers = [float(value) for value in values]
    most = max([*numbers, 1e-12])
    return "".join(BARS[min(int(np.ceil(8.0 * max(number, 0.0) / most)), 8)] for number in numbers)


def event_line(event: Message) -> str:
    told = {"MODE": "{from} -> {to}: {cause}", "COMMAND": "{command}: {result}", "LIMITS": "{limits}"}
    try:
        words = told.get(str(event.get("kind")), "{text}").format(**event)
    except KeyError:
        words = str(event.get("code", ""))
    return f"{event.get('tick', 0):>9} {event.get('kind')} {words}"[:44]


def as_json(state: State, scene: Scene | None, timing: Message) -> Message:
    """One look for scripts."""
    return {
        "mode": state.mode,
        "cause": state.cause,
        "tick": state.tick,
        "paused": state.paused,
        "realtime": state.realtime,
        "limits": state.limits,
        "scene": scene.name if scene else None,
        "bodies": len(state.body),
        "contacts": len(state.contacts),
        "force_N": _norm(state.device_wrench[:3]),
        "torque_Nm": _norm(state.device_wrench[3:]),
        "overruns": state.overruns,
        "timing": {key: value for key, value in timing.items() if key != "v"},
    }


def _rows(*rows: tuple[str, str]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for left, right in rows:
        table.add_row(Text(left, style="dim"), Text(right))
    return table


def _norm(vector: Any) -> float:
    return float(np.linalg.norm(vector))


def _name(scene: Scene | None, i: int) -> str:
    return scene.bodies[i].name if scene and 0 <= i < len(scene.bodies) else str(i)
