"""The scene as `hello` tells of it."""

import json

import numpy as np
import pytest

from hapticd.inventory import describe, inventory, mesh
from hapticd.scene.convex import ConvexShape
from tests.emulators.ring_writer import small_model


def test_stacks_are_written_out_and_files_are_not_opened():
    text = """
    name = "blöcke"
    [material.wood]
    [material.steel]
    [[body]]
    name = "cup"
    material = "steel"
    colour = [1, 0, 0]
    shape = {type = "mesh", file = "nowhere.obj"}
    [[tower]]
    count = 2
    name = "stone"
    [[pyramid]]
    count = 1
    """
    told = describe(text.encode())
    assert [body["name"] for body in told["bodies"]] == ["cup", "stone1", "stone2", "block1"]
    assert told["bodies"][0]["colour"] == [1, 0, 0] and told["materials"] == ["wood", "steel"]
    assert describe(json.dumps({"name": "x", "body": [{"name": "a"}]}).encode())["bodies"] == [{"name": "a"}]


@pytest.mark.parametrize("text", [b"", b"\xff", b"{", b"[[", b"body = 5", b'tower = [{count = "x"}]', b"[1]"])
def test_any_text_gives_a_description(text):
    assert describe(text).get("bodies", []) == []


def test_bodies_without_a_description_get_numbers():
    scene = inventory(small_model(), {})
    assert [body["name"] for body in scene["bodies"]] == ["body0", "body1", "body2", "body3"]
    assert [body["kind"] for body in scene["bodies"]] == ["static", "dynamic", "dynamic", "pointer"]
    assert scene["gravity"] == [0.0, 0.0, -9.8] and scene["gains"] == []


def test_mesh_encloses_the_volume_of_the_shape():
    shape = ConvexShape.cylinder(radius=0.3, height=0.7, tolerance=0.01)
    found = mesh(shape.vertices)
    vertices = np.frombuffer(found["vertices"], "<f4").reshape(-1, 3).astype(float)
    a, b, c = (vertices[corner] for corner in np.frombuffer(found["faces"], "<i4").reshape(-1, 3).T)
    assert np.isclose(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0, shape.volume, rtol=1e-5)
