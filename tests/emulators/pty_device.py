"""A process at the far end of a pseudo terminal: the bytes' way in and out, words on standard input.

Used by the emulated serial devices. Prints `ready PATH` when it can be opened; with `--link` the path is a symbolic
link to the terminal. Ends on `quit`, at the end of its standard input, or when unplugged and told so.
"""

import contextlib
import gc
import os
import select
import sys
import tty
from pathlib import Path

PRIORITY = 70  # below the servo


class PtyDevice:
    """Subclasses give `receive(data) -> answer` and `word(words)`."""

    def __init__(self, faults, link=""):
        self.faults, self.link = faults, link
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        path = os.ttyname(self.slave)
        if link:
            with contextlib.suppress(FileNotFoundError):
                Path(link).unlink()
            Path(link).symlink_to(path)
        self.path = link or path
        self.commands = b""

    def serve(self):
        """Until quit; the slave side is kept open here, so that a host may come and go.

        With real-time priority where it is permitted, and on the core that hapticd keeps free for its servo: firmware
        does not wait for other programs, nor for what they do in a kernel that cannot be interrupted there.
        """
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        gc.freeze()
        gc.disable()
        sys.stdout.write(f"ready {self.path}\n")
        sys.stdout.flush()
        while True:
            sources = [0] if self.master < 0 else [self.master, 0]
            ready = select.select(sources, [], [], 1.0)[0]
            if self.master in ready:
                self.exchange()
            if 0 in ready and not self.listen():
                return

    def exchange(self):
        try:
            data = os.read(self.master, 65536)
        except (BlockingIOError, OSError):
            return
        answer = self.receive(data)
        if self.faults.unplugged:
            self.unplug()
        elif answer:
            with contextlib.suppress(BlockingIOError):  # a host that does not read: the bytes are lost, as on a wire
                os.write(self.master, answer)

    def listen(self):
        data = os.read(0, 65536)
        self.commands += data
        *lines, self.commands = self.commands.split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words[:1] == ["quit"]:
                return False
            if words:
                self.word(words)
                if self.faults.unplugged:
                    self.unplug()
        return bool(data)

    def unplug(self):
        if self.master >= 0:
            os.close(self.slave)
            os.close(self.master)
            self.master = -1
            if self.link:
                with contextlib.suppress(FileNotFoundError):
                    Path(self.link).unlink()

    def receive(self, data):
        raise NotImplementedError

    def word(self, words):
        sys.stderr.write(f"unknown word: {' '.join(words)}\n")
