"""Arrays in shared memory: found again from the file alone, by name, with the same bytes."""

import stat

import numpy as np
import pytest

from hapticd.errors import HapticdError
from hapticd.kernel.layout import State
from hapticd.memory import LINE, Memory

RECORD = np.dtype([("a", "<i8"), ("b", "<f4", (2, 3)), ("c", "u1", (5,))])


def state() -> State:
    shapes = {"body": (3, 19), "tick": (1,)}
    return State(**{name: np.zeros(shapes.get(name, (2, 2))) for name in State._fields})


def templates():
    return {"one": np.zeros(3, np.int32), "state": state(), "records": np.zeros(4, RECORD)}


def test_attach_finds_what_create_wrote(tmp_path):
    ours = Memory.create(tmp_path / "m", templates(), {"word": "für"})
    ours.tree["one"][:] = 1, 2, 3
    ours.tree["state"].body[2, 18] = 7.5
    ours.tree["records"]["b"][3, 1, 2] = 0.25
    theirs = Memory.attach(tmp_path / "m")
    assert theirs.note == {"word": "für"}
    assert theirs.tree["one"].tolist() == [1, 2, 3]
    assert isinstance(theirs.tree["state"], State) and theirs.tree["state"].body[2, 18] == 7.5
    assert theirs.tree["records"].dtype == RECORD and theirs.tree["records"]["b"][3, 1, 2] == 0.25
    ours.tree["one"][0] = 9  # the same memory, not a copy
    assert theirs.tree["one"][0] == 9
    assert not theirs.tree["one"].flags.writeable
    assert Memory.attach(tmp_path / "m", writable=True).tree["one"].flags.writeable


def test_no_two_arrays_share_a_cache_line(tmp_path):
    tree = Memory.create(tmp_path / "m", templates(), {}).tree
    arrays = [tree["one"], *tree["state"], tree["records"]]
    lines = [set(range(a.ctypes.data // LINE, (a.ctypes.data + a.nbytes - 1) // LINE + 1)) for a in arrays]
    assert sum(map(len, lines)) == len(set().union(*lines))
    assert all(a.ctypes.data % LINE == 0 for a in arrays)


def test_bytes_of_a_subtree_are_its_arrays(tmp_path):
    memory = Memory.create(tmp_path / "m", templates(), {})
    block = memory.bytes_of(memory.tree["state"])
    block[:] = 0xFF
    assert all(np.all(a.view(np.uint8) == 0xFF) for a in memory.tree["state"])
    assert np.all(memory.tree["one"] == 0) and np.all(memory.tree["records"]["a"] == 0)


def test_file_is_private_and_a_new_one_does_not_pull_the_old_away(tmp_path):
    old = Memory.create(tmp_path / "m", templates(), {})
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o600
    old.tree["one"][0] = 5
    new = Memory.create(tmp_path / "m", templates(), {})
    assert new.tree["one"][0] == 0 and old.tree["one"][0] == 5


@pytest.mark.parametrize("damage", ["absent", "empty", "short", "magic", "version"])
def test_what_is_not_ours_is_refused_by_name(tmp_path, damage):
    path = tmp_path / "m"
    if damage != "absent":
        Memory.create(path, templates(), {})
        data = bytearray(path.read_bytes())
        if damage == "magic":
            data[0] ^= 1
        if damage == "version":
            data[8] += 1
        path.write_bytes({"empty": b"", "short": bytes(data[:100])}.get(damage, bytes(data)))
    with pytest.raises(HapticdError, match=str(path)):
        Memory.attach(path)
