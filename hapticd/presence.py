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
    """An exclusive lock on a file; it ends with the process, however that ends."""

    def __init__(self, path: Path, what: str) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._descriptor)
            raise DeviceOpenError(f"{what} is in use by another hapticd (process {holder}); stop it first") from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.close(self._descriptor)


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
