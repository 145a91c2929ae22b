"""Emulated motor boards behind a pseudo terminal, served by a thread: no grip, counters as they are set.

For tests of handshakes and frames, which need no physics and should start at once.
"""

import contextlib
import os
import select
import threading
import tty

from tests.emulators.spidar_board import Board, Line


class Boards:
    """`path` to open, `boards` with their positions, `executed` commands."""

    def __init__(self, models, ids, generation="old", silent=False):
        pairs = zip(ids.split(","), models.split(","), strict=True)
        self.boards = [Board(int(i), int(model), generation) for i, model in pairs]
        self.executed, self.silent, self.running = [], silent, True
        for board in self.boards:
            board.positions = [-1 - 1000 * board.id - k for k in range(board.n_motor)]
        self.line = Line(self.boards, lambda: None, lambda board, frame: self.executed.append(frame))
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while self.running:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            with contextlib.suppress(OSError):
                answer = self.line.feed(os.read(self.master, 4096))
                if not self.silent:
                    os.write(self.master, answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.running = False
        self.thread.join()
        os.close(self.slave)
        os.close(self.master)
