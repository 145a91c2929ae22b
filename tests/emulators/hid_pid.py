"""The emulated joystick as a process: behind the hidraw shim (a socket), or as a real HID device by uhid.

    python -m tests.emulators.hid_pid --layout sidewinder --socket /tmp/pid.sock       (with hidraw_shim.c)
    python -m tests.emulators.hid_pid --layout openffboard --uhid                      (needs /dev/uhid)

Input reports go out every millisecond. Words on standard input: held 0|1, target X Y, full, unplug, quit.
"""

import argparse
import contextlib
import os
import select
import socket
import struct
import sys
import time
from pathlib import Path

from tests.emulators.frame_log import FrameLog
from tests.emulators.pid_device import LOOP, PidDevice


class SocketHost:
    """Connections of the shim: reports on 'R', one question each on 'C'."""

    def __init__(self, device, path):
        self.device = device
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.server.bind(path)
        self.server.listen()
        self.reports, self.questions, self.fresh = [], [], []

    def sources(self):
        return [self.server, *self.reports, *self.questions, *self.fresh]

    def serve(self, ready):
        if ready is self.server:
            self.fresh.append(self.server.accept()[0])
            return
        try:
            data = ready.recv(4097)
        except ConnectionResetError:
            return  # said once when the host closes with reports unread; what it wrote before is still to come
        if ready in self.fresh:
            self.fresh.remove(ready)
            (self.reports if data == b"R" else self.questions).append(ready)
        elif not data:
            self.forget(ready)
        elif ready in self.reports:
            self.device.output(data)
        else:
            self.answer(ready, data)

    def answer(self, connection, data):
        kind, payload = data[:1], data[1:]
        if kind == b"D":
            reply = self.device.descriptor
        elif kind == b"S":
            self.device.set_feature(payload)
            reply = b""
        elif kind == b"I":
            reply = next((r for r in self.device.step() if r[0] == payload[0]), None)
        else:
            reply = self.device.get_feature(payload[0])
        if reply is not None:
            connection.send(b"+" + reply)
        self.forget(connection)

    def send(self, report):
        for connection in list(self.reports):
            # A full queue drops the newest, as hidraw does; a closed one may still hold reports to be read.
            with contextlib.suppress(OSError):
                connection.send(report, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    def forget(self, connection):
        for group in (self.reports, self.questions, self.fresh):
            if connection in group:
                group.remove(connection)
        connection.close()

    def unplug(self):
        for connection in [*self.reports, *self.questions, *self.fresh, self.server]:
            connection.close()
        self.reports, self.questions, self.fresh = [], [], []


class UhidHost:
    """A device of the kernel's own: /dev/uhid."""

    def __init__(self, device):
        self.device = device
        self.fd = os.open("/dev/uhid", os.O_RDWR | os.O_CLOEXEC)
        rd = device.descriptor
        body = struct.pack("<128s64s64sHHIIII", b"emulated PID joystick", b"", b"", len(rd), 3, 0x1209, 0x0001, 0, 0)
        os.write(self.fd, struct.pack("<I", 11) + body + rd)

    def sources(self):
        return [self.fd]

    def serve(self, _):
        event = os.read(self.fd, 4380)
        kind = struct.unpack_from("<I", event)[0]
        if kind == 6:  # OUTPUT
            size = struct.unpack_from("<H", event, 4 + 4096)[0]
            self.device.output(event[4 : 4 + size])
        elif kind == 9:  # GET_REPORT
            number, rnum = struct.unpack_from("<IB", event, 4)
            reply = self.device.get_feature(rnum)
            if reply is None:
                reply = next((r for r in self.device.step() if r[0] == rnum), None)
            data = reply or b""
            os.write(self.fd, struct.pack("<IIHH", 10, number, 0 if reply else 5, len(data)) + data)
        elif kind == 13:  # SET_REPORT
            number, _, _, size = struct.unpack_from("<IBBH", event, 4)
            self.device.set_feature(event[12 : 12 + size])
            os.write(self.fd, struct.pack("<IIH", 14, number, 0))

    def send(self, report):
        os.write(self.fd, struct.pack("<IH", 12, len(report)) + report)

    def unplug(self):
        os.close(self.fd)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", default="sidewinder", choices=["sidewinder", "arduino", "openffboard"])
    parser.add_argument("--socket", default="")
    parser.add_argument("--uhid", action="store_true")
    parser.add_argument("--log", default="")
    parser.add_argument("--interval", type=float, default=LOOP, help="s between input reports")
    arguments = parser.parse_args()
    log = FrameLog(arguments.log)
    device = PidDevice(arguments.layout, log)
    if arguments.socket:
        with contextlib.suppress(FileNotFoundError):
            Path(arguments.socket).unlink()
    host = UhidHost(device) if arguments.uhid else SocketHost(device, arguments.socket)
    sys.stdout.write(f"ready {arguments.socket or '/dev/uhid'}\n")
    sys.stdout.flush()
    try:
        run(device, host, arguments.interval)
    finally:
        log.close()


def run(device, host, interval):
    plugged, words, due = True, b"", time.monotonic()
    while True:
        sources = [0, *(host.sources() if plugged else [])]
        for ready in select.select(sources, [], [], max(0.0, due - time.monotonic()))[0]:
            if ready == 0:
                data = os.read(0, 4096)
                *lines, words = (words + data).split(b"\n")
                if not data or b"quit" in lines:
                    return
                for line in lines:
                    if line == b"unplug":
                        host.unplug()
                        plugged = False
                    else:
                        device.word(line.decode().split())
            elif plugged:
                host.serve(ready)
        if time.monotonic() >= due:
            due = time.monotonic() + interval
            if plugged:
                report(device, host)


def report(device, host):
    """Input reports, and what the motors do now."""
    for data in device.step():
        host.send(data)
    x, y = device.force()
    device.log.add(device.tick, "force", struct.pack("<4d", x, y, *device.position))


if __name__ == "__main__":
    main()
