"""A HID device: hidapi finds it and talks features at start, a plain hidraw descriptor moves reports afterwards.

hidapi's wheel has two backends; `hidraw` is the kernel's own (the module `hid` is libusb, which takes the device away
from everyone else). Feature reports may take seconds when unanswered and are only used in `open`; reports go through
`os.read` and `os.write`, which allocate less. After an unplug hidapi's write gives -1 without an exception.
"""

import contextlib
import os
from pathlib import Path

import hidraw

from hapticd.device import Found
from hapticd.errors import DeviceError, DeviceOpenError

LONGEST_REPORT = 4096
DRAIN_AT_MOST = 256  # input reports in one go: hidraw keeps 63, so this only bounds a device that never stops


class HidSetup:
    """Start-up: the descriptor, feature reports, output reports with their errors."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._device = hidraw.device()
        try:
            self._device.open_path(path.encode())
        except OSError as error:
            reason = "no permission" if Path(path).exists() and not os.access(path, os.R_OK | os.W_OK) else str(error)
            raise DeviceOpenError(
                f"{path}: cannot be opened ({reason}); `hapticd devices` lists what is there"
            ) from error

    def descriptor(self) -> bytes:
        return bytes(self._device.get_report_descriptor())

    def write(self, report: bytes) -> None:
        if self._device.write(report) < 0:
            raise DeviceError(f"{self.path}: the device does not take reports ({self._device.error()})")

    def set_feature(self, report: bytes) -> None:
        if self._device.send_feature_report(report) < 0:
            raise DeviceError(f"{self.path}: feature report {report[0]:#x} was refused ({self._device.error()})")

    def get_feature(self, number: int, length: int) -> bytes:
        try:
            return bytes(self._device.get_feature_report(number, length))
        except OSError as error:
            raise DeviceError(f"{self.path}: feature report {number:#x} is not answered ({error})") from error

    def get_input(self, number: int, length: int) -> bytes:
        """The newest input report, asked for; empty where the device does not answer that."""
        with contextlib.suppress(OSError):
            return bytes(self._device.get_input_report(number, length))
        return b""

    def close(self) -> None:
        self._device.close()


class HidLink:
    """The running device: a non-blocking hidraw descriptor."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise DeviceOpenError(
                f"{path}: cannot be opened ({error.strerror}); is it used by someone else?"
            ) from error

    def newest(self, wanted: dict[int, bytes]) -> bool:
        """Drain the queue; the newest report of each wanted id replaces that in `wanted`. True when one came.

        hidraw keeps 63 reports and then drops the newest ones, so a queue that is not drained shows the past.
        """
        came = False
        for _ in range(DRAIN_AT_MOST):
            try:
                report = os.read(self.descriptor, LONGEST_REPORT)
            except BlockingIOError:
                return came
            except OSError as error:
                raise DeviceError(f"{self.path}: {error.strerror}; plug the device in again") from error
            if not report:
                raise DeviceError(f"{self.path}: the device is gone; plug it in again")
            if report[0] in wanted:
                wanted[report[0]] = report
                came = True
        return came

    def write(self, report: bytes) -> None:
        """One report; may take a millisecond, and five now and then."""
        try:
            written = os.write(self.descriptor, report)
        except BlockingIOError:
            return  # the queue is full: the next report says it anew
        except OSError as error:
            raise DeviceError(f"{self.path}: {error.strerror}; plug the device in again") from error
        if written != len(report):
            raise DeviceError(f"{self.path}: {written} of {len(report)} bytes of a report were taken")

    def close(self) -> None:
        os.close(self.descriptor)


def hid_devices() -> list[tuple[Found, bytes]]:
    """Every HID device with its report descriptor (empty where it cannot be read), and what keeps us from using it."""
    found = []
    for info in hidraw.enumerate():
        path = info["path"].decode()
        name = " ".join(part for part in (info["manufacturer_string"], info["product_string"]) if part) or "HID device"
        title = f"{name} [{info['vendor_id']:04x}:{info['product_id']:04x}]"
        problems = []
        if not os.access(path, os.R_OK | os.W_OK):
            problems.append("no permission: install configs/system's udev rule, or join the group of the device file")
        # the kernel shows descriptors to everyone, so a device can be told before it may be opened
        source = Path("/sys/class/hidraw") / Path(path).name / "device" / "report_descriptor"
        descriptor = b""
        with contextlib.suppress(OSError):
            descriptor = source.read_bytes()
        found.append((Found(path, title, tuple(problems)), descriptor))
    return found
