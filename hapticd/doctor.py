"""What stands between this machine and hard real time, each with its remedy: the findings of `hapticd doctor`.

Every check reads what the kernel says about itself (/proc, /sys, limits) and gives one Finding; none changes anything.
Roots can be given, so that the tests can show a machine of their own.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Grade = Literal["ok", "weak", "bad"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: bad stops force on hardware, weak makes late ticks likelier."""

    what: str
    grade: Grade
    says: str
    remedy: str = ""


def findings(priority: int = 81, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> list[Finding]:
    """All checks, the most important first."""
    return [
        real_time_priority(priority),
        locked_memory(),
        throttling(proc),
        kernel_flavour(proc, sys),
        governor(sys),
        sleep_states(Path("/dev")),
        isolation(sys),
        serial_workers(sys),
        hypervisor(proc),
        *latency_timers(sys),
        *device_nodes(Path("/dev")),
    ]


def _capable(number: int, proc: Path = Path("/proc")) -> bool:
    """Whether this process has the capability, by its number in linux/capability.h."""
    for line in (proc / "self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> number & 1)
    return False


def real_time_priority(wanted: int) -> Finding:
    what, limit = "real-time priority", resource.getrlimit(resource.RLIMIT_RTPRIO)[1]
    if _capable(23):  # CAP_SYS_NICE
        return Finding(what, "ok", "permitted (CAP_SYS_NICE)")
    if limit == resource.RLIM_INFINITY or limit >= wanted:
        return Finding(what, "ok", f"permitted up to {limit} (rtprio limit)")
    return Finding(
        what, "bad", f"not permitted: the rtprio limit is {limit}, needed {wanted}",
        "copy configs/system/limits.conf to /etc/security/limits.d/ and log in again, or use the systemd unit",
    )  # fmt: skip


def locked_memory() -> Finding:
    what, limit = "locked memory", resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    if _capable(14):  # CAP_IPC_LOCK
        return Finding(what, "ok", "permitted (CAP_IPC_LOCK)")
    if limit == resource.RLIM_INFINITY or limit >= 1 << 30:
        return Finding(what, "ok", "permitted (memlock limit)")
    return Finding(
        what, "bad", f"limited to {limit >> 10} KiB, needed about 1 GiB",
        "copy configs/system/limits.conf to /etc/security/limits.d/ and log in again, or use the systemd unit",
    )  # fmt: skip


def throttling(proc: Path) -> Finding:
    what = "real-time throttling"
    runtime, period = (_number(proc / f"sys/kernel/sched_rt_{name}_us", 0) for name in ("runtime", "period"))
    if runtime < 0 or period <= 0:
        return Finding(what, "ok", "off")
    return Finding(what, "ok", f"at {100 * runtime / period:.0f} % of a core: the loop uses far less")


def kernel_flavour(proc: Path, sys: Path) -> Finding:
    what, version = "kernel", _text(proc / "version")
    name = version.split()[2] if len(version.split()) > 2 else "unknown"
    if _text(sys / "kernel/realtime") == "1" or "PREEMPT_RT" in version:
        return Finding(what, "ok", f"{name}, fully preemptible (PREEMPT_RT)")
    if "PREEMPT_DYNAMIC" in version and "preempt=full" not in _text(proc / "cmdline"):
        return Finding(
            what, "weak", f"{name}: other programs' system calls may hold up a tick by a millisecond",
            "boot with preempt=full, or install a PREEMPT_RT kernel (Debian: linux-image-rt-amd64)",
        )  # fmt: skip
    return Finding(
        what, "weak", f"{name}, not fully preemptible: single ticks may be late by a millisecond",
        "install a PREEMPT_RT kernel (Debian: linux-image-rt-amd64)",
    )  # fmt: skip


def governor(sys: Path) -> Finding:
    what, folder = "processor frequency", sys / "devices/system/cpu"
    found = {_text(path) for path in folder.glob("cpu*/cpufreq/scaling_governor")}
    if not found:
        return Finding(what, "ok", "not scaled here")
    if found == {"performance"}:
        return Finding(what, "ok", "governor performance")
    return Finding(
        what, "weak", f"governor {', '.join(sorted(found))}: the core sleeps between ticks and wakes slowly",
        "cpupower frequency-set -g performance",
    )  # fmt: skip


def sleep_states(dev: Path) -> Finding:
    what, path = "sleeping cores", dev / "cpu_dma_latency"
    if os.access(path, os.W_OK):
        return Finding(what, "ok", "kept awake while the daemon runs")
    return Finding(
        what, "weak", f"{path} may not be opened: a core that sleeps deeply wakes up to 0.1 ms later",
        "copy configs/system/60-hapticd.rules to /etc/udev/rules.d/ and join the group hapticd",
    )  # fmt: skip


def isolation(sys: Path) -> Finding:
    what, cores = "core isolation", _text(sys / "devices/system/cpu/isolated")
    if cores:
        return Finding(what, "ok", f"cores {cores} are isolated; set loop.cpu to one of them")
    return Finding(
        what, "weak", "no core is kept free of other work",
        "boot with isolcpus=N nohz_full=N rcu_nocbs=N for one core N and set loop.cpu = N",
    )  # fmt: skip


def serial_workers(sys: Path) -> Finding:
    """The bytes of a serial line pass through a worker of the kernel, an ordinary process on any core of this mask."""
    what, path = "serial lines", sys / "devices/virtual/workqueue/cpumask"
    cores = bin(int(_text(path).replace(",", "") or "0", 16)).count("1")
    if cores <= 1:
        return Finding(what, "ok", "the kernel's workers have a core of their own, or do not say")
    last = 1 << ((os.cpu_count() or 1) - 1)
    return Finding(
        what, "weak", f"bytes of serial devices pass through kernel workers on any of {cores} cores, behind other work",
        f"for serial devices, the servo's core: echo {last:x} > {path} (lost samples, emulated SPIDAR: 2 % to 0.1 %)",
    )  # fmt: skip


def hypervisor(proc: Path) -> Finding:
    what = "machine"
    if " hypervisor" not in _text(proc / "cpuinfo"):
        return Finding(what, "ok", "no hypervisor")
    return Finding(
        what, "weak", "a virtual machine: its host may take the core away for milliseconds",
        "use it for development; hold a device on real hardware",
    )  # fmt: skip


def latency_timers(sys: Path) -> Iterator[Finding]:
    for path in sorted((sys / "bus/usb-serial/devices").glob("*/latency_timer")):
        value, what = _number(path, 16), f"FTDI latency timer of {path.parent.name}"
        if value <= 1:
            yield Finding(what, "ok", "1 ms")
        else:
            yield Finding(
                what, "bad", f"{value} ms: every sample would be that late",
                f"copy configs/system/60-hapticd.rules to /etc/udev/rules.d/, or: echo 1 > {path}",
            )  # fmt: skip


def device_nodes(dev: Path) -> Iterator[Finding]:
    for pattern, group in (("ttyUSB*", "dialout"), ("ttyACM*", "dialout"), ("hidraw*", "input")):
        for path in sorted(dev.glob(pattern)):
            if os.access(path, os.R_OK | os.W_OK):
                yield Finding(str(path), "ok", "may be opened")
            else:
                yield Finding(
                    str(path), "bad", "may not be opened by this user",
                    f"copy configs/system/60-hapticd.rules to /etc/udev/rules.d/ and join the group {group}",
                )  # fmt: skip


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _number(path: Path, otherwise: int) -> int:
    try:
        return int(_text(path))
    except ValueError:
        return otherwise
