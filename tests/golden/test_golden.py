"""The golden logs: the kernels give the bits that they gave when these were recorded."""

import pytest

from hapticd.logfile import LogReader
from hapticd.replay import Replay
from tests.golden.sessions import FOLDER, GOLDEN, TICKS

HELP = "a change of the kernels that is meant: ./tools/golden_update, and say in the commit what changed and why"


def test_every_session_has_its_log():
    assert {path.stem for path in FOLDER.glob("*.mcap")} == set(GOLDEN)
    assert sum(path.stat().st_size for path in FOLDER.glob("*.mcap")) < 1_000_000


@pytest.mark.parametrize("name", GOLDEN)
def test_replays_to_the_same_bits(name):
    verdict = Replay(LogReader(FOLDER / f"{name}.mcap")).run()
    assert verdict.identical, f"{verdict}; {HELP}"
    assert verdict.ticks >= TICKS - 60 and verdict.hashes >= 10
