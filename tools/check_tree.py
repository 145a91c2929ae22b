"""Checks the rules of the source tree that no linter knows; prints each breach with its remedy and exits with 1.

python tools/check_tree.py [FOLDER]

A rule is a function that yields breaches for a tree; to add one, write it and put it into RULES.
"""

import ast
import fnmatch
import functools
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

CARD = {"pyproject.toml", "README.md", "LICENSE", "hapticd", "drivers", "configs", "tests", "tools"}
LINES_SHELL, LINES_KERNEL = 400, 300
BODY_SHELL, BODY_KERNEL = 60, 80  # lines of one function

KERNEL_IMPORTS = ("numpy", "math", "typing", "numba", "hapticd.kernel")
KERNEL_DECORATORS = {"kernel", "kernel_inline"}
EXACT_MATH = {"sqrt", "floor", "ceil", "fabs", "copysign", "isnan", "isinf", "isfinite", "inf", "nan", "pi"}
IMPURE = {
    ast.Dict: "a dict", ast.List: "a list", ast.Set: "a set", ast.ListComp: "a list", ast.DictComp: "a dict",
    ast.SetComp: "a set", ast.GeneratorExp: "a generator", ast.JoinedStr: "a string", ast.Try: "try", ast.With: "with",
    ast.Raise: "raise", ast.Assert: "assert", ast.Lambda: "lambda", ast.ClassDef: "a class", ast.Yield: "yield",
    ast.FunctionDef: "a function in a function", ast.Global: "global",
}  # fmt: skip

# Libraries that belong to one place, so that a change of theirs stays there: library -> files that may import it.
HOMES = {
    "msgpack": ("hapticd/wire.py",),
    "zmq": (
        "hapticd/publisher.py",
        "hapticd/commands.py",
        "hapticd/peers.py",
        "hapticd/client.py",
        "hapticd/keys.py",
        "hapticd/sockets.py",
    ),
    "serial": ("drivers/*link*.py",),
    "hid": ("drivers/*link*.py",),
    "hidraw": ("drivers/*link*.py",),
}

# Who must not import whom: files -> modules, reason.
ARROWS = (
    ("hapticd/*", ("tests", "tools"), "the package runs without its tests and tools"),
    ("drivers/*", ("hapticd.cli", "hapticd.command", "hapticd.daemon", "hapticd.servo", "hapticd.scene"),
     "a driver knows the device contract and the kernel only"),
    ("hapticd/errors.py", ("hapticd",), "everything imports the errors"),
    ("hapticd/scene/*", ("hapticd.cli", "hapticd.command", "hapticd.daemon", "hapticd.servo", "hapticd.device"),
     "a scene knows nothing of processes and devices"),
    ("hapticd/[!c]*.py", ("hapticd.cli", "hapticd.command"), "commands call the rest, never the reverse"),
    ("hapticd/servo.py", ("logging", "hapticd.daemon", "hapticd.scene"), "the loop must not wait, log or build"),
    ("hapticd/clock.py", ("logging", "hapticd.daemon", "hapticd.servo"), "the clock runs inside the loop"),
    ("hapticd/ring.py", ("logging", "hapticd.daemon", "hapticd.servo"), "the ring is written inside the loop"),
)  # fmt: skip

# Files without a test of their own name: what tests them instead, or why nothing has to.
TESTED_ELSEWHERE = {
    "hapticd/servo.py": "tests/test_daemon.py",
    "hapticd/command/run.py": "tests/test_daemon.py",
    "hapticd/kernel/guard/gain.py": "tests/kernel/guard/test_mode.py",
    "hapticd/kernel/guard/events.py": "tests/kernel/guard/test_mode.py",
    "drivers/virtual_frame.py": "tests/drivers/test_virtual.py",
    "drivers/virtual_hand.py": "tests/drivers/test_virtual.py",
    "hapticd/experiment/cube_drop.py": "tests/papers/test_hasegawa.py",
    "hapticd/experiment/face_friction.py": "tests/papers/test_hasegawa.py",
    "hapticd/experiment/hysteresis.py": "tests/papers/test_kikuuwe.py",
    "hapticd/experiment/joystick.py": "tests/papers/test_kikuuwe.py",
    "hapticd/experiment/manipulation.py": "tests/papers/test_hasegawa.py",
    "hapticd/experiment/scene.py": "tests/papers/test_hasegawa.py",
    "hapticd/experiment/sliding.py": "tests/papers/test_kuroda.py",
    "hapticd/experiment/spinning_top.py": "tests/papers/test_hasegawa.py",
    "hapticd/experiment/static_friction.py": "tests/papers/test_kuroda.py",
    "hapticd/experiment/tower.py": "tests/papers/test_hasegawa.py",
    "hapticd/scenes.py": "tests/test_commands.py",
    "hapticd/state.py": "tests/test_client.py",
    "hapticd/rule.py": "tests/test_schema.py",
    "hapticd/channel.py": "tests/test_cdr.py",
    "hapticd/logsink.py": "tests/test_recorder.py",
    "hapticd/recording.py": "tests/command/test_record.py",
    "hapticd/driverrun.py": "tests/test_replay.py",
    "hapticd/command/hil.py": "tests/test_hil.py",
    "hapticd/rerun.py": "tests/test_replay.py",
    "hapticd/kernel/replay.py": "tests/test_replay.py",
    "hapticd/slotrecord.py": "tests/test_recorder.py",
    "hapticd/device.py": "tests/drivers/test_plugin.py",
    "hapticd/kernel/contact/measure.py": "tests/kernel/contact/test_pair.py",
    "hapticd/kernel/force/friction/impedance.py": "tests/test_friction.py",
    "hapticd/kernel/force/friction/maxwell.py": "tests/test_friction.py",
    "hapticd/kernel/force/friction/admittance.py": "tests/test_friction.py",
}


def top_level_is_the_card(root: Path) -> Iterator[str]:
    ignored = [line.strip("/ ") for line in (root / ".gitignore").read_text().splitlines()]
    for path in sorted(root.iterdir()):
        known = path.name in CARD or path.name.startswith(".") or any(fnmatch.fnmatch(path.name, i) for i in ignored)
        if not known:
            yield f"{path.name}: not on the card; allowed at the top are {', '.join(sorted(CARD))}; move it into one"


def modules_have_docstrings(root: Path) -> Iterator[str]:
    for path in [*sources(root), *(root / "tools").glob("*.py")]:
        if not ast.get_docstring(parsed(path)):
            yield f"{name(root, path)}:1: no module docstring; say what it is and where in the data path"


def files_and_functions_are_short(root: Path) -> Iterator[str]:
    for path in sources(root):
        kernel = in_kernel(root, path)
        count, limit = len(path.read_text().splitlines()), LINES_KERNEL if kernel else LINES_SHELL
        if count > limit:
            yield f"{name(root, path)}: {count} lines, allowed are {limit}; split it by idea"
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length, limit = body_lines(node), BODY_KERNEL if is_kernel(node) else BODY_SHELL
                if length > limit:
                    yield f"{name(root, path)}:{node.lineno}: {node.name} has {length} lines, allowed are {limit}"


def kernel_is_pure(root: Path) -> Iterator[str]:
    for path in (root / "hapticd/kernel").rglob("*.py"):
        if path.name == "_jit.py":
            continue
        for line, module in imports(path):
            if not within(module, KERNEL_IMPORTS):
                yield f"{name(root, path)}:{line}: imports {module}; allowed are {', '.join(KERNEL_IMPORTS)}"
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef) and not is_kernel(node):
                yield f"{name(root, path)}:{node.lineno}: {node.name} lacks @kernel or @kernel_inline"
            if isinstance(node, ast.ClassDef) and path.name != "layout.py":
                yield f"{name(root, path)}:{node.lineno}: class {node.name}; classes are in layout.py only"


def kernel_functions_are_pure(root: Path) -> Iterator[str]:
    for path in sources(root):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and is_kernel(node):
                for line, what in impurities(node):
                    yield f"{name(root, path)}:{line}: {what} in the kernel {node.name}; numbers and arrays only"


def impurities(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """What does not belong into a tick; the docstring and the decorators do."""
    statements = function.body[1:] if ast.get_docstring(function) else function.body
    for node in (inner for statement in statements for inner in ast.walk(statement)):
        if type(node) in IMPURE:
            yield node.lineno, IMPURE[type(node)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, "a string"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math":
            if node.attr not in EXACT_MATH:
                yield node.lineno, f"math.{node.attr} (bits differ between CPUs; see kernel/polynomial.py)"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield node.lineno, "print"


def libraries_stay_at_home(root: Path) -> Iterator[str]:
    for path in sources(root):
        for line, module in imports(path):
            homes = HOMES.get(module.partition(".")[0])
            if homes and not any(fnmatch.fnmatch(name(root, path), home) for home in homes):
                yield f"{name(root, path)}:{line}: imports {module}; that belongs to {', '.join(homes)}"


def imports_follow_the_arrows(root: Path) -> Iterator[str]:
    for path in sources(root):
        for line, module in imports(path):
            for files, banned, reason in ARROWS:
                if fnmatch.fnmatch(name(root, path), files) and within(module, banned):
                    yield f"{name(root, path)}:{line}: imports {module}; {reason}"


def every_source_has_its_test(root: Path) -> Iterator[str]:
    for path in sources(root):
        if path.name == "__init__.py" or not has_logic(path):
            continue
        inside = root / "hapticd" if path.is_relative_to(root / "hapticd") else root
        relative = path.relative_to(inside)
        mirror = root / "tests" / relative.parent / f"test_{path.name}"
        other = TESTED_ELSEWHERE.get(name(root, path))
        if not mirror.exists() and not (other and (root / other).exists()):
            yield f"{name(root, path)}: no test; write {name(root, mirror)}"


def models_are_selectable(root: Path) -> Iterator[str]:
    """A solver or friction model is a file with `solve` or `friction`; select.py names exactly those."""
    select = root / "hapticd/kernel/force/select.py"
    if not select.exists():
        return
    for folder, entry, table in (("solver", "solve", "SOLVERS"), ("friction", "friction", "FRICTIONS")):
        files = (root / "hapticd/kernel/force" / folder).glob("*.py")
        have = {path.stem for path in files if entry in {node.name for node in functions(path)}}
        rows = set(table_names(select, table)) - {"none"}
        yield from (f"{name(root, select)}: {table} lacks {model!r}; add its row" for model in sorted(have - rows))
        yield from (f"{name(root, select)}: {table} has {model!r}, but force/{folder}/{model}.py has no `{entry}`"
                    for model in sorted(rows - have))  # fmt: skip


def packages_are_listed(root: Path) -> Iterator[str]:
    """Every folder with code is in the wheel."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    listed = set(project["tool"]["setuptools"]["packages"]) - {"hapticd.drivers", "hapticd.configs"}
    have = {".".join(path.parent.relative_to(root).parts) for path in (root / "hapticd").rglob("*.py")}
    for package in sorted(have - listed):
        yield f"pyproject.toml: packages lacks {package!r}; an installed hapticd would be without it"
    for package in sorted(listed - have):
        yield f"pyproject.toml: packages has {package!r}, which has no code"


def tests_are_no_packages(root: Path) -> Iterator[str]:
    for folder in ("tests", "tools", "configs"):
        for path in (root / folder).rglob("__init__.py"):
            yield f"{name(root, path)}: {folder}/ is no package; remove it"


def configs_load(root: Path) -> Iterator[str]:
    from hapticd.inspection import inspect

    for path in sorted((root / "configs").rglob("*.toml")):
        yield from (str(problem) for problem in inspect(path)[1])


RULES = (
    top_level_is_the_card,
    modules_have_docstrings,
    files_and_functions_are_short,
    kernel_is_pure,
    kernel_functions_are_pure,
    libraries_stay_at_home,
    imports_follow_the_arrows,
    every_source_has_its_test,
    models_are_selectable,
    packages_are_listed,
    tests_are_no_packages,
    configs_load,
)


def sources(root: Path) -> list[Path]:
    return sorted([*(root / "hapticd").rglob("*.py"), *(root / "drivers").rglob("*.py")])


def name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def parsed(path: Path) -> ast.Module:
    return syntax(path.read_text())


@functools.cache  # every rule reads every file
def syntax(text: str) -> ast.Module:
    return ast.parse(text)


def in_kernel(root: Path, path: Path) -> bool:
    return path.is_relative_to(root / "hapticd/kernel")


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in parsed(path).body if isinstance(node, ast.FunctionDef)]


def is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id in KERNEL_DECORATORS for mark in node.decorator_list)


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines below the docstring."""
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    return (node.end_lineno or first.lineno) - first.lineno + 1


def has_logic(path: Path) -> bool:
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(parsed(path)))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of all imported modules, also those inside functions."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def table_names(path: Path, table: str) -> list[str]:
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == table for t in node.targets):
            return list(ast.literal_eval(node.value))
    return []


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    breaches = [breach for rule in RULES for breach in rule(root)]
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
