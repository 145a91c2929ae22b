"""Everything: all tables, JSON and plots in out/bench/, in under fifteen minutes on two cores."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from benchmark import OUT, Report, console

HERE = Path(__file__).resolve().parent
BUDGET = 900.0  # s
# In the order of interest; what a benchmark is told so that all of them fit in the time.
PLAN = {
    "kernel": "",
    "step": "",
    "quality": "",
    "agree": "",
    "start": "",
    "growth": "",
    "loop": "--seconds 5 --loaded 3",
    "stream": "--seconds 3 --pairs 3",
    "replay": "--seconds 20",
    "load": "--seconds 1 --pairs 3",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--skip", nargs="*", default=[], choices=PLAN, help="leave these out")
    options = arguments.parse_args()
    report, rows, failed = Report("all"), [], []
    start = time.monotonic()
    chosen = [name for name in PLAN if name not in options.skip]
    for i, name in enumerate(chosen):
        script = HERE / f"bench_{name}.py"
        if not script.exists():
            console.print(f"  [yellow]without {name}[/]: no such benchmark here")
            continue
        console.rule(f"{name}, {i + 1} of {len(chosen)}, {time.monotonic() - start:.0f} s so far")
        taken, code = run(script, PLAN[name].split())
        rows.append([name, taken, "" if code == 0 else f"failed: exit code {code}"])
        failed += [name] if code else []
    console.rule("summary")
    report.table("Benchmarks", ["", "s", ""], rows)
    report.judge("s for everything", time.monotonic() - start, BUDGET)
    report.save()
    console.print(f"plots: {', '.join(sorted(path.name for path in OUT.glob('*.png')))}")
    console.print("for the README: python tools/bench_readme.py")
    sys.exit(1 if failed else 0)


def run(script: Path, arguments: list[str]) -> tuple[float, int]:
    """Its own process: each chooses its core and what it imports."""
    start = time.monotonic()
    code = subprocess.run([sys.executable, script, *arguments]).returncode
    return time.monotonic() - start, code


if __name__ == "__main__":
    main()
