"""Log lines as a person and as journald read them."""

import os
import subprocess
import sys

PROGRAM = """
import logging, sys
from hapticd.log import set_up
set_up(int(sys.argv[1]))
log = logging.getLogger("hapticd.part")
log.debug("detail"); log.info("fact"); log.warning("careful"); log.error("two\\nlines")
logging.getLogger("library").info("chatter")
"""


def run(verbosity: int, environment: dict[str, str]) -> str:
    """What stderr gets; `pipe` in JOURNAL_STREAM stands for the real device and inode of the pipe."""
    reader, writer = os.pipe()
    info = os.fstat(writer)
    stream = {key: value.replace("pipe", f"{info.st_dev}:{info.st_ino}") for key, value in environment.items()}
    command = [sys.executable, "-c", PROGRAM, str(verbosity)]
    subprocess.run(command, stderr=writer, check=True, env=os.environ | stream)
    os.close(writer)
    with os.fdopen(reader) as file:
        return file.read()


def test_journald_gets_priorities_on_every_line() -> None:
    lines = run(1, {"JOURNAL_STREAM": "pipe"}).splitlines()
    assert lines == [
        "<7>hapticd.part: detail",
        "<6>hapticd.part: fact",
        "<4>hapticd.part: careful",
        "<3>hapticd.part: two",
        "<3>lines",
    ]


def test_another_stream_gets_times_and_levels() -> None:
    # set by systemd for a parent, but stderr has been redirected since
    text = run(0, {"JOURNAL_STREAM": "1:2"})
    assert "INFO    hapticd.part: fact" in text and "<6>" not in text
    assert "detail" not in text and "chatter" not in text


def test_verbosity() -> None:
    assert "fact" not in run(-1, {}) and "careful" in run(-1, {})
    assert "chatter" in run(2, {})
