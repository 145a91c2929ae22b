"""The view's colours, as r g b from 0 to 255: quiet bodies, loud contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rgb = tuple[int, int, int]
Colours = NDArray[np.uint8]

BODIES: tuple[Rgb, ...] = (
    (52, 101, 164),
    (96, 158, 84),
    (201, 104, 66),
    (137, 87, 145),
    (61, 152, 173),
    (212, 162, 58),
)
STILL: Rgb = (186, 193, 205)
MOVED: Rgb = (143, 155, 179)
POINTER: Rgb = (236, 94, 65)
TRAIL: Rgb = (236, 94, 65)
TRAIL_END: Rgb = (
    186,
    193,
    205,
)  # what it fades into: seen on the white ground and on a grey table, and loud on neither
FORCE: Rgb = (214, 48, 92)
CONTACT_FORCE: Rgb = (67, 76, 94)
MODES = {"FAULT": "#d6305c", "IDLE": "#6b7a99", "ARMING": "#d98e04", "ACTIVE": "#2f9e58", "DEGRADED": "#d98e04"}
SILENT = "#6b7a99"
GAMMA = 2.2  # of a screen, near enough to sRGB's own curve

# Pressure from low to high; five steps between blue and red, readable for the colour-blind (after "plasma").
PRESSURE: NDArray[np.float64] = np.array(
    [(62, 73, 191), (126, 58, 190), (195, 66, 140), (236, 104, 84), (250, 158, 59), (247, 226, 76)], np.float64
)


def body_colour(i: int, kind: str, colour: tuple[float, float, float] | None) -> Rgb:
    """The scene's own, or one by kind; neighbours in the list differ."""
    if colour is not None:
        r, g, b = (round(255 * c) for c in colour)
        return r, g, b
    if kind == "pointer":
        return POINTER
    if kind in ("static", "kinematic"):
        return STILL if kind == "static" else MOVED
    return BODIES[i % len(BODIES)]


def pressure_colour(share: NDArray[np.floating]) -> Colours:
    """Colours for pressures from 0 to 1."""
    place = np.clip(np.nan_to_num(share), 0.0, 1.0) * (len(PRESSURE) - 1)
    return np.stack([np.interp(place, range(len(PRESSURE)), PRESSURE[:, c]) for c in range(3)], -1).astype(np.uint8)


def for_lines(colours: NDArray[Any]) -> Colours:
    """The same for viser's line segments, whose shader takes them as linear light: else they look washed out."""
    return np.round(255.0 * (np.asarray(colours) / 255.0) ** GAMMA).astype(np.uint8)
