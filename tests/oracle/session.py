"""A run of the real daemon's parts in this process, without its clock: servo, guard, driver and recorder, tick by tick.

Time goes only when a tick is over, so a session is the same in every run and as fast as the machine.
"""

import dataclasses
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hapticd.config import Record, RunConfig
from hapticd.control import LEAVE, SUPERVISOR_BEAT
from hapticd.daemon import Daemon, Options
from hapticd.kernel.guard.layout import LIMIT_MAY_ARM
from hapticd.kernel.guard.states import COMMAND_ARM, COMMAND_CLEAR
from hapticd.recording import RUN_NAME, config_table, make_recorder
from hapticd.schema import read_table

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = Record(snapshot=0.5, hash_ticks=250)
# Down onto the left tower, along it, up, and over to the right one: presses, drags and topples.
PATH = (
    (0.0, -0.05, 0.0, 0.06),
    (0.6, -0.05, 0.0, 0.018),
    (1.4, -0.035, 0.01, 0.016),
    (1.8, -0.03, 0.0, 0.05),
    (2.4, 0.05, 0.0, 0.0),
    (3.0, -0.05, 0.0, 0.06),
)
COMMANDS: Mapping[int, list[tuple[Any, ...]]] = {30: [(1, COMMAND_CLEAR), (2, COMMAND_ARM)]}


class StepClock:
    """Looks like clock.Clock; `each` runs before every tick with its number, and gives the gap to report."""

    def __init__(self, period_ns: int, each: Callable[[int], int]) -> None:
        self.period_ns, self.each, self.tick = period_ns, each, -1
        self.due = self.woke = 0

    def start(self) -> None:
        self.due = 10**12

    def wait(self) -> int:
        self.tick += 1
        gap = self.each(self.tick)
        self.due += (1 + gap) * self.period_ns
        self.woke = self.due + 17_000
        return gap


def table(scene: str = "six_blocks", solver: str = "volume_penalty", **more: Any) -> dict[str, Any]:
    """A run config; the scene stands in it, so that no path of this machine gets into a log."""
    text = (ROOT / "configs" / "scene" / f"{scene}.toml").read_text()
    return {
        "device": {"driver": "virtual", "path": PATH},
        "scene": {**tomllib.loads(text), "solver": solver},
        "mount": {"position": [0.0, 0.0, 0.1]},
        "capacity": {"bodies": 16, "parts": 32, "vertices": 512, "pairs": 128},
        **more,
    }


class Session:
    """A daemon whose servo runs here; `run` records so many ticks."""

    def __init__(self, folder: Path, **tables: Any) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.config = read_table(RunConfig, table(**tables))
        self.daemon = Daemon(self.config, Options(folder=folder / "run"))
        self.ring = self.daemon.ring

    def run(
        self,
        ticks: int,
        commands: Mapping[int, list[tuple[Any, ...]]] = COMMANDS,
        gaps: Mapping[int, int] | None = None,
        settings: Record = SETTINGS,
        each: Callable[[int], None] = lambda tick: None,
    ) -> Path:
        """The log of a session; `commands` are arguments of Mailbox.send by tick, `gaps` skipped periods by tick."""
        path = self.folder / "session.mcap"
        files = {RUN_NAME: json.dumps(config_table(self.config), default=str)}
        recorder = make_recorder(self.ring, path, settings, files)

        def before(tick: int) -> int:
            self.ring.control[SUPERVISOR_BEAT, 0] += 1
            for command in commands.get(tick, []):
                self.ring.mailbox.send(*command)
            each(tick)
            if tick % 20 == 0:  # as often as in its own process
                recorder.poll()
            if tick >= ticks - 60:  # the final ramp, then the servo ends
                self.ring.control[LEAVE, 0] = 1
            return (gaps or {}).get(tick, 0)

        servo = self.daemon.servo()
        servo.safety.limit[LIMIT_MAY_ARM] = 1.0
        servo.clock = StepClock(servo.rules.period_ns, before)
        servo.rules = dataclasses.replace(servo.rules, snapshot_ticks=settings.hash_ticks)
        servo.run()
        recorder.close()
        return path
