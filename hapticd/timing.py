"""How punctual the servo was: the instants in the ring's slots as percentiles, a histogram and the cost of each stage.

Gets the slots of the last second, gives the `timing` message of the publisher; `hapticd top` and `hapticd view` show
it. All figures in microseconds. Never in the servo: it costs a millisecond.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.kernel.guard import layout as g
from hapticd.ring import Ring

STAGES = {
    "read": (g.TIME_WOKE, g.TIME_READ),
    "decode": (g.TIME_READ, g.TIME_DECODED),
    "step": (g.TIME_DECODED, g.TIME_STEPPED),
    "encode": (g.TIME_STEPPED, g.TIME_ENCODED),
    "write": (g.TIME_ENCODED, g.TIME_WRITTEN),
    "tick": (g.TIME_WOKE, g.TIME_WRITTEN),
}
PERCENTILES = {"p50": 50.0, "p99": 99.0, "p999": 99.9, "max": 100.0}
# Wake-up lateness; three steps per factor of ten, the last one is open.
EDGES_US = (0.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0)


class Timing:
    """Looks at every tick once; a tick that the writer has overtaken is left out and counted."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.tick = max(ring.newest(), 0)  # the next to look at

    def measure(self) -> dict[str, Any] | None:
        """Figures of the ticks since the last call; None when there were none."""
        newest = self.ring.newest()
        first = max(self.tick, newest - self.ring.count + 2)
        lost, self.tick = first - self.tick, newest + 1
        ticks = np.arange(first, newest + 1)
        if not len(ticks):
            return None
        places = ticks % self.ring.count
        times: NDArray[np.int64] = self.ring.slots["time"][places]
        whole = self.ring.slots["sequence"][places] == 2 * ticks.astype(np.uint64) + 2
        lost += int(np.count_nonzero(~whole))
        return {"first": int(first), "lost": int(lost), **summary(times[whole])} if whole.any() else None


def summary(times: NDArray[np.int64]) -> dict[str, Any]:
    """Percentiles of lateness and stages, in us, and the histogram of lateness."""
    late = (times[:, g.TIME_WOKE] - times[:, g.TIME_DUE]) * 1e-3
    seconds = (times[-1, g.TIME_WOKE] - times[0, g.TIME_WOKE]) * 1e-9
    counts = np.histogram(np.clip(late, 0.0, None), (*EDGES_US, np.inf))[0]
    return {
        "ticks": len(times),
        "rate_hz": float((len(times) - 1) / seconds) if seconds > 0.0 else 0.0,
        "wake_us": _percentiles(late),
        "stage_us": {name: _percentiles((times[:, b] - times[:, a]) * 1e-3) for name, (a, b) in STAGES.items()},
        "edges_us": list(EDGES_US),
        "histogram": counts.tolist(),
    }


def _percentiles(values: NDArray[np.floating[Any]]) -> dict[str, float]:
    found = np.percentile(values, list(PERCENTILES.values()))
    return dict(zip(PERCENTILES, found.tolist(), strict=True))
