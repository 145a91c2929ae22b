"""The tree checker finds what is planted in a copy of the tree, and nothing in the tree itself."""

import functools
import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("hapticd", "drivers", "configs", "tests", "tools", "pyproject.toml", "README.md", "LICENSE", ".gitignore")


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_tree", ROOT / "tools/check_tree.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy to plant breaches in; each test takes its own out again."""
    root = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / part, root / part)
    return root


def append(text: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        path.write_text((path.read_text() if path.exists() else "") + text)

    return edit


@functools.cache
def untouched(rule: str, tree: Path, checker: ModuleType) -> list[str]:
    return list(getattr(checker, rule)(tree))


KERNEL = "hapticd/kernel/polynomial.py"
PLANTS = [
    # rule, file, what is done to it, what the message must say
    ("top_level_is_the_card", "notes.txt", append("x"), "notes.txt: not on the card"),
    ("modules_have_docstrings", "hapticd/fresh.py", append("x = 1\n"), "fresh.py:1: no module docstring"),
    ("files_and_functions_are_short", "hapticd/log.py", append("\n" * 400), "allowed are 400"),
    ("files_and_functions_are_short", KERNEL, append("\n" * 300), "allowed are 300"),
    ("files_and_functions_are_short", "hapticd/log.py", append("def f():\n" + "    x = 1\n" * 61), "f has 61 lines"),
    ("kernel_is_pure", KERNEL, append("import os\n"), "imports os"),
    ("kernel_is_pure", KERNEL, append("from hapticd.errors import ConfigError\n"), "imports hapticd.errors"),
    ("kernel_is_pure", KERNEL, append("def bare(x):\n    return x\n"), "bare lacks @kernel"),
    ("kernel_is_pure", KERNEL, append("class Box:\n    pass\n"), "classes are in layout.py"),
    ("kernel_functions_are_pure", KERNEL, append("@kernel\ndef f(x):\n    return [x]\n"), "a list in the kernel f"),
    ("kernel_functions_are_pure", KERNEL, append("@kernel\ndef f(x):\n    return {x: 1}\n"), "a dict in the kernel f"),
    ("kernel_functions_are_pure", KERNEL, append("@kernel\ndef f(x):\n    return f'{x}'\n"), "a string in the kernel"),
    ("kernel_functions_are_pure", KERNEL, append("@kernel\ndef f(x):\n    raise OSError\n"), "raise in the kernel f"),
    ("kernel_functions_are_pure", KERNEL, append("@kernel_inline\ndef f(x):\n    print(x)\n"), "print in the kernel"),
    ("kernel_functions_are_pure", KERNEL, append("@kernel\ndef f(x):\n    return math.sin(x)\n"), "math.sin"),
    ("kernel_functions_are_pure", "drivers/small_matrix.py", append("@kernel\ndef f(x):\n    return []\n"), "a list"),
    ("libraries_stay_at_home", "hapticd/log.py", append("import msgpack\n"), "belongs to hapticd/wire.py"),
    ("libraries_stay_at_home", "hapticd/log.py", append("def f():\n    import zmq.auth\n"), "imports zmq.auth"),
    ("imports_follow_the_arrows", "hapticd/log.py", append("import hapticd.cli\n"), "imports hapticd.cli"),
    ("imports_follow_the_arrows", "hapticd/errors.py", append("import hapticd.log\n"), "imports hapticd.log"),
    ("imports_follow_the_arrows", "drivers/small_matrix.py", append("import hapticd.servo\n"), "a driver knows"),
    ("every_source_has_its_test", "hapticd/fresh.py", append("def f(): ...\n"), "write tests/test_fresh.py"),
    ("every_source_has_its_test", "drivers/fresh.py", append("def f(): ...\n"), "write tests/drivers/test_fresh.py"),
    ("every_source_has_its_test", "tests/test_log.py", Path.unlink, "write tests/test_log.py"),
    ("packages_are_listed", "hapticd/fresh/a.py", append("x = 1\n"), "packages lacks 'hapticd.fresh'"),
    ("tests_are_no_packages", "tests/kernel/__init__.py", append(""), "tests/ is no package"),
    ("configs_load", "configs/bad.toml", append("[lop]\n"), "configs/bad.toml"),
]


@pytest.mark.parametrize(("rule", "file", "edit", "message"), PLANTS, ids=[plant[3] for plant in PLANTS])
def test_a_planted_breach_is_found(
    rule: str, file: str, edit: Callable[[Path], None], message: str, tree: Path, checker: ModuleType
) -> None:
    path, check = tree / file, getattr(checker, rule)
    kept = path.read_text() if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    edit(path)
    found = list(check(tree))
    path.unlink(missing_ok=True)
    if kept is not None:
        path.write_text(kept)
    assert any(message in breach for breach in found), found
    assert not any(message in breach for breach in untouched(rule, tree, checker))


def test_every_rule_has_a_plant(checker: ModuleType) -> None:
    planted = {rule for rule, *_ in PLANTS} | {"models_are_selectable"}
    assert {rule.__name__ for rule in checker.RULES} == planted


def test_selection_and_model_files_agree(tmp_path: Path, checker: ModuleType) -> None:
    force = tmp_path / "hapticd/kernel/force"
    (force / "solver").mkdir(parents=True)
    (force / "friction").mkdir()
    (force / "select.py").write_text('SOLVERS = ("spring",)\nFRICTIONS = ("none", "lost")\n')
    (force / "solver/spring.py").write_text("def solve(): ...\n")
    (force / "solver/forgotten.py").write_text("def solve(): ...\n")
    (force / "friction/part.py").write_text("def helper(): ...\n")
    breaches = list(checker.models_are_selectable(tmp_path))
    assert len(breaches) == 2
    assert "SOLVERS lacks 'forgotten'" in breaches[0] and "FRICTIONS has 'lost'" in breaches[1]
