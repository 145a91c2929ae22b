"""Faults on purpose, for the tests of the daemon as a whole: `--inject nan@300`. Simulated devices only.

    nan@K            the laws of contact lose their numbers in tick K
    busy:US@K        tick K takes US microseconds longer; busy:US@K/N: and every N-th after it
    hang@K           tick K never ends, computing
    block@K          the driver sleeps for ever in tick K
    abort@K          native code crashes (SIGABRT)
    raise@K          the driver raises in decode
    encode@K         it raises in encode
    nonsense@K       its decode gives numbers of no world and calls them good, from tick K on
    wild@K           its encode fills the frame with ones, from tick K on
    silent@K         the device gives no sample from tick K on

Works by wrapping the device, so that the loop itself has no trace of it.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from hapticd.device import Bytes, Device, Row
from hapticd.errors import ConfigError
from hapticd.kernel.layout import GAIN_MU_STATIC
from hapticd.kernel.status import SAMPLE_NONE, SAMPLE_OK
from hapticd.ring import Ring

PATTERN = re.compile(r"(?P<kind>[a-z]+)(?::(?P<us>\d+))?@(?P<tick>\d+)(?:/(?P<every>\d+))?")
KINDS = ("nan", "busy", "hang", "block", "abort", "raise", "encode", "nonsense", "wild", "silent")
LASTING = ("nonsense", "wild", "silent")
IN_ENCODE = ("encode", "wild")


@dataclass(frozen=True)
class Injection:
    """One fault and when."""

    kind: str
    tick: int
    us: int = 0
    every: int = 0

    @classmethod
    def parse(cls, text: str) -> Injection:
        found = PATTERN.fullmatch(text)
        if found is None or found["kind"] not in KINDS:
            raise ConfigError(f"--inject {text!r}: allowed is KIND[:US]@TICK[/EVERY], KIND one of {', '.join(KINDS)}")
        return cls(found["kind"], int(found["tick"]), int(found["us"] or 0), int(found["every"] or 0))

    def wrap(self, device: Device, ring: Ring) -> Device:
        return Faulty(device, ring, self)

    def strikes(self, tick: int) -> bool:
        if self.kind in LASTING:
            return tick >= self.tick
        return tick == self.tick or (self.every > 0 and tick > self.tick and (tick - self.tick) % self.every == 0)


class Faulty(Device):
    """A device whose decode or encode goes wrong at the chosen tick."""

    name = "faulty"

    def __init__(self, device: Device, ring: Ring, injection: Injection) -> None:
        self.inner, self.ring, self.injection = device, ring, injection
        self.capabilities, self.rest, self.off, self.panic = device.capabilities, device.rest, device.off, device.panic
        self.state: Any = device.state

    def open(self) -> int:
        return self.inner.open()

    def decode(self, raw: Bytes, count: int, sample: Row) -> int:
        code = self.inner.decode(raw, count, sample)
        if self.injection.kind not in IN_ENCODE and self.injection.strikes(self.ring.newest() + 1):
            return self.go_wrong(code, sample)
        return code

    def go_wrong(self, code: int, sample: Row) -> int:
        """Some of these never return."""
        kind = self.injection.kind
        if kind == "nan":
            for k in range(2):
                self.ring.memory.tree[f"arena{k}"]["model"].gain[:, GAIN_MU_STATIC] = np.nan
        elif kind == "busy":
            end = time.monotonic_ns() + 1000 * self.injection.us
            while time.monotonic_ns() < end:
                pass
        elif kind == "hang":
            while True:
                pass
        elif kind == "block":
            time.sleep(1e6)
        elif kind == "abort":
            os.abort()
        elif kind == "raise":
            raise ValueError("injected")
        elif kind == "silent":
            return int(SAMPLE_NONE)
        elif kind == "nonsense":
            sample[:] = (1e300, -np.inf, np.nan)[self.ring.newest() % 3]
            return int(SAMPLE_OK)
        return code

    def encode(self, wrench: Row, raw: Bytes, rendered: Row) -> int:
        count = self.inner.encode(wrench, raw, rendered)
        if self.injection.kind in IN_ENCODE and self.injection.strikes(self.ring.newest() + 1):
            if self.injection.kind == "encode":
                raise ValueError("injected")
            raw[:] = 0xFF
        return count

    def close(self) -> None:
        self.inner.close()
