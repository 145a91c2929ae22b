"""README.md promises nothing that does not run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hapticd.cli import COMMANDS
from hapticd.config import RunConfig
from hapticd.schema import read_text

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
RUN_CONFIG = next(block for block in re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL) if "[mount]" in block)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_run(program: str, tmp_path: Path) -> None:
    (tmp_path / "configs").symlink_to(ROOT / "configs")  # as in a clone, but what a program writes stays here
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)


def test_the_commands_exist() -> None:
    listed = set(re.findall(r"^hapticd ([a-z]+)\b.*  ", TEXT, re.MULTILINE))
    assert listed and listed <= set(COMMANDS)


def test_the_files_exist() -> None:
    for name in re.findall(r"`((?:hapticd|drivers|configs|tests|tools|\.ci)/[\w./]*)`", TEXT):
        assert "NAME" in name or (ROOT / name).exists(), name  # NAME: a file that the reader writes


def test_the_config_is_one() -> None:
    inside = "\n".join(line for line in RUN_CONFIG.splitlines() if not line.startswith(("include", "device")))
    config = read_text(RunConfig, '[device]\ndriver = "spidar"\n' + inside)
    assert config.mount.motion_scale == 2.0 and config.safety.force == 4.0
