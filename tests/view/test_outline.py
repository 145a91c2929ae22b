"""Outlines of several contacts at once, against the same made one by one."""

import numpy as np
import pytest

from hapticd.state import Contacts
from hapticd.view.outline import OUTSET, Outline

LIFT = 0.001


def contacts_of(sizes: list[int], seed: int = 0) -> Contacts:
    """Polygons with so many corners, in the points in reverse order, with a gap between."""
    rng = np.random.default_rng(seed)
    rows, of = rng.random((len(sizes), 16)).astype(np.float32), np.zeros((len(sizes), 8), np.int32)
    first = 1
    for i in reversed(range(len(sizes))):
        of[i, 5:7] = first, sizes[i]
        first += sizes[i] + 1
    return Contacts(rows, of, rng.random((first, 3)).astype(np.float32))


def side_of(contacts: Contacts, i: int, sign: float) -> np.ndarray:
    corners = contacts.points[contacts.first[i] : contacts.first[i] + contacts.count[i]].astype(float)
    middle = corners.mean(axis=0)
    return middle + OUTSET * (corners - middle) + sign * (0.5 * contacts.depth[i] + LIFT) * contacts.normal[i]


@pytest.mark.parametrize("sizes", [[3], [4, 3], [5, 3, 8, 4]])
def test_sides_and_rims_are_those_of_each_contact(sizes):
    contacts, chosen = contacts_of(sizes), np.arange(len(sizes))[::-1]
    outline = Outline(contacts.count[chosen])
    sides = outline.sides(contacts, chosen, LIFT)
    wanted = [np.concatenate([side_of(contacts, i, sign) for i in chosen]) for sign in (1.0, -1.0)]
    assert np.allclose(sides, wanted, atol=1e-6) and sides.dtype == np.float32
    rims = [
        segment
        for sign in (1.0, -1.0)
        for i in chosen
        for side in [side_of(contacts, i, sign)]
        for segment in zip(side, np.roll(side, -1, axis=0), strict=True)
    ]
    assert np.allclose(outline.rims(sides), rims, atol=1e-6)
    colours = np.arange(3 * len(sizes), dtype=np.uint8).reshape(-1, 3)
    wanted = np.concatenate([np.repeat(colours, contacts.count[chosen], axis=0)] * 2)
    assert np.array_equal(outline.rim_colours(colours), np.stack([wanted, wanted], axis=1))


@pytest.mark.parametrize(("first", "last"), [(0, 1), (1, 3), (0, 3), (2, 3)])
def test_fans_cover_the_chosen_polygons_and_nothing_else(first, last):
    contacts, chosen = contacts_of([5, 3, 4]), np.arange(3)
    outline = Outline(contacts.count)
    sides = outline.sides(contacts, chosen, LIFT)
    vertices, faces = outline.vertices(sides, first, last), outline.faces(first, last)
    wanted = [
        [side[0], side[k], side[k + 1]]
        for sign in (1.0, -1.0)
        for i in range(first, last)
        for side in [side_of(contacts, i, sign)]
        for k in range(1, len(side) - 1)
    ]
    assert np.allclose(vertices[faces], wanted, atol=1e-6)
    assert set(faces.ravel()) == set(range(len(vertices))) and faces.dtype == np.uint32
