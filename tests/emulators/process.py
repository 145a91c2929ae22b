"""Start an emulator as a process of its own, talk to it, and read its log."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

from tests.emulators.frame_log import read_log

ROOT = Path(__file__).parents[2]


class Emulator:
    """A running emulator: `path` to open, `say` for its fault words, `frames` for what it saw."""

    def __init__(self, module, folder, *arguments):
        self.log_path = Path(folder) / f"{module}.log"
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"tests.emulators.{module}", "--log", str(self.log_path), *map(str, arguments)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.close()
            raise RuntimeError(f"emulator {module} did not start: {line!r}")
        self.path = line.split(maxsplit=1)[1].strip()

    def say(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()

    def quit(self):
        """End it; its whole log."""
        with contextlib.suppress(BrokenPipeError, ValueError):
            self.say("quit")
        self.process.wait(10)
        return self.frames()

    def frames(self, kind=None):
        return [frame for frame in read_log(self.log_path) if kind in (None, frame.kind)]

    def wait_for(self, condition, seconds=10.0):
        """Until condition(frames) holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition(self.frames()):
                return
            time.sleep(0.02)
        raise TimeoutError("the emulator did not see what was awaited")

    def close(self):
        with contextlib.suppress(BrokenPipeError, ValueError, OSError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
