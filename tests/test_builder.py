"""Scenes into arenas: the first one, another one, a body more or less; what cannot be used changes nothing."""

import numpy as np
import pytest

from hapticd.areas import KEEP, Arena, area_templates
from hapticd.builder import SceneBuilder, capacity_of
from hapticd.config import Capacity, Device, RunConfig
from hapticd.control import ARENA
from hapticd.errors import ConfigError, SceneError
from hapticd.inventory import arena_in_force, inventory
from hapticd.kernel import layout as k
from hapticd.requests import Build
from hapticd.ring import Ring, SlotSize
from hapticd.scene.arrays import allocate
from tests.kernel.guard.rig import HAVE
from tests.kernel.small_world import block, scene

SMALL = Capacity(bodies=8, parts=16, vertices=256, pairs=64)
BODY = """
[[body]]
name = "extra"
material = "wood"
mass = 0.2
position = [0, 0, 1]
shape = { type = "box", size = [0.1, 0.1, 0.1] }
"""


@pytest.fixture
def made(tmp_path):
    """A ring with two arenas, the first one filled with three bodies and a tower, and the builder."""
    config = RunConfig(device=Device(driver="none", options=None), capacity=SMALL)
    builder = SceneBuilder(config, HAVE, tmp_path)
    world = allocate(builder.capacity)
    ring = Ring.create(
        tmp_path / "ring", SlotSize(8, 8, 8, 100), area_templates(world.model, world.state, np.zeros(1)), {}
    )
    table = scene(block("a", 0.2))
    table["tower"] = [{"name": "t", "count": 2, "size": [0.04, 0.04, 0.04], "mass": 0.1, "material": "wood"}]
    builder.fill(Arena.of(ring.memory, 0), {"table": table}, 1)
    return ring, builder


def names(ring, index):
    return [body["name"] for body in Arena.of(ring.memory, index).description["body"]]


def test_first_scene_is_seen_by_the_publisher(made):
    ring, _ = made
    model, description = arena_in_force(ring)
    shown = inventory(model, description)
    assert [body["name"] for body in shown["bodies"]] == ["floor", "tool", "a", "t1", "t2"]
    assert shown["name"] == "small" and shown["materials"] == ["wood"] and shown["pointer"] == 1


def test_added_body_goes_to_the_end_and_the_others_carry_over(made):
    ring, builder = made
    assert builder(ring, Build("add", text=BODY)) == (1, ())
    arena = Arena.of(ring.memory, 1)
    assert names(ring, 1) == ["floor", "tool", "a", "t1", "t2", "extra"] and arena.generation == 2
    assert arena.carry_body[:7].tolist() == [0, 1, 2, 3, 4, -1, -1] and arena.word[KEEP] == 1
    assert arena.carry_part[:5].tolist() == [0, 1, 2, 3, 4]
    assert arena.model.mass[5, k.MASS] == pytest.approx(0.2)


def test_removed_and_added_again_upon_each_other(made):
    ring, builder = made
    builder(ring, Build("remove", name="t1"))
    ring.control[ARENA, 0] = 1
    assert names(ring, 1) == ["floor", "tool", "a", "t2"]
    assert Arena.of(ring.memory, 1).carry_body[:5].tolist() == [0, 1, 2, 4, -1]
    assert Arena.of(ring.memory, 1).carry_part[:5].tolist() == [0, 1, 2, -1, 3]
    assert builder(ring, Build("add", text=BODY))[0] == 0
    ring.control[ARENA, 0] = 0
    assert names(ring, 0) == ["floor", "tool", "a", "t2", "extra"] and Arena.of(ring.memory, 0).generation == 3
    builder(ring, Build("remove", name="extra"))
    assert names(ring, 1) == ["floor", "tool", "a", "t2"]


def test_another_scene_by_name_or_text_begins_anew(made, tmp_path):
    ring, builder = made
    text = "[material.ice]\nstiffness = 500\ndamping = 1\nmu = 0.1\n" + BODY.replace("wood", "ice")
    (tmp_path / "lone.toml").write_text(text)
    for build in (Build("load", text=text), Build("load", name="lone")):
        assert builder(ring, build)[0] == 1
        arena = Arena.of(ring.memory, 1)
        assert names(ring, 1) == ["extra"] and arena.word[KEEP] == 0 and np.all(arena.carry_body == -1)
        assert arena.model.option[k.OPTION_POINTER] == -1


@pytest.mark.parametrize(
    "build, words",
    [
        (Build("add", text=BODY.replace("extra", "a")), "already a body called 'a'"),
        (Build("add", text=BODY.replace("wood", "gold")), "gold"),
        (Build("add", text="[[body"), "text|body"),
        (Build("remove", name="nobody"), "no body called"),
        (Build("remove", name="tool"), "pointer cannot be removed"),
        (Build("load", name="nothing"), "nothing"),
        (Build("load", text="rubbish = 3"), "rubbish"),
    ],
)
def test_what_cannot_be_used_is_refused_and_the_running_scene_stays(made, build, words):
    ring, builder = made
    before = ring.memory.bytes_of(ring.memory.tree["arena0"]).tobytes()
    with pytest.raises((SceneError, ConfigError), match=words):
        builder(ring, build)
    assert ring.memory.bytes_of(ring.memory.tree["arena0"]).tobytes() == before


def test_too_large_a_scene_is_refused(made):
    ring, builder = made
    many = scene(*(block(f"b{i}", 0.1 * i) for i in range(7)))
    with pytest.raises(SceneError, match=r"9 bodies \(capacity 8\)"):
        builder.fill(Arena.of(ring.memory, 1), {"table": many}, 2)


def test_empty_world(made):
    ring, builder = made
    arena = Arena.of(ring.memory, 1)
    builder.fill(arena, {"table": {}}, 2)
    assert arena.model.option[k.OPTION_BODIES] == 0 and arena.model.option[k.OPTION_POINTER] == -1
    assert arena.model.world[k.WORLD_STEP] == 1e-3


def test_capacity_holds_what_euler_allows():
    most = capacity_of(SMALL)
    assert most.planes == 512 and most.nodes == 1024 and most.edge_ends == 1536
