"""Which build this is: what must be equal for two runs to give the same bits; it is written into every log."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
from pathlib import Path

from hapticd import __version__

PACKAGES = ("numba", "llvmlite", "numpy", "scipy")


@functools.cache
def build() -> dict[str, str]:
    """Versions, the hash of the kernels' sources, and the processor that they are compiled for."""
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "hapticd": __version__,
        "kernel": kernel_hash(),
        "python": platform.python_version(),
        **found,
        "cpu_target": cpu_target(),
        "libc": " ".join(platform.libc_ver()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def kernel_hash() -> str:
    """Of all kernel sources and of our drivers': equal hashes mean the same program."""
    package = Path(__file__).resolve().parent
    folders = [package / "kernel", _drivers(package)]
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cpu_target() -> str:
    """The processor that numba compiles for: NUMBA_CPU_NAME, or this machine's."""
    import llvmlite.binding
    from numba.core import config

    return str(getattr(config, "CPU_NAME", None) or llvmlite.binding.get_host_cpu_name())


def _drivers(package: Path) -> Path:
    """Beside the package in a source tree, inside it when installed."""
    inside = package / "drivers"
    return inside if inside.is_dir() else package.parent / "drivers"
