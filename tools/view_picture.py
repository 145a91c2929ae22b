"""Takes the README's picture of the browser view: the real daemon, a hand on two blocks, a real browser.

.venv/bin/python tools/view_picture.py [--output tools/view.png]

Needs Chromium and the test environment (./tools/test makes it). Run it after a change that shows.
"""

import argparse
import io
import shutil
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hapticd.client import Client  # noqa: E402
from tests.emulators.live import live_daemon, said, started  # noqa: E402
from tests.test_browser import ARGUMENTS, dismiss  # noqa: E402

SIZE = {"width": 1080, "height": 660}
COLOURS = 256  # of the palette: the picture stays small
CONFIG = f"""
scene = "{ROOT}/configs/scene/six_blocks.toml"
[device]
driver = "virtual"
arm_on_start = true
path = [[0, 0, 0, 0], [2, 0, 0.01, -0.045], [25, 0.004, 0, -0.05], [28, 0, 0, 0]]
[mount]
position = [0.08, 0.0, 0.13]
[loop]
overrun_limit = 1000
gap_fault_ms = 1000
[sockets]
state = []
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "tools" / "view.png")
    output = parser.parse_args().output
    with tempfile.TemporaryDirectory() as name, live_daemon(Path(name), CONFIG) as sockets:
        log = Path(name) / "view.log"
        with started("view", "--state", sockets, "--port", "0", log=log) as process:
            raw = picture(said(log, "http://", process).split()[1], sockets)
    image = Image.open(io.BytesIO(raw)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(output, optimize=True)
    print(f"{output}: {output.stat().st_size // 1000} kB")


def picture(url: str, sockets: Path) -> bytes:
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), headless=True, args=ARGUMENTS)
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(120_000)
        page.goto(url)
        page.get_by_text("bodies, contacts").wait_for()
        dismiss(page)
        wait_for_force(sockets)
        shot = page.screenshot()
        browser.close()
    return shot


def wait_for_force(sockets: Path) -> None:
    """Until the hand has pressed for a while, so that trail and force curve are there."""
    pressed, end = 0, time.monotonic() + 120.0
    with Client(sockets, timeout=60.0) as client:
        while pressed < 60 and time.monotonic() < end:
            pressed = pressed + 1 if abs(client.state().pointer_wrench[2]) > 0.5 else 0


if __name__ == "__main__":
    main()
