"""The panel beside the picture: state, stop, force over time, wake-up histogram, contacts; for some also controls.

Everyone sees the same figures. Controls belong to one browser: they appear there when its user has typed the token.
"""

from __future__ import annotations

import html
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from viser import uplot

from hapticd.state import Scene, State
from hapticd.view import palette
from hapticd.view.desk import Desk
from hapticd.view.server import Server
from hapticd.wire import Message

FORCE_SECONDS = 10.0
FORCE_POINTS = 200
FIGURES_PERIOD = 0.1  # s
CONTACTS_LISTED = 5
ORDERS = (("Clear", "clear"), ("Arm", "arm"), ("Disarm", "disarm"), ("Pause", "pause"), ("Resume", "resume"))

CARD = """<div style="font-family:Inter,system-ui,sans-serif;padding:0.4em 0.9em 0.2em">
<div style="display:flex;align-items:center;gap:0.7em">
<span id="mode" style="background:{colour};color:#fff;border-radius:0.5em;padding:0.25em 0.8em;font-weight:700;
letter-spacing:0.04em">{mode}</span><span style="opacity:0.75">{cause}</span></div>
<div style="opacity:0.75;font-size:0.85em;margin-top:0.5em">{help}</div>
<table style="width:100%;font-size:0.85em;margin-top:0.3em;font-variant-numeric:tabular-nums">{rows}</table></div>"""
BAR = (
    '<div title="{n} ticks" style="flex:1;text-align:center;font-size:0.65em"><div style="height:{height}px;'
    'background:#5e81ac;border-radius:2px 2px 0 0"></div><span style="opacity:0.65">{label}</span></div>'
)
ROW = '<tr><td style="opacity:0.65">{0}</td><td style="text-align:right">{1}</td></tr>'


class Panel:
    """Figures for all, controls for those who have the token."""

    def __init__(self, server: Server, desk: Desk, control: bool) -> None:
        self.server, self.desk = server, desk
        self.scene: Scene | None = None
        self.force: deque[tuple[float, float]] = deque(maxlen=FORCE_POINTS)
        self.said = ""
        gui = server.gui
        gui.configure_theme(
            control_width="medium", show_logo=False, show_share_button=False,
            brand_color=palette.BODIES[0],
        )  # fmt: skip
        gui.main_panel.dock_right()
        gui.set_panel_label("hapticd")
        stop = gui.add_button("STOP", color="red", icon=viser.Icon.HAND_STOP, hint="Emergency stop: no force, latched")
        stop.on_click(lambda _: self.say(self.desk.stop()))
        self.card = gui.add_html(card("waiting for a daemon", palette.SILENT, "", "", []))
        with gui.add_folder("Force on the pointer, N"):
            self.force_plot = _plot(gui, palette.FORCE)
        with gui.add_folder("Wake-up lateness, us"):
            self.wake = gui.add_html("")
        with gui.add_folder("Contacts", expand_by_default=False):
            self.contacts = gui.add_html("")
        if control:
            server.on_client_connect(self._ask_token)

    def say(self, words: str) -> None:
        """What became of the last command; in the card with the next figures."""
        self.said = words

    def silent(self, words: str) -> None:
        self.card.content = card("NO DAEMON", palette.SILENT, "", words, [])

    def show(self, state: State, scene: Scene | None, timing: Message) -> None:
        """All figures; ten times a second is enough for eyes."""
        self.scene = scene
        force = float(np.linalg.norm(state.device_wrench[:3]))
        self.force.append((state.time_ns * 1e-9, force))
        rows = [
            ("scene", html.escape(scene.name) if scene else "-"),
            ("bodies, contacts", f"{len(state.body)}, {state.contact_count}"),
            ("force, torque", f"{force:.2f} N, {float(np.linalg.norm(state.device_wrench[3:])):.3f} Nm"),
            ("limits", html.escape(", ".join(name.split()[-1].lower() for name in state.limits)) or "none"),
            ("tick", f"{state.tick:,}"),
            ("servo rate", f"{timing.get('rate_hz', 0.0):.1f} Hz" + ("" if state.realtime else ", not real-time")),
            ("overruns", f"{state.overruns:,}"),
        ]
        told = scene.hello.get("causes", {}).get(state.cause, "") if scene else ""
        words = self.said or told
        mode = "PAUSED" if state.paused else state.mode
        self.card.content = card(mode, palette.MODES.get(state.mode, palette.SILENT), state.cause, words, rows)
        self._show_force()
        self._show_contacts(state)

    def _show_force(self) -> None:
        if len(self.force) < 2:
            return
        time, force = np.array(self.force).T
        keep = time > time[-1] - FORCE_SECONDS
        self.force_plot.data = (time[keep] - time[-1], force[keep])

    def show_timing(self, timing: Message) -> None:
        """Once a second."""
        wake, tick = timing["wake_us"], timing["stage_us"]["tick"]
        rows = [
            ("wake-up p50, p99, max", f"{wake['p50']:.0f}, {wake['p99']:.0f}, {wake['max']:.0f} us"),
            ("tick p50, p99, max", f"{tick['p50']:.0f}, {tick['p99']:.0f}, {tick['max']:.0f} us"),
        ]
        self.wake.content = histogram(timing["edges_us"], timing["histogram"]) + _table(rows)

    def _show_contacts(self, state: State) -> None:
        names: list[str] = [body.name for body in self.scene.bodies] if self.scene else []
        found = sorted(state.contacts, key=lambda contact: -float(np.linalg.norm(contact.wrench[:3])))
        rows = [
            (
                f"{_name(names, c.body_a)} on {_name(names, c.body_b)}",
                f"{float(np.linalg.norm(c.wrench[:3])):.2f} N, {c.area * 1e4:.1f} cm2, {c.depth * 1e3:.2f} mm",
            )
            for c in found[:CONTACTS_LISTED]
        ]
        self.contacts.content = _table(rows or [("none", "")])

    def _ask_token(self, client: viser.ClientHandle) -> None:
        """A field for the token in this browser alone; the right one is replaced by the controls."""
        folder = client.gui.add_folder("Control")
        with folder:
            field = client.gui.add_text("token", "", hint="printed where `hapticd view --control` was started")

        @field.on_update
        def _(_: Any) -> None:
            if self.desk.knows(field.value.strip()):
                field.remove()
                self._add_controls(client, folder)
            elif field.value:
                self.say("wrong token, or too soon after a wrong one")

    def _add_controls(self, client: viser.ClientHandle, folder: Any) -> None:
        with folder:
            for label, command in (*ORDERS, ("Reset", "reset")):
                client.gui.add_button(label).on_click(self._order(command))
            scenes = self.desk.scenes()
            if scenes:
                choice = client.gui.add_dropdown("scene", scenes)
                client.gui.add_button("Load").on_click(
                    lambda _: self.say(self.desk.command("load", 30.0, name=choice.value))
                )
            if self.scene is not None and self.scene.materials:
                self._add_sliders(client, self.scene)

    def _order(self, command: str) -> Callable[[Any], None]:
        return lambda _: self.say(self.desk.command(command))

    def _add_sliders(self, client: viser.ClientHandle, scene: Scene) -> None:
        """Friction and stiffness of the pointer against one material."""
        gains = {gain["materials"][0]: gain for gain in scene.gains if gain["materials"][1] == "pointer"}
        if not gains:
            return
        material = client.gui.add_dropdown("material", list(gains))
        friction = client.gui.add_slider("friction", 0.0, 2.0, 0.01, min(gains[material.value]["mu"], 2.0))
        stiffness = client.gui.add_slider("stiffness, % of the scene's", 1.0, 100.0, 1.0, 100.0)

        def send(gain: str, value: float) -> None:
            self.say(self.desk.command("set", name=f"material.{material.value}.pointer.{gain}", value=value))

        @friction.on_update
        def _(_: Any) -> None:
            send("mu_static", friction.value)
            send("mu", friction.value)

        @stiffness.on_update
        def _(_: Any) -> None:
            send("stiffness", gains[material.value]["stiffness"] * stiffness.value / 100.0)


def card(mode: str, colour: str, cause: str, words: str, rows: list[tuple[str, str]]) -> str:
    """The state in one look; what comes from elsewhere is escaped."""
    cells = "".join(ROW.format(*row) for row in rows)
    safe = [html.escape(text) for text in (mode, cause.replace("_", " ").lower(), words)]
    return CARD.format(mode=safe[0], colour=colour, cause=safe[1], help=safe[2], rows=cells)


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(ROW.format(html.escape(left), html.escape(right)) for left, right in rows)
    return f'<table style="width:100%;font-size:0.8em;font-variant-numeric:tabular-nums">{cells}</table>'


def histogram(edges: list[float], counts: list[int]) -> str:
    """Bars with the lower edge of each under it; heights by the root, so that a few late ticks are still seen."""
    most = max([*counts, 1]) ** 0.5
    bars = "".join(
        BAR.format(
            height=round(70 * (count**0.5) / most), label=f"{edge / 1000:g}k" if edge >= 1000 else f"{edge:g}", n=count
        )
        for edge, count in zip(edges, counts, strict=True)
    )
    return f'<div style="display:flex;gap:3px;align-items:flex-end;height:92px;padding:0 0.3em">{bars}</div>'


def _plot(gui: viser.GuiApi, colour: palette.Rgb) -> Any:
    r, g, b = colour
    line = uplot.Series(
        label="N",
        stroke=f"rgb({r},{g},{b})",
        fill=f"rgba({r},{g},{b},0.18)",
        width=2,
        points=uplot.Series_Points(show=False),
    )
    scales = {"x": uplot.Scale(time=False), "y": uplot.Scale(auto=True)}
    return gui.add_uplot(
        (np.arange(2.0), np.zeros(2)), (uplot.Series(label="s"), line), scales=scales,
        legend=uplot.Legend(show=False), height=130,
    )  # fmt: skip


def _name(names: list[str], i: int) -> str:
    return names[i] if 0 <= i < len(names) else str(i)
