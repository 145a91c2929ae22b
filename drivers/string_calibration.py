"""Calibration of a string device: least tension on all strings, the grip held at home, counters read and written down.

For `hapticd calibrate`. Encoders of the motor boards count from power-up; what they show with the grip at the centre
and unturned is what a length of `home_lengths` means. The tension is on only inside the session, and `off` is written
on every way out of it.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from hapticd.document import load
from hapticd.errors import ConfigError, DeviceError
from hapticd.schema import Section

from . import spidar_protocol as protocol
from .serial_link import SerialLink
from .spidar import Spidar

PERIOD = 0.005  # s between frames: the boards hold their currents themselves
SAMPLES = 40
STILL_M = 0.5e-3  # by which the grip may move while it is measured


@dataclass(frozen=True)
class Home:
    """What was measured."""

    counts: list[int]
    spread_counts: float  # the largest range of one counter
    spread_m: float


class Session:
    """A device with its strings taut, from `with` to its end."""

    def __init__(self, device_file: Path) -> None:
        document = load(device_file)
        table = {key: value for key, value in document.data.items() if key not in ("driver", "arm_on_start")}
        if document.data.get("driver") != "spidar":
            raise ConfigError(f"{device_file}: driver is {document.data.get('driver')!r}; only string devices (spidar)")
        table.pop("calibration", None)
        self.device = Spidar(Section(table, (document, ())))
        self.tension = self.device.geometry.tension_min_n

    def __enter__(self) -> "Session":
        self.device.open()
        self.title = self.device.capabilities.title
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        link = self.device.link
        if link is not None:
            for frame in self.device.panic:
                link.write(frame)
            link.drain(0.02)  # closing a line may throw away what it has not sent yet
            self.device.close()

    def pull(self, seconds: float) -> None:
        """Least tension for a while, so that slack strings are wound up."""
        end = time.monotonic() + seconds
        self.pull_until(lambda: time.monotonic() >= end)

    def pull_until(self, done: Callable[[], bool]) -> None:
        link = self._link()
        while not done():
            link.write(self.device.rest)
            link.drain(PERIOD)

    def measure(self) -> Home:
        """The median of some counters' readings; refused when the grip moved meanwhile."""
        link, rows = self._link(), []
        start: list[int] | None = None
        for _ in range(SAMPLES):
            link.write(self.device.rest)
            link.drain(PERIOD)
            counts = protocol.read_counts(link, self.device.boards)[: self.device.n]
            start = start or counts
            rows.append([_near(now, then) for now, then in zip(counts, start, strict=True)])
        spread = [max(column) - min(column) for column in zip(*rows, strict=True)]
        pulses = self.device.geometry.metres_per_pulse
        metres = max(abs(pulse) * width for pulse, width in zip(pulses, spread, strict=True))
        if metres > STILL_M:
            raise DeviceError(
                f"the grip moved by {1e3 * metres:.1f} mm while it was measured; hold it still and try again"
            )
        middle = [round(statistics.median(column)) for column in zip(*rows, strict=True)]
        return Home([_signed(count) for count in middle], float(max(spread)), metres)

    def write(self, path: Path, home: Home) -> None:
        """A file that the driver reads as `calibration`."""
        boards = [[board.id, board.model] for board in self.device.boards]
        path.write_text(
            "# Written by hapticd calibrate; valid until the motor boards lose power.\n"
            f'geometry = "{self.device.geometry.name}"\nboards = {boards}\nhome_counts = {home.counts}\n'
            f'spread_counts = {home.spread_counts}\nwritten = "{datetime.now(UTC).isoformat(timespec="seconds")}"\n'
        )

    def _link(self) -> SerialLink:
        if self.device.link is None:
            raise DeviceError("the device is not open; use the session in a with statement")
        return self.device.link


def _near(now: int, then: int) -> int:
    """A 16-bit reading as the number next to an earlier one."""
    return then + _signed(now - then)


def _signed(count: int) -> int:
    return (count + 0x8000 & 0xFFFF) - 0x8000
