"""Contact polygons as viser draws them: a rim of line segments and a fan of triangles, on both sides of each contact.

Gets the contact columns of a state, gives arrays to stage.py. All contacts at once, and what joins the corners only
when their numbers change: one by one, ten contacts cost as much as a hundred bodies (4.5 of 10.7 % of a core).

    corners of contact 0, corners of contact 1, ...     on A's side, n in all
    the same again                                      on B's side: index + n
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.state import Contacts

OUTSET = 1.08  # by which polygons are drawn larger: a rim shows around the smaller body, wherever one looks from

Floats = NDArray[np.floating[Any]]
Whole = NDArray[np.signedinteger[Any]]


class Outline:
    """Which corners are joined, for polygons with so many corners each: at least three, at least one polygon."""

    def __init__(self, count: Whole) -> None:
        self.count = count
        self.end = np.cumsum(count)
        self.begin = self.end - count
        self.of = np.repeat(np.arange(len(count)), count)  # which polygon a corner belongs to
        self.corner = np.arange(len(self.of))
        self.first, self.last = self.begin[self.of], self.end[self.of] - 1  # corners of the corner's polygon
        self.following = np.where(self.corner == self.last, self.first, self.corner + 1)

    def sides(self, contacts: Contacts, chosen: Whole, lift: float) -> Floats:
        """(2, n, 3): corners of these contacts just outside of either body; the true ones lie inside both."""
        points = contacts.points[self.corner + (contacts.first[chosen] - self.begin)[self.of]]
        middle = np.add.reduceat(points, self.begin) * (1.0 / self.count)[:, None]
        step = (0.5 * contacts.depth[chosen] + lift)[:, None] * contacts.normal[chosen]
        shift = (1.0 - OUTSET) * middle + np.stack([step, -step])
        sides: Floats = (OUTSET * points + shift[:, self.of]).astype(np.float32)
        return sides

    def rims(self, sides: Floats) -> Floats:
        """(2 n, 2, 3): a segment from each corner to the next."""
        return np.stack([sides, sides[:, self.following]], axis=2).reshape(-1, 2, 3)

    def rim_colours(self, colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The same for the ends' colours; `colours` has a row per polygon."""
        return np.broadcast_to(colours[self.of][None, :, None], (2, len(self.of), 2, 3)).reshape(-1, 2, 3)

    def vertices(self, sides: Floats, first: int, last: int) -> Floats:
        """Corners of the polygons first .. last - 1, both sides."""
        return sides[:, self.begin[first] : self.end[last - 1]].reshape(-1, 3)

    def faces(self, first: int, last: int) -> NDArray[np.uint32]:
        """Their triangles: convex polygons, so a fan from the first corner of each."""
        a, b = self.begin[first], self.end[last - 1]
        inner = a + np.flatnonzero((self.corner[a:b] > self.first[a:b]) & (self.corner[a:b] < self.last[a:b]))
        one = np.stack([self.first[inner], inner, inner + 1], axis=1) - a
        return np.concatenate([one, one + (b - a)]).astype(np.uint32)
