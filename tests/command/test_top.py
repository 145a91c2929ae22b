"""`hapticd top` as a user and as a script call it."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

import pytest
from click.testing import CliRunner

from hapticd.cli import hapticd
from tests.emulators.daemon import daemon


def test_json(tmp_path):
    with daemon(tmp_path):
        result = CliRunner().invoke(hapticd, ["top", "--state", str(tmp_path), "--json"])
    assert result.exit_code == 0 and json.loads(result.output)["scene"] == "small"


@pytest.fixture
def interruptible():
    """What a background job of a shell starts ignores Ctrl-C, and so do its children: these tests may be such a job."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_in_a_terminal_until_ctrl_c(tmp_path, interruptible):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, 100))
    command = [sys.executable, "-c", "from hapticd.cli import main; main()", "top", "--state", str(tmp_path)]
    with daemon(tmp_path):
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        seen, end = b"", time.monotonic() + 60
        while b"FAULT" not in seen or b"wake-up" not in seen:
            seen += read(ours)
            assert time.monotonic() < end and process.poll() is None, seen[-2000:]
        process.send_signal(signal.SIGINT)
        while process.poll() is None:
            read(ours)
            assert time.monotonic() < end
        assert process.returncode == 130
    os.close(ours)


def read(descriptor: int) -> bytes:
    """What is there within a tenth of a second; nothing when the other end is closed."""
    try:
        return os.read(descriptor, 65536) if select.select([descriptor], [], [], 0.1)[0] else b""
    except OSError:
        return b""
