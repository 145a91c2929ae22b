"""scene/stack.py: towers and pyramids touch and do not overlap."""

import numpy as np
import pytest

from hapticd.scene.schema import Pyramid, Tower
from hapticd.scene.stack import pyramid, tower


def test_a_tower_touches_at_its_faces():
    blocks = list(tower(Tower(count=5, size=(1.0, 2.0, 0.5), position=(3.0, 0.0, 1.0))))
    assert [block.position for block in blocks] == [(3.0, 0.0, 1.25 + 0.5 * i) for i in range(5)]


@pytest.mark.parametrize("count", [1, 3, 6, 13, 30, 60, 100])
def test_a_pyramid_uses_all_blocks_and_each_stands_on_two(count):
    blocks = list(pyramid(Pyramid(count=count)))
    assert len({block.name for block in blocks}) == count
    centres = np.array([block.position for block in blocks])
    for x, _, z in centres:
        below = centres[np.isclose(centres[:, 2], z - 1.0)]
        assert z == 0.5 or (np.abs(below[:, 0] - x) < 1.0).sum() == 2
    for i, a in enumerate(centres):
        for b in centres[i + 1 :]:
            assert abs(a[0] - b[0]) > 1.0 or abs(a[2] - b[2]) > 0.99
