"""The outline of a contact encloses just the area that the force laws use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hapticd.kernel.contact.section import section_polygon
from hapticd.kernel.layout import AREA, CENTRE, CENTROID, NORMAL, SOLID_LOOP, SOLID_SWAPPED
from hapticd.kernel.status import CONTACT_OK
from tests.oracle.pair import Pair, pose, random_hull, random_rotation

pytestmark = pytest.mark.kernel


@given(st.integers(0, 2**32 - 1))
def test_polygon_has_the_area_and_the_centre_of_the_patch(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair = Pair.of(random_hull(rng, 30), random_hull(rng, 12))
    status, row = pair.contact(pose(random_rotation(rng), rng.normal(0, 0.8, 3)), pose(np.eye(3), np.zeros(3)))
    if status != CONTACT_OK:
        return
    room = np.zeros((200, 3))
    polygon = room[: section_polygon(pair.solid, pair.row, 0, room)]
    if len(polygon) < pair.solid.count[SOLID_LOOP]:
        return  # an edge that runs through the other body: two loops
    n, g = row[NORMAL : NORMAL + 3], row[CENTROID : CENTROID + 3]
    assert (polygon - g) @ n == pytest.approx(0.0, abs=1e-12)
    p, q = polygon - g, np.roll(polygon, -1, axis=0) - g
    areas = np.cross(p, q) @ n / 2
    if pair.solid.count[SOLID_SWAPPED]:  # the base is B: the loop runs the other way round
        areas = -areas
    assert areas.sum() == pytest.approx(row[AREA], rel=1e-9)
    centre = g + (areas[:, None] * (p + q)).sum(axis=0) / 3 / areas.sum()
    assert centre == pytest.approx(row[CENTRE : CENTRE + 3], abs=1e-9)


def test_no_more_corners_than_fit() -> None:
    rng = np.random.default_rng(2)
    pair = Pair.of(random_hull(rng, 40), random_hull(rng, 40))
    pair.contact(pose(np.eye(3), (0.5, 0.2, 0.1)), pose(np.eye(3), np.zeros(3)))
    assert section_polygon(pair.solid, pair.row, 0, np.zeros((5, 3))) == 5
