"""The last run as text for the README: one table in Markdown from out/bench/*.json, and what to say beside it."""

import argparse
import json
import math
import shutil
from pathlib import Path
from typing import Any

from benchmark import OUT

ROOT = Path(__file__).resolve().parents[1]
IMAGES, PLOTS = "tools/images", ("step", "quality")
HEADING = "## How good it is"

# What the tables have shown in every run so far; look at it again when they change.
READING = """\
Where contact volume wins: force and torque stay continuous when faces and edges change, friction torque of a face is
right, nothing creeps. Where it does not: a penalty contact sinks in by m g / K, and towers settle longer.
`./tools/bench quality` prints the notes on each row, and the peers at other settings than their defaults.
"""

PAIR_READING = """

A shallow contact is what a hand feels; deep ones of large hulls are where the exact solid costs more than coal's
polygon.
"""

PAIRS = {
    "box face": "two boxes, face on face",
    "32 faces shallow": "two hulls of 32 faces, shallow",
    "300 faces shallow": "two hulls of 300 faces, shallow",
    "300 faces deep": "two hulls of 300 faces, half overlapped",
}
STACKS = ("tower 13", "pyramid 30", "pyramid 60", "pyramid 100")
ENGINES = ("hapticd", "MuJoCo", "Bullet", "ODE", "PyBullet", "Drake")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="put it into README.md, and the plots beside it")
    options = arguments.parse_args()
    kernel, step, quality = read("kernel"), read("step"), read("quality")
    if "us" not in step or "us" not in kernel or "values" not in quality:
        raise SystemExit("bench readme: no figures yet; run ./tools/bench all, or kernel, step and quality, first")
    text = section(kernel, step, quality)
    if options.write:
        write(text)
    else:
        print(text)
    for name in ("kernel", "step", "agree", "loop", "stream", "replay", "start", "load"):
        missed = [target["what"] for target in read(name).get("targets", []) if not target["met"]]
        if missed:
            print(f"missed in {name}: {', '.join(missed)}")


def section(kernel: dict[str, Any], step: dict[str, Any], quality: dict[str, Any]) -> str:
    """The whole section: how it was measured, the table, two plots, single pairs."""
    lines = ["| | " + " | ".join(ENGINES) + " |", "|---|" + "---:|" * len(ENGINES)]
    for label in STACKS:
        row = step["us"][label]
        lines.append(line(f"step, {label}, us", [row.get(name, {}).get("cost") for name in ENGINES]))
    for title, row in quality["values"].items():
        lines.append(line(f"{title}, {row['unit']}", [row.get(name) for name in ENGINES], row["floor"]))
    plots = "\n".join(f"![{name}]({IMAGES}/{name}.png)" for name in PLOTS)
    table = "\n".join(lines)
    return f"{HEADING}\n\n{about(step, quality)}\n\n{table}\n\n{plots}\n\n{READING}\n{pairs(kernel)}\n"


def pairs(kernel: dict[str, Any]) -> str:
    """One pair of hulls, in the same run."""
    peers = ("ours", "coal", "Qhull")
    lines = [
        f"| one pair of hulls, us | ours | coal {kernel['about']['coal']}, with its Python call | SciPy's Qhull |",
        "|---|---:|---:|---:|",
    ]
    for name, title in PAIRS.items():
        row = kernel["us"][name]
        lines.append(line(title, [row.get(peer, {}).get("cost") for peer in peers]))
    return "\n".join(lines) + PAIR_READING


def write(text: str) -> None:
    """In place of the section that is there, or before the last one."""
    readme = ROOT / "README.md"
    old = readme.read_text()
    start = old.find(HEADING) if HEADING in old else old.rfind("\n## ") + 1
    end = old.find("\n## ", start) + 1 if HEADING in old else start
    readme.write_text(old[:start] + text + old[end:])
    (ROOT / IMAGES).mkdir(exist_ok=True)
    for name in PLOTS:
        shutil.copy(OUT / f"{name}.png", ROOT / IMAGES / f"{name}.png")


def read(name: str) -> dict[str, Any]:
    path = OUT / f"{name}.json"
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def line(title: str, values: list[float | None], floor: float = 0.0) -> str:
    """Bold are the best, and all below what counts as equal; nothing where an engine was not measured."""
    best = max(min(value for value in values if value is not None), floor)
    cells = [said(value, value is not None and value <= best) for value in values]
    return f"| {title} | " + " | ".join(cells) + " |"


def said(value: float | None, best: bool) -> str:
    if value is None:
        return ""
    if math.isinf(value):
        return "never"
    # two digits, never as 1e+02
    digits = max(0, 1 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:.{digits}f}" if abs(value) >= 1e-3 else "< 0.001"
    return f"**{text}**" if best else text


def about(step: dict[str, Any], quality: dict[str, Any]) -> str:
    facts = step["about"]
    known = {"date", "cpu", "cores", "python"}
    versions = {name: value for part in (step, quality) for name, value in part["about"].items() if name not in known}
    listed = ", ".join(f"{name} {value}" for name, value in versions.items())
    return (
        f"`./tools/bench all`, {facts['date']}, {facts['cpu']}, {facts['cores']} cores, Python {facts['python']}; "
        f"{listed}. A step: us of CPU time on one core, the quickest of several interleaved repeats; elsewhere "
        "only the ratios hold. The rest: smaller is better; every engine with its own defaults, the contact wrench by "
        "the balance of momentum (`tools/motions.py`)."
    )


if __name__ == "__main__":
    main()
