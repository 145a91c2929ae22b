"""How others see the daemon: a lock per device, a status file, and systemd's notify socket.

FOLDER/hapticd.lock        held while a daemon uses the folder
/dev/shm/hapticd-XXXX.lock  held while a daemon uses the device, whichever folder or user it runs under
FOLDER/status.json         who runs, in which mode; how the last run ended. Written anew, never in part.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

from hapticd.errors import DeviceOpenError

LOCK_FOLDER = Path("/dev/shm")


class Lock:
    """An exclusive lock on a file; it ends with the process, however that ends; released, the file goes."""

    def __init__(self, path: Path, what: str) -> None:
        self._path = path
        try:
            self._descriptor = _open(path)
            while not _is_at(path, self._descriptor):  # its last holder has just removed it
                os.close(self._descriptor)
                self._descriptor = _open(path)
        except BlockingIOError as error:
            holder = path.read_text().strip() or "unknown"
            raise DeviceOpenError(f"{what} is in use by another hapticd (process {holder}); stop it first") from error
        except OSError as error:
            raise DeviceOpenError(f"{what} cannot be locked: {path}: {error.strerror}; whose is it?") from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def _open(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the locked file is still the one of that name."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


def device_lock(identity: str) -> Lock:
    """One daemon per device."""
    name = hashlib.sha256(str(Path(identity).resolve()).encode()).hexdigest()[:16]
    return Lock(LOCK_FOLDER / f"hapticd-{name}.lock", f"device {identity}")


class StatusFile:
    """FOLDER/status.json. `ended` is None while a daemon runs: found so at a start, the last one did not end itself."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "status.json"

    def read(self) -> dict[str, Any]:
        """What the last writer said; empty if there was none or it cannot be read."""
        try:
            status = json.loads(self.path.read_text())
        except (OSError, ValueError):
            return {}
        return status if isinstance(status, dict) else {}

    def write(self, status: dict[str, Any]) -> None:
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(status, indent=1))
        fresh.replace(self.path)


def notify(message: str) -> None:
    """sd_notify(3): READY=1, WATCHDOG=1, STATUS=...; nothing without systemd."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC) as link:
        try:
            link.sendto(message.encode(), address)
        except OSError:
            return  # systemd is busy or gone: never a reason to stop the watchdog
