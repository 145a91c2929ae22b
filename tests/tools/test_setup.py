"""The set-up that the scripts share: when it installs, which Python it takes, what it does about system packages."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project of two lines with our set-up, and a folder of commands that goes before the system's."""
    root = tmp_path / "clone"
    (root / "tools").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "commands").mkdir()
    shutil.copy(TOOLS / "setup", root / "tools/setup")
    (root / "pyproject.toml").write_text("[project]\n")
    return root


def bash(clone: Path, script: str, path: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    search = path or f"{clone}/commands:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", f". {clone}/tools/setup\n{script}"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, env=os.environ | {"PATH": search} | environment,
    )  # fmt: skip


def command(clone: Path, name: str, script: str) -> None:
    path = clone / "commands" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def fake_install(clone: Path) -> str:
    """`prepare test` with the installation replaced by a note that it happened."""
    return f'make_venv() {{ mkdir -p "$venv/bin"; ln -sf /bin/true "$python"; }}\n' \
           f'install_packages() {{ echo "$@" >>{clone}/installed; }}\nprepare test'  # fmt: skip


def installs(clone: Path) -> int:
    return len((clone / "installed").read_text().splitlines())


def test_installs_once_and_again_when_pyproject_changes_or_the_clone_moves(clone: Path) -> None:
    for _ in range(2):
        assert bash(clone, fake_install(clone)).returncode == 0
    assert installs(clone) == 1
    (clone / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    bash(clone, fake_install(clone))
    assert installs(clone) == 2
    moved = clone.rename(clone.with_name("moved"))
    bash(moved, fake_install(moved))
    assert installs(moved) == 3


def test_a_failed_installation_shows_its_words_and_does_not_count(clone: Path) -> None:
    broken = fake_install(clone).replace(
        "prepare test", "install_packages() { echo no such wheel; exit 7; }\nprepare test"
    )
    done = bash(clone, broken)
    assert done.returncode != 0
    assert "no such wheel" in done.stderr and "failed with status 7" in done.stderr
    bash(clone, fake_install(clone))
    assert installs(clone) == 1


def test_noise_of_the_installer_is_hidden_and_the_log_is_removed(clone: Path) -> None:
    noisy = fake_install(clone).replace("prepare test", "install_packages() { echo chatter; }\nprepare test")
    done = bash(clone, noisy)
    assert "chatter" not in done.stdout + done.stderr
    assert "setup: python packages for 'test', done in" in done.stderr
    assert not (clone / ".venv.log").exists()


def test_the_first_python_that_is_new_enough_is_taken(clone: Path) -> None:
    command(clone, "python3", "exit 1")  # what an old Python answers to the question about its version
    command(clone, "python3.14", "exit 127")
    command(clone, "python3.13", "exit 0")
    assert bash(clone, "find_python").stdout == "python3.13\n"
    assert bash(clone, "find_python", PYTHON=f"{clone}/commands/python3.13").stdout.startswith(f"{clone}/commands")
    assert bash(clone, "find_python", PYTHON="python3").returncode == 1


REPORT = (
    'SYSTEM_TABLE="probe_mark | nosuchtool | tool-package extra-package"; system_packages; echo "${missing_markers[*]}"'
)


def marked(clone: Path) -> None:
    (clone / "tests/test_it.py").write_text("@pytest.mark.probe_mark\ndef test(): ...\n")


def test_a_system_package_that_no_test_needs_is_left_alone(clone: Path) -> None:
    command(clone, "apt-get", f"echo called >>{clone}/apt")
    done = bash(clone, REPORT)
    assert done.stdout.strip() == "" and not (clone / "apt").exists()


def test_a_missing_system_package_is_installed_if_that_is_allowed(clone: Path) -> None:
    marked(clone)
    command(clone, "sudo", 'shift; exec "$@"')
    installed = clone / "commands/nosuchtool"
    command(
        clone,
        "apt-get",
        f'case "$*" in *"tool-package extra-package"*) ln -s /bin/true {installed} ;; *) exit 1 ;; esac',
    )
    done = bash(clone, REPORT)
    assert done.stdout.strip() == "" and installed.exists()


def test_else_one_line_says_what_is_left_out_and_how_to_get_it(clone: Path) -> None:
    marked(clone)
    command(clone, "apt-get", "exit 100")
    command(clone, "sudo", "exit 1")
    done = bash(clone, REPORT)
    assert done.stdout.strip() == "probe_mark"
    (line,) = [line for line in done.stderr.splitlines() if "left out" in line]
    assert "nosuchtool" in line and "apt-get install tool-package extra-package" in line
