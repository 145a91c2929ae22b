"""`hapticd warmup`, twice: the second finds everything compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_the_second_call_compiles_nothing(tmp_path: Path) -> None:
    plain = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    reports = []
    for _ in range(2):
        done = subprocess.run(
            [Path(sys.executable).with_name("hapticd"), "warmup", "--json"],
            capture_output=True, text=True, check=True, env=plain | {"HAPTICD_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        reports.append(json.loads(done.stdout))
    assert reports[0]["compiled"] > 0 and reports[1]["compiled"] == 0
    assert reports[0]["cache"] == str(tmp_path)
