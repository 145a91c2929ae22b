"""Colours: the scene's own first, pressures from cold to hot."""

import numpy as np

from hapticd.view import palette


def test_a_body_has_its_own_colour_or_one_of_its_kind():
    assert palette.body_colour(0, "dynamic", (1.0, 0.5, 0.0)) == (255, 128, 0)
    assert palette.body_colour(3, "pointer", None) == palette.POINTER
    assert palette.body_colour(0, "static", None) == palette.STILL
    assert palette.body_colour(0, "dynamic", None) != palette.body_colour(1, "dynamic", None)


def test_pressure_runs_through_the_whole_scale():
    colours = palette.pressure_colour(np.array([-1.0, 0.0, 1.0, 2.0, np.nan]))
    assert np.array_equal(colours[0], colours[1]) and np.array_equal(colours[2], colours[3])
    assert np.array_equal(colours[1], palette.PRESSURE[0]) and np.array_equal(colours[2], palette.PRESSURE[-1])


def test_colours_of_lines_are_linear_light():
    told = palette.for_lines(np.array([[0, 128, 255]], np.uint8))
    assert told.tolist() == [[0, 56, 255]] and told.dtype == np.uint8
