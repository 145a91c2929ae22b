"""The test rig's device at the far end of a unix socket: answers every command with a pose, and logs all it gets.

    python bench_device.py SOCKET LOG [Z]

Written from the protocol text in plugin/bench_plugin.py alone. It holds the last force for ever, as boards without a
watchdog do; `A5` where a frame may start switches it off. The handle is held at height Z by a rigid hand. One line per
frame in LOG, on disk when the line is written: monotonic ns, kind (force, off, junk), six numbers.

Words on standard input change the answers from the next frame on, and are logged as the kind `word`, with the number
of the cell and its new value: `set CELL NUMBER` for one of the 13 numbers of an answer (2 is z, 9 the speed along z);
NUMBER may be nan or inf.
"""

import contextlib
import os
import select
import socket
import struct
import sys
import time
from pathlib import Path
from typing import TextIO

FORCE = struct.Struct("<6f")
LENGTH = 27


STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # position, q_xyzw, velocity, spin


def main() -> None:
    path, log, height = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen()
    with contextlib.suppress(OSError):  # the log is exact in frames either way
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(70))
    pose = list(STILL)
    pose[2] = height
    with Path(log).open("w", buffering=1) as file:
        while True:
            serve(server.accept()[0], file, pose)


def serve(link: socket.socket, file: TextIO, pose: list[float]) -> None:
    """One host, until it closes."""
    sequence, pending = 0, b""
    while data := receive(link):
        listen(file, pose)
        pending += data
        while pending:
            now = time.monotonic_ns()
            if pending[0] == 0xA5:
                pending = pending[1:]
                if not pending.startswith(b"\xa5"):
                    print(now, "off", 0, 0, 0, 0, 0, 0, file=file)
            elif pending[0] != 0x5A:
                print(now, "junk", pending[0], 0, 0, 0, 0, 0, file=file)
                pending = pending[1:]
            elif len(pending) < LENGTH:
                break
            elif sum(pending[: LENGTH - 1]) % 256 != pending[LENGTH - 1]:
                print(now, "junk", 0, 0, 0, 0, 0, 0, file=file)
                pending = pending[1:]
            else:
                print(now, "force", *FORCE.unpack(pending[2:26]), file=file)
                pending = pending[LENGTH:]
                sequence = (sequence + 1) % 256
                body = struct.pack("<BB13f", 0x5B, sequence, *pose)
                answer(link, body + bytes([sum(body) % 256]))


def listen(file: TextIO, pose: list[float]) -> None:
    """Words that have come on standard input, whole lines at a time."""
    if not select.select([0], [], [], 0.0)[0]:
        return
    for line in os.read(0, 4096).decode().splitlines():
        word, cell, number = line.split()
        assert word == "set", line
        pose[int(cell)] = float(number)
        print(time.monotonic_ns(), "word", cell, number, 0, 0, 0, 0, file=file)


def receive(link: socket.socket) -> bytes:
    try:
        return link.recv(4096)
    except OSError:
        return b""


def answer(link: socket.socket, frame: bytes) -> None:
    with contextlib.suppress(OSError):  # the host has gone; the log has what it said
        link.sendall(frame)


if __name__ == "__main__":
    main()
