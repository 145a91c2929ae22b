"""What-if replay: the recorded hand against a changed world. What would it have felt, and how different is that?

    hapticd replay LOG --scene other.toml
    hapticd replay LOG --set friction.mu=0.3 --set material.wood.stiffness=2000
    hapticd replay LOG --solver point_penalty

The motion is the recorded one: a hand that felt other forces would have moved otherwise, so this compares forces at the
same motion. The driver is taken to render all that the guard lets through. A difference counts as felt above 7 % of the
force, the usual difference threshold of the hand.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.areas import Arena
from hapticd.builder import read_scene
from hapticd.channel import CHANNELS, COMMAND, INPUTS, MODEL, SNAPSHOT, TICK, tick_of
from hapticd.errors import ConfigError, LogError
from hapticd.kernel.guard import layout as g
from hapticd.logfile import LogReader
from hapticd.logtool.columns import Table
from hapticd.logtool.progress import Shown, shown_chunks
from hapticd.rerun import BATCH, Rerun
from hapticd.scene.arrays import World
from hapticd.scene.build import Settings, fill
from hapticd.scene.file import Scene, load_scene
from hapticd.scene.material import PointerLimit
from hapticd.scene.plan import plan
from hapticd.scene.stability import check
from hapticd.slotrecord import tick_rows

FELT = 0.07  # share of the force that a hand notices
FORCE_FLOOR = 0.05  # N below which no share is formed: a device's own friction hides it


@dataclass(frozen=True)
class Changes:
    """What is to be different."""

    scene: Path | None = None
    sets: tuple[str, ...] = ()  # "material.wood.mu=0.3"
    solver: str | None = None


@dataclass(frozen=True)
class Comparison:
    """Recorded and changed, tick by tick, in the device's frame."""

    t: NDArray[np.float64]  # s
    recorded: NDArray[Any]  # rows of /tick
    changed: NDArray[Any]
    until: str = ""  # why it ends before the log does

    def table(self) -> dict[str, dict[str, float]]:
        """Row by row: recorded, changed, difference."""
        was, now = (np.linalg.norm(rows["wrench_sent"][:, :3], axis=1) for rows in (self.recorded, self.changed))
        rows = {
            "force rms, N": [float(np.sqrt((f**2).mean())) for f in (was, now)],
            "force peak, N": [float(f.max()) for f in (was, now)],
            "torque rms, Nm": [_rms(rows["wrench_sent"][:, 3:]) for rows in (self.recorded, self.changed)],
            "time in contact, s": [float((f > 0).sum() * self.period) for f in (was, now)],
            "work of the hand, J": [_work(rows) for rows in (self.recorded, self.changed)],
            "observed energy at the end, J": [float(rows["energy"][-1]) for rows in (self.recorded, self.changed)],
        }
        return {name: {"recorded": a, "changed": b, "difference": b - a} for name, (a, b) in rows.items()}

    @property
    def period(self) -> float:
        return float(self.t[1] - self.t[0]) if len(self.t) > 1 else 0.0

    def felt(self) -> NDArray[np.float64]:
        """Share of the larger force by which the two differ, per tick; 0 where both are below the floor."""
        was, now = self.recorded["wrench_sent"][:, :3], self.changed["wrench_sent"][:, :3]
        larger = np.maximum(np.linalg.norm(was, axis=1), np.linalg.norm(now, axis=1))
        apart = np.linalg.norm(now - was, axis=1)
        return np.where(larger > FORCE_FLOOR, apart / np.maximum(larger, FORCE_FLOOR), 0.0)

    def felt_share(self) -> float:
        """Of the ticks with force: in how many the difference would be noticed."""
        was, now = (np.linalg.norm(rows["wrench_sent"][:, :3], axis=1) for rows in (self.recorded, self.changed))
        touching = np.maximum(was, now) > FORCE_FLOOR
        return float((self.felt()[touching] > FELT).mean()) if touching.any() else 0.0


def _rms(rows: NDArray[np.float64]) -> float:
    return float(np.sqrt((rows**2).sum(axis=1).mean()))


def _work(rows: NDArray[Any]) -> float:
    """Of the hand against the force that it felt: - sum f_(k-1) . dx_k, as the passivity observer books it."""
    moved = np.diff(rows["position"], axis=0)
    return float(-(rows["wrench_world"][:-1, :3] * moved).sum())


def compare(reader: LogReader, changes: Changes) -> Comparison:
    """Run the recorded inputs against the changed scene, from the scene's beginning."""
    tables, model, snapshot = _gather(reader)
    world = Rerun(reader.header)
    arena = int(CHANNELS[MODEL].unpack([model])[0]["arena"])
    world.put_model(arena, CHANNELS[MODEL].unpack_tail(model))
    world.put_snapshot(arena, CHANNELS[SNAPSHOT].unpack_tail(snapshot).tobytes())
    _rebuild(world, arena, changes, reader.header)
    inputs, ticks = tables[INPUTS].rows, tables[TICK].rows
    count = min(len(inputs), len(ticks))
    gap = np.flatnonzero(np.diff(inputs["tick"][:count]) != 1)
    renew = np.flatnonzero(inputs["renew"][:count])
    ends = {"ticks are missing in the log": gap[0] + 1 if len(gap) else count,
            "another scene begins": renew[0] if len(renew) else count}  # fmt: skip
    until, last = min(ends.items(), key=lambda item: item[1])
    commands = _commands(tables[COMMAND])
    changed = _run(world, inputs[:last], ticks[:last], commands)
    return Comparison(
        ticks["tick"][:last] / reader.header["rate_hz"], ticks[:last], changed, until if last < count else ""
    )


def _gather(reader: LogReader) -> tuple[dict[str, Table], bytes, bytes]:
    """The ticks behind the first snapshot, and the model and snapshot themselves."""
    tables = {topic: Table(topic) for topic in (INPUTS, TICK, COMMAND)}
    model, snapshot = b"", b""
    for chunk in shown_chunks(reader, "reading"):
        for message in chunk:
            if message.topic == MODEL and not model:
                model = message.data
            elif message.topic == SNAPSHOT and model and not snapshot:
                snapshot = message.data
            elif message.topic in tables and snapshot and tick_of(message.data) > tick_of(snapshot):
                tables[message.topic].messages.append(message.data)
    if not snapshot or not tables[TICK].messages:
        raise LogError(f"{reader.path}: no snapshot with ticks behind it; a what-if needs one to begin at")
    return tables, model, snapshot


def _commands(table: Table) -> dict[int, NDArray[np.float64]]:
    rows = table.rows
    return {int(tick): rows["row"][rows["tick"] == tick] for tick in np.unique(rows["tick"])}


def _rebuild(world: Rerun, arena: int, changes: Changes, header: Mapping[str, Any]) -> None:
    """The changed scene into the arena, and the state as it is at its start; the guard stays as recorded."""
    place = world.arenas[arena]
    scene = changed_scene(place, changes)
    made, mount, device = plan(scene), world.live.safety.mount, header["device"]
    limit = PointerLimit(device["damping"], device["delay"], float(mount[g.MOUNT_MOTION]), float(mount[g.MOUNT_FORCE]))
    dt = 1.0 / header["rate_hz"]
    check(made, dt, None, limit)
    fill(World(place.model, place.start, world.work, world.solid), made, Settings(dt, limit=limit))
    for mine, start in zip(world.live.state, place.start, strict=True):
        mine[...] = start


def changed_scene(arena: Arena, changes: Changes) -> Scene:
    """The log's scene, or another one, with single values set."""
    if changes.scene is not None and not changes.sets and changes.solver is None:
        return load_scene(changes.scene)
    if changes.scene is not None:
        from hapticd.document import load

        table = load(changes.scene).data
    else:
        source = arena.description.get("source", {})
        if "table" not in source or source.get("added") or source.get("removed"):
            raise LogError("the log's scene was changed while it ran: name a scene file with --scene")
        table = source["table"]
    table = json.loads(json.dumps(table))
    for text in changes.sets:
        set_value(table, text)
    if changes.solver is not None:
        table["solver"] = changes.solver
    return read_scene({"table": table})


def set_value(table: dict[str, Any], text: str) -> None:
    """material.wood.mu=0.3; friction.mu=0.3 sets it for all materials and the pointer."""
    route, equals, value = text.partition("=")
    keys = route.strip().split(".")
    if not equals or not all(keys):
        raise ConfigError(f"--set {text!r}: allowed is TABLE.KEY=VALUE, as material.wood.mu=0.3")
    try:
        number = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError):
        number = value.strip()
    if keys[0] == "friction" and len(keys) == 2:
        for material in [*table.get("material", {}).values(), *([table["pointer"]] if "pointer" in table else [])]:
            material[keys[1]] = number
        return
    place: Any = table
    for key in keys[:-1]:
        if isinstance(place, Sequence) and not isinstance(place, str):
            named = [item for item in place if isinstance(item, dict) and item.get("name") == key]
            place = named[0] if named else None
        else:
            place = place.setdefault(key, {}) if isinstance(place, dict) else None
        if place is None:
            raise ConfigError(f"--set {text!r}: there is no {key!r} in {route!r}")
    place[keys[-1]] = number


def _run(
    world: Rerun, inputs: NDArray[Any], ticks: NDArray[Any], commands: Mapping[int, NDArray[np.float64]]
) -> NDArray[Any]:
    """The changed rows, as /tick has them."""
    found = []
    with Shown("replaying", len(inputs)) as shown:
        for start in range(0, len(inputs), BATCH):
            part = slice(start, start + BATCH)
            n = world.load(inputs[part], ticks[part], commands)
            world.recorded.rendered[:n] = np.nan  # not known for other forces
            world.recorded.clamped[:n] = 0
            found.append(tick_rows(world.run(0, n)))
            shown.at(start)
    return np.concatenate(found)


def plot(comparison: Comparison, path: Path) -> None:
    """Force, difference with the threshold, and energy over time."""
    from hapticd.logtool.plot import figure, save, thinned

    made, axes = figure(3)
    t = comparison.t
    for rows, name in ((comparison.recorded, "recorded"), (comparison.changed, "changed")):
        axes[0].plot(*thinned(t, np.linalg.norm(rows["wrench_sent"][:, :3], axis=1)), lw=0.8, label=name)
        axes[2].plot(*thinned(t, rows["energy"]), lw=0.8, label=name)
    axes[1].plot(*thinned(t, 100 * comparison.felt()), lw=0.8, color="C3", label="difference")
    axes[1].axhline(100 * FELT, ls="--", lw=0.8, color="0.3", label="7 %: felt above")
    for axis, label in zip(axes, ("force, N", "difference, %", "observed energy, J"), strict=True):
        axis.set_ylabel(label)
        axis.legend(loc="upper right", fontsize=7, ncols=3)
    axes[2].set_xlabel("s")
    save(made, path)
