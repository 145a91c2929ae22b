"""`hapticd warmup` compiles what the commands and the Python face use: after it, nothing is left.

In the cache of the whole test run: what is compiled here, other tests need anyway, and all of it anew takes minutes.
"""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hapticd.kernel._jit import cache_root

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}

# What a person does first; each is a process of its own, as it is for them.
FIRST_USES = {
    "servo": """
        from pathlib import Path
        from hapticd.config import load_config
        from hapticd.daemon import Daemon, Options
        from hapticd.inspection import config_folder
        Daemon(load_config(config_folder() / "demo.toml"), Options(folder=Path(sys.argv[1]))).warm_up()
    """,
    "simulation": """
        import hapticd
        from hapticd.inspection import config_folder
        sim = hapticd.Simulation(hapticd.load_scene(config_folder() / "scene/six_blocks.toml"))
        sim.step(3)
        sim.contacts()
    """,
    "contact": """
        import hapticd
        box, turn = hapticd.ConvexShape.box((1, 1, 1)), (0, 0, 0, 1)
        assert hapticd.contact(box, ((0, 0, 0.9), turn), box, ((0, 0, 0), turn)) is not None
    """,
    "friction": """
        import hapticd
        hapticd.friction.Kikuuwe(K=1.0, F=1.0, T=1e-3).step(0.1)
    """,
}


@pytest.fixture(scope="module")
def report() -> dict[str, object]:
    done = subprocess.run(
        [Path(sys.executable).with_name("hapticd"), "warmup", "--json"],
        capture_output=True, text=True, check=True, env=ENVIRONMENT,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def test_says_what_it_did_and_where_that_is_kept(report: dict[str, object]) -> None:
    assert report["cache"] == str(cache_root())
    assert isinstance(report["compiled"], int)


@pytest.mark.parametrize("use", FIRST_USES)
def test_nothing_is_left_to_compile_for(use: str, report: dict[str, object], tmp_path: Path) -> None:
    body = textwrap.indent(textwrap.dedent(FIRST_USES[use]), "    ")
    program = f"import sys\nfrom hapticd.warmup import shown\nwith shown():\n{body}"
    command = [sys.executable, "-c", program, tmp_path / "run"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    assert "compiling" not in done.stderr
