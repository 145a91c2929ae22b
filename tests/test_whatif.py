"""What-if replay: the same world gives the same forces, another gives others, and their size is told right."""

import numpy as np
import pytest

from hapticd.channel import CHANNELS, TICK
from hapticd.errors import ConfigError, SceneError
from hapticd.logfile import LogReader
from hapticd.whatif import FELT, Changes, Comparison, compare, plot, set_value
from tests.oracle.session import ROOT, Session


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return Session(tmp_path_factory.mktemp("session")).run(1500)


def test_the_same_scene_changes_nothing(log):
    found = compare(LogReader(log), Changes(scene=ROOT / "configs/scene/six_blocks.toml"))
    assert len(found.t) > 1400 and not found.until
    assert np.array_equal(found.recorded["wrench_world"], found.changed["wrench_world"])
    assert np.array_equal(found.recorded["wrench_sent"], found.changed["wrench_sent"])
    assert found.felt_share() == 0.0 and all(row["difference"] == 0.0 for row in found.table().values())


def test_a_softer_world_is_felt(log, tmp_path):
    found = compare(LogReader(log), Changes(sets=("pointer.stiffness=300", "pointer.damping=0.3")))
    table = found.table()
    assert table["force rms, N"]["recorded"] > 0.05 and table["force rms, N"]["difference"] < 0.0
    assert 0.2 < found.felt_share() <= 1.0
    plot(found, tmp_path / "a.svg")
    assert "7 %" in (tmp_path / "a.svg").read_text() or (tmp_path / "a.svg").stat().st_size > 10_000


def test_wrong_wishes_are_told(log):
    for changes, kind in (
        (Changes(sets=("friction.mu=-3",)), SceneError),
        (Changes(sets=("material.wood",)), ConfigError),
        (Changes(sets=("body.nobody.mass=1",)), ConfigError),
        (Changes(solver="magic"), SceneError),
    ):
        with pytest.raises(kind):
            compare(LogReader(log), changes)


def test_values_are_set_by_name():
    table = {"material": {"wood": {"mu": 0.5}, "felt": {}}, "pointer": {}, "body": [{"name": "a"}, {"name": "b"}]}
    set_value(table, "friction.mu=0.25")
    set_value(table, "body.b.mass=2")
    set_value(table, "gravity=[0, 0, -1.6]")
    set_value(table, "body.a.material=felt")
    assert table["material"] == {"wood": {"mu": 0.25}, "felt": {"mu": 0.25}} and table["pointer"] == {"mu": 0.25}
    assert table["body"] == [{"name": "a", "material": "felt"}, {"name": "b", "mass": 2}]
    assert table["gravity"] == [0, 0, -1.6]


def test_the_share_that_is_felt():
    rows = np.zeros(4, CHANNELS[TICK].head)
    other = rows.copy()
    rows["wrench_sent"][:, 0] = 1.0, 1.0, 1.0, 0.0
    other["wrench_sent"][:, 0] = 1.0 / (1 - FELT) + 1e-6, 1.0 / (1 - FELT) - 1e-6, 0.0, 0.04
    found = Comparison(np.arange(4) * 1e-3, rows, other)
    assert found.felt_share() == pytest.approx(2 / 3)  # the last is below what any share is formed of
    assert found.table()["time in contact, s"]["changed"] == pytest.approx(3e-3)
