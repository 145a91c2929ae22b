"""The scene as `hello` tells of it."""

import numpy as np

from hapticd.inventory import inventory, mesh, read_text, write_text
from hapticd.scene.convex import ConvexShape
from tests.emulators.ring_writer import small_model


def test_text_comes_back_and_one_that_is_too_long_keeps_the_name():
    text = np.ones(200, np.uint8)
    description = {"name": "blöcke", "bodies": [{"name": "a"}]}
    write_text(text, description)
    assert read_text(text) == description
    write_text(text, {"name": "many", "bodies": [{"name": "a" * 50}] * 10})
    assert read_text(text) == {"name": "many"}
    assert read_text(np.zeros(10, np.uint8)) == {}


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
