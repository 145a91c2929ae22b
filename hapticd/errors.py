"""The error tree; every error that hapticd raises on purpose is in it.

    HapticdError                     exit code 1
     +-- ConfigError (ValueError)    2   a config file: file, table, key, what came, what is allowed
     |    +-- SceneError             2   a scene, a shape or a mesh: body and vertex
     +-- DeviceError (OSError)       3   a device: path, what to do
     |    +-- DeviceOpenError        3   absent, busy, no permission
     |    +-- DeviceTimeout          3   open, but silent
     +-- WireError (ValueError)      4   a message from outside
     +-- LogError (ValueError)       5   a recorded log

A message is one line: what failed, where, what came, what is allowed, what to do. The kernel never raises; it returns a
status (`kernel/status.py`) that the shell turns into one of these.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Problem:
    """One mistake in a config or scene file: where it is, what came, what is allowed."""

    file: str
    line: int | None
    table: str  # "loop", "body[2].shape"; "" is the top of the file
    key: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        names = (f"[{self.table}]" if self.table else "", self.key)
        return f"{place}: {' '.join(name for name in names if name)} {self.message}".replace("  ", " ")


class HapticdError(Exception):
    """Root of the tree; the command line prints it as one line and exits with `exit_code`."""

    exit_code: ClassVar[int] = 1


class ConfigError(HapticdError, ValueError):
    """A configuration that cannot be used as written; `problems` are all the mistakes that were found at once."""

    exit_code = 2

    def __init__(self, message: str = "", problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class SceneError(ConfigError):
    """A scene, shape or mesh that cannot be simulated as given."""


class DeviceError(HapticdError, OSError):
    """A device that does not do what its driver expects."""

    exit_code = 3


class DeviceOpenError(DeviceError):
    """The device is absent, busy or not permitted."""


class DeviceTimeout(DeviceError, TimeoutError):
    """The device is open and silent."""


class WireError(HapticdError, ValueError):
    """A message from outside that is not one of ours."""

    exit_code = 4


class LogError(HapticdError, ValueError):
    """A recorded log that cannot be read as asked."""

    exit_code = 5
