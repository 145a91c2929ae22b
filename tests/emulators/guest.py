"""A small virtual machine with Debian's stock kernel, for devices that only a real kernel can have (uhid, hidraw).

Kernel and busybox are fetched as Debian packages and unpacked into a folder of their own; nothing is installed. The
guest has no disk: an initramfs of busybox and a few modules mounts the host's root read-only by 9p, changes into it and
runs one Python command of the environment that the tests run in. The processor is emulated: slow, but everywhere.
"""

import gzip
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hapticd-test-guest"
MODULES = [
    "virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "9pnet", "9pnet_virtio",
    "netfs", "fscache", "9p", "evdev", "hid", "hid-generic", "uhid",
]  # fmt: skip
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in {modules}; do insmod /lib/$module.ko || echo "guest: no module $module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose host /host || echo "guest: no host"
for folder in dev proc sys; do mount --bind /$folder /host/$folder; done
mount -t tmpfs run /host/run
echo "guest: ready"
chroot /host /bin/sh -c {command}
echo "guest: ended with $?"
poweroff -f
"""


def fetch():
    """Unpacked kernel and busybox; downloaded the first time."""
    kernels = sorted(FOLDER.glob("root/boot/vmlinuz-*"))
    if kernels and (FOLDER / "root/bin/busybox").is_file():
        return kernels[-1]
    (FOLDER / "root").mkdir(parents=True, exist_ok=True)
    depends = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=True)
    image = next(line.split()[1] for line in depends.stdout.splitlines() if "Depends: linux-image" in line)
    subprocess.run(["apt-get", "download", image, "busybox-static"], cwd=FOLDER, check=True, capture_output=True)
    for package in FOLDER.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(FOLDER / "root")], check=True)
        package.unlink()
    return sorted(FOLDER.glob("root/boot/vmlinuz-*"))[-1]


def initramfs(version, command):
    """The first file system, gzipped."""
    text = INIT.format(modules=" ".join(MODULES), command=shlex.quote(command))
    files = {"init": text.encode(), "bin/busybox": (FOLDER / "root/bin/busybox").read_bytes()}
    for module in MODULES:
        found = next((FOLDER / "root/lib/modules" / version).rglob(f"{module}.ko"), None)
        if found is not None:  # built into some kernels
            files[f"lib/{module}.ko"] = found.read_bytes()
    folders = ["bin", "lib", "proc", "sys", "dev", "host"]
    entries = [(name, 0o040755, b"") for name in folders] + [(n, 0o100755, data) for n, data in files.items()]
    return gzip.compress(b"".join(cpio(*entry) for entry in entries) + cpio("TRAILER!!!", 0, b""), 1)


def cpio(name, mode, data):
    """One entry of a "newc" archive."""
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return pad(head) + pad(data)


def pad(data):
    return data + bytes(-len(data) % 4)


def run_in_guest(module, folder, seconds=240):
    """`python -m module` in the guest; what the console showed."""
    kernel = fetch()
    python = f"cd {shlex.quote(str(ROOT))} && HOME=/run TMPDIR=/run NUMBA_DISABLE_JIT=1 PYTHONDONTWRITEBYTECODE=1 "
    command = python + f"{shlex.quote(sys.executable)} -m {module}"
    image = Path(folder) / "initramfs.gz"
    image.write_bytes(initramfs(kernel.name.removeprefix("vmlinuz-"), command))
    machine = "-nodefaults -no-user-config -display none -serial stdio -no-reboot -m 1024 -accel tcg -smp 1"
    done = subprocess.run(
        [
            "qemu-system-x86_64", *machine.split(), "-cpu", "Nehalem",  # the oldest that numpy's wheels run on
            "-kernel", str(kernel), "-initrd", str(image), "-append", "console=ttyS0 quiet panic=-1 mitigations=off",
            "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on",
        ],
        capture_output=True, text=True, errors="replace", timeout=seconds, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.stdout
