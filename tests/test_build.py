"""What identifies a build: everything that decides about bits, and the processor that was asked for."""

import os
import subprocess
import sys

from hapticd.build import build, kernel_hash

ASK = "from hapticd.build import build; print(build()['cpu_target'])"


def test_build_names_what_decides_about_bits():
    found = build()
    assert {"hapticd", "kernel", "numba", "llvmlite", "cpu_target", "libc"} <= set(found)
    assert all(isinstance(value, str) and value for value in found.values())
    assert len(kernel_hash()) == 16


def test_cpu_target_is_the_one_that_numba_was_told():
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic"}
    told = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "generic"
