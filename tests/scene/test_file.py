"""scene/file.py: what is wrong between tables, and where it says so."""

import pytest

from hapticd.errors import SceneError
from hapticd.inspection import shipped_configs
from hapticd.scene.file import check_file, load_scene, scene_from_text
from hapticd.scene.schema import MOST_BODIES

SCENES = [path for path in shipped_configs() if path.parent.name == "scene"]
TEXT = """
[material.wood]
stiffness = 1e4
damping = 10

[[body]]
name = "floor"
kind = "static"
material = "wood"
shape = { type = "box", size = [4, 4, 1] }

[[tower]]
count = 3
material = "wood"
"""


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_shipped_scenes_load_and_are_stable(path):
    check_file(path)


def test_names_of_stacks():
    scene = scene_from_text(TEXT, "stack")
    assert [body.name for body in scene.bodies] == ["floor", "block1", "block2", "block3"]
    assert scene.name == "stack"


def test_an_unknown_material_is_named_with_its_line(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(TEXT.replace('material = "wood"\nshape', 'material = "wod"\nshape'))
    with pytest.raises(SceneError, match=r"scene.toml:9: \[body\[0\]\] material is 'wod'.*known are wood"):
        load_scene(path)


def test_all_mistakes_at_once():
    bad = TEXT.replace("count = 3", "count = 0").replace("damping = 10", "damping = -1")
    with pytest.raises(SceneError) as caught:
        scene_from_text(bad)
    assert len(caught.value.problems) == 2


def test_two_bodies_of_one_name_and_two_pointers():
    box = {"type": "box", "size": [1, 1, 1]}
    body = {"name": "a", "kind": "pointer", "shape": box}
    table = {"material": {"default": {"stiffness": 1, "damping": 1}}, "body": [body, body]}
    with pytest.raises(SceneError) as caught:
        load_scene(table)
    text = " ".join(map(str, caught.value.problems))
    assert "name of its own" in text and "allowed is one" in text


def test_a_coupled_pointer_needs_a_mass():
    box = {"type": "box", "size": [1, 1, 1]}
    table = {
        "material": {"default": {"stiffness": 1, "damping": 1}},
        "pointer": {"coupling": {"stiffness": 1, "damping": 1}},
        "body": [{"name": "p", "kind": "pointer", "shape": box}],
    }
    with pytest.raises(SceneError, match="virtual coupling needs a mass"):
        load_scene(table)


def test_no_bodies_and_too_many():
    with pytest.raises(SceneError, match="at least one body"):
        load_scene({"material": {"default": {"stiffness": 1, "damping": 1}}})
    with pytest.raises(SceneError, match=f"allowed are {MOST_BODIES}|1 to {MOST_BODIES}"):
        scene_from_text(TEXT.replace("count = 3", "count = 100000"))
    with pytest.raises(SceneError, match=f"has 24001 bodies.*allowed are {MOST_BODIES}"):
        scene_from_text(
            TEXT.replace("count = 3", "count = 12000") + '\n[[tower]]\nname="b"\ncount=12000\nmaterial="wood"\n'
        )


def test_text_from_outside_names_no_files():
    with pytest.raises(SceneError, match="may not name files"):
        scene_from_text(
            TEXT + '\n[[body]]\nname="m"\nmass=1.0\nmaterial="wood"\nshape={type="mesh",file="/etc/passwd"}\n'
        )
