"""Compilation ahead of time and what it shows."""

import os
import pty
import subprocess
import sys
from pathlib import Path

# One kernel that calls another, in an empty cache.
PROGRAM = """
from hapticd.kernel.polynomial import exp_negative
from hapticd.warmup import shown
with shown() as compiled:
    exp_negative(1.0)
print(compiled.done)
"""


def environment(cache: Path) -> dict[str, str]:
    plain = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    return plain | {"HAPTICD_CACHE_DIR": str(cache), "TERM": "xterm", "COLUMNS": "100"}


def test_a_log_gets_one_line_per_kernel_and_nothing_when_all_is_there(tmp_path: Path) -> None:
    command, options = [sys.executable, "-c", PROGRAM], {"capture_output": True, "text": True}
    first = subprocess.run(command, env=environment(tmp_path), **options)
    assert "compiling kernel/polynomial.py: exp_negative\n" in first.stderr
    assert int(first.stdout) == len(first.stderr.splitlines())
    second = subprocess.run(command, env=environment(tmp_path), **options)
    assert (second.stdout, second.stderr) == ("0\n", "")


def test_a_terminal_gets_a_bar_with_the_name_and_is_left_clean(tmp_path: Path) -> None:
    main, side = pty.openpty()
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment(tmp_path), stderr=side, stdout=subprocess.DEVNULL)
    os.close(side)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # EIO: all read, and the other side is closed
            break
        shown += part
        if not part:
            break
    os.close(main)
    assert b"compiling" in shown and b"kernel/polynomial.py: exp_negative" in shown
    assert b"compiling kernel" not in shown  # the bar, not the lines
    assert b"\x1b[2K" in shown[-40:]  # its line is cleared at the end
