"""The picture's numbers, taken from what viser is told."""

import numpy as np
import pytest

from hapticd.kernel.guard import layout as g
from hapticd.state import Scene, State
from hapticd.view import palette
from hapticd.view.server import open_server
from hapticd.view.stage import Stage, _extent
from hapticd.wire import arrays, decode, encode_state
from tests.emulators.ring_writer import RingWriter, make_ring


@pytest.fixture(scope="module")
def server():
    server = open_server(0)
    yield server
    server.stop()


@pytest.fixture
def writer(tmp_path):
    return RingWriter(make_ring(tmp_path / "ring"))


def state_of(writer: RingWriter, force: float = 2.0) -> State:
    writer.step(0)
    slot = writer.ring.empty()
    writer.ring.read_newest(slot)
    slot["time"][g.TIME_WOKE] = 1_000_000_000 * (1 + writer.tick)  # seconds apart: nothing is left out
    slot["contact"][0, g.SHOWN_NORMAL + 2] = 1.0
    slot["contact"][0, g.SHOWN_WRENCH + 2] = force
    slot["wrench"][0, :3] = 0.0, 0.0, force
    return State(decode(encode_state(slot, 1, 2))[1], 3)


def scene_of(writer: RingWriter) -> Scene:
    from hapticd.inventory import arena_in_force, inventory

    return Scene({"scene": {"generation": 0, **inventory(*arena_in_force(writer.ring))}})


def test_bodies_stand_where_the_state_says(server, writer):
    stage, state = Stage(server), state_of(writer)
    stage.set_scene(scene_of(writer), state)
    stage.show(state)
    assert [batch.bodies.tolist() for batch in stage.batches] == [[0], [1, 2], [3]]  # one batch per shape
    blocks = stage.batches[1].handle
    assert np.allclose(blocks.batched_positions, state.positions[[1, 2]])
    assert np.allclose(blocks.batched_wxyzs, [[1, 0, 0, 0]] * 2)  # viser: w first


def test_contact_and_force_are_shown_and_vanish(server, writer):
    stage, state = Stage(server), state_of(writer)
    stage.set_scene(scene_of(writer), state)
    stage.show(state)
    assert [patch.visible for patch in stage.patches] == [False] * 5 + [True]  # the hardest is the hottest
    assert stage.rims.points.shape == (8, 2, 3) and stage.arrows.points.shape == (2, 2, 3)
    along = stage.arrows.points[:, 1] - stage.arrows.points[:, 0]
    assert np.all(along[:, 2] > 0.0) and np.allclose(along[:, :2], 0.0)
    writer.contacts = writer.points = 0
    stage.show(state_of(writer, 0.0))
    assert not any(patch.visible for patch in stage.patches)
    assert not stage.rims.visible and len(stage.arrows.points) == 0


def test_another_scene_replaces_all(server, writer):
    stage, state = Stage(server), state_of(writer)
    for _ in range(3):
        stage.set_scene(scene_of(writer), state)
        stage.show(state)
    assert len(stage.batches) == 3


def test_what_rests_is_not_sent_again(server, writer):
    stage, state = Stage(server), state_of(writer)
    stage.set_scene(scene_of(writer), state)
    stage.show(state)
    buffer = server._websock_server._broadcast_buffer
    before = buffer.message_counter
    stage.marks_ns = 0
    stage.show(state)
    assert buffer.message_counter == before


def test_polygons_that_only_move_keep_their_triangles(server, writer):
    stage, state = Stage(server), state_of(writer)
    stage.set_scene(scene_of(writer), state)
    stage.show(state)
    faces, outline = stage.patches[5].faces.copy(), stage.outline
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]
    stage.show(state_of(writer))
    assert stage.outline is outline
    stage.hardest = 1e9  # the same force is little now: another colour
    stage.show(state_of(writer))
    assert [patch.visible for patch in stage.patches] == [True] + [False] * 5
    assert np.array_equal(stage.patches[0].faces, faces) and len(stage.patches[0].vertices) == 8
    assert np.array_equal(stage.rims.colors[0, 0], palette.for_lines(stage.colours[0]))


def test_extent_is_that_of_what_moves(writer):
    state = state_of(writer)
    size, centre, floor = _extent(scene_of(writer), state)
    assert 2.0 < size < 3.5 and 1.5 < centre[0] < 2.5  # bodies 1 to 3; the table does not count
    assert floor == pytest.approx(0.5 - 0.05) and arrays(state.message)["body"].shape == (4, 13)
