"""The serial line: pyserial opens and configures it, plain descriptors move the bytes.

Used by the serial drivers' `open` (handshakes may block, with a time-out) and by `hapticd devices`; in the tick the
servo reads and writes the descriptor itself. The line is raw, exclusive (a second daemon gets an error), without flow
control, with DTR and RTS low: on some boards they are wired to reset.
"""

import contextlib
import os
import select
import time
from pathlib import Path

import serial
from serial.tools import list_ports

from hapticd.device import Found
from hapticd.errors import DeviceError, DeviceOpenError

LATENCY_TIMER = "/sys/bus/usb-serial/devices/{name}/latency_timer"  # ms an FTDI chip waits before it hands over bytes
SLOW_LATENCY_MS = 1


class SerialLink:
    """An open line; `descriptor` is non-blocking."""

    def __init__(self, path: str, baud: int) -> None:
        self.path = path
        try:
            self._port = serial.Serial()
            self._port.port, self._port.baudrate = path, baud
            self._port.timeout, self._port.exclusive = 0, True
            self._port.dtr = self._port.rts = False
            self._port.open()
        except (serial.SerialException, OSError, ValueError) as error:
            raise DeviceOpenError(
                f"{path}: cannot be opened ({error}); `hapticd devices` lists what is there"
            ) from error
        # Not every line has the ioctl (a pty, a CDC port): those have no latency timer either.
        with contextlib.suppress(ValueError, OSError, AttributeError, NotImplementedError):
            self._port.set_low_latency_mode(True)
        self.descriptor: int = self._port.fileno()
        os.set_blocking(self.descriptor, False)

    def write(self, data: bytes, timeout: float = 0.1) -> None:
        """All of it, or a DeviceError after the time-out."""
        end = time.monotonic() + timeout
        rest = memoryview(data)
        while rest:
            if not select.select([], [self.descriptor], [], max(0.0, end - time.monotonic()))[1]:
                raise DeviceError(f"{self.path}: the line takes no bytes; is the device still plugged in?")
            try:
                rest = rest[os.write(self.descriptor, rest) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise DeviceError(f"{self.path}: writing failed ({error}); plug the device in again") from error

    def read(self, count: int, timeout: float) -> bytes:
        """Up to `count` bytes, as many as come before the time-out."""
        end = time.monotonic() + timeout
        data = b""
        while len(data) < count:
            if not select.select([self.descriptor], [], [], max(0.0, end - time.monotonic()))[0]:
                break
            try:
                part = os.read(self.descriptor, count - len(data))
            except BlockingIOError:
                continue
            except OSError as error:
                raise DeviceError(f"{self.path}: reading failed ({error}); plug the device in again") from error
            if not part:
                break
            data += part
        return data

    def drain(self, quiet: float = 0.002) -> int:
        """Throw away what has come, until the line is quiet; how many bytes that was."""
        thrown = 0
        while part := self.read(4096, quiet):
            thrown += len(part)
            if thrown > 1 << 20:
                raise DeviceError(f"{self.path}: bytes pour in without end; wrong baud rate or another device?")
        return thrown

    def close(self) -> None:
        self._port.close()


def serial_ports() -> list[Found]:
    """Every serial line with a device behind it, and what would keep us from using it."""
    found = []
    for port in sorted(list_ports.comports(), key=lambda port: port.device):
        if port.hwid == "n/a":  # built-in lines without anything plugged in
            continue
        title = f"{port.description} [{port.vid:04x}:{port.pid:04x}]" if port.vid is not None else port.description
        found.append(Found(port.device, title, tuple(line_problems(port.device))))
    return found


def line_problems(path: str) -> list[str]:
    """What is missing on a line, each with its remedy."""
    problems = []
    if not os.access(path, os.R_OK | os.W_OK):
        problems.append("no permission: join the group of the device file, or install configs/system's udev rule")
    timer = Path(LATENCY_TIMER.format(name=Path(path).name))
    with contextlib.suppress(OSError, ValueError):
        latency = int(timer.read_text())
        if latency > SLOW_LATENCY_MS:
            problems.append(f"latency timer is {latency} ms: echo 1 > {timer}, or install configs/system's udev rule")
    return problems
