"""The test rig's device at the far end of a unix socket: answers every command with a pose, and logs all it gets.

    python bench_device.py SOCKET LOG [Z]

Written from the protocol text in plugin/bench_plugin.py alone. It holds the last force for ever, as boards without a
watchdog do; `A5` where a frame may start switches it off. The handle is held at height Z by a rigid hand. One line per
frame in LOG, on disk when the line is written: monotonic ns, kind (force, off, junk), six numbers.
"""

import contextlib
import os
import socket
import struct
import sys
import time
from pathlib import Path

FORCE = struct.Struct("<6f")
LENGTH = 27


def main() -> None:
    path, log, height = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen()
    with contextlib.suppress(OSError):  # the log is exact in frames either way
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(70))
    with Path(log).open("w", buffering=1) as file:
        while True:
            serve(server.accept()[0], file, height)


def serve(link: socket.socket, file: object, height: float) -> None:
    """One host, until it closes."""
    sequence, pending = 0, b""
    while data := receive(link):
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
                body = struct.pack("<BB13f", 0x5B, sequence, 0, 0, height, 0, 0, 0, 1, *[0.0] * 6)
                answer(link, body + bytes([sum(body) % 256]))


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
