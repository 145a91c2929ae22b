"""Built-in drivers are found by entry point, also where the working directory has a drivers/ package of its own."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

LOAD_ALL = """
import sys
assert sys.path[0] == ""  # the lab's folder comes first, as in an interactive session
from importlib.metadata import entry_points
for point in entry_points(group="hapticd.drivers"):
    if point.value.startswith("hapticd."):
        print(point.name, point.load().__module__)
import hapticd.drivers
print("package", hapticd.drivers.__name__)
"""


def test_a_foreign_drivers_folder_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers/__init__.py").write_text("raise ImportError('the drivers of the lab')\n")
    done = subprocess.run([sys.executable, "-c", LOAD_ALL], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = dict(line.split() for line in done.stdout.splitlines())
    ours = {point.name for point in entry_points(group="hapticd.drivers") if point.value.startswith("hapticd.")}
    assert loaded.pop("package") == "hapticd.drivers"
    assert loaded.keys() == ours
    assert all(module.startswith("hapticd.drivers.") for module in loaded.values())
