"""Rules for the values of a config or scene file, to be put into a field's Annotated; `schema.py` applies them.

A rule has `allowed`, what it asks for in words, and `holds(value)`.
"""

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Above:
    low: float

    @property
    def allowed(self) -> str:
        return f"more than {self.low:g}"

    def holds(self, value: Any) -> bool:
        return bool(value > self.low)


@dataclass(frozen=True)
class AtLeast:
    low: float

    @property
    def allowed(self) -> str:
        return f"at least {self.low:g}"

    def holds(self, value: Any) -> bool:
        return bool(value >= self.low)


@dataclass(frozen=True)
class AtMost:
    high: float

    @property
    def allowed(self) -> str:
        return f"at most {self.high:g}"

    def holds(self, value: Any) -> bool:
        return bool(value <= self.high)


@dataclass(frozen=True)
class Within:
    low: float
    high: float

    @property
    def allowed(self) -> str:
        return f"{self.low:g} to {self.high:g}"

    def holds(self, value: Any) -> bool:
        return bool(self.low <= value <= self.high)


@dataclass(frozen=True)
class Norm:
    """Length of a vector; of a quaternion it is 1."""

    norm: float
    tolerance: float = 1e-6

    @property
    def allowed(self) -> str:
        return f"a vector of length {self.norm:g}"

    def holds(self, value: Any) -> bool:
        return abs(math.hypot(*value) - self.norm) <= self.tolerance


@dataclass(frozen=True)
class Existing:
    """A file that can be read."""

    allowed: str = "an existing file"

    def holds(self, value: Any) -> bool:
        return bool(value.is_file())


@dataclass(frozen=True)
class OrFile:
    """The table may stand in a file of its own."""


@dataclass(frozen=True)
class Rest:
    """The field takes all keys that no other field knows."""
