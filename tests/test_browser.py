"""`./tools/run` and its view in a real browser: what a person sees, clicks, and reads, and how it ends."""

import io
import os
import shutil
import signal
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

from hapticd.client import Client
from tests.emulators.live import TOUCH, session, tools_run
from tests.emulators.rig import REAL_TIME

pytestmark = [pytest.mark.chromium, *REAL_TIME]

PATIENCE = 120_000  # ms; without a graphics card a frame takes seconds
ARGUMENTS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",  # WebGL in software; --use-gl=swiftshader would turn it off
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def demo(tmp_path):
    with tools_run(tmp_path) as demo:
        yield demo


@pytest.fixture
def page(demo):
    """A browser on the view of that demo; every host that it asked is noted in page.hosts."""
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), headless=True, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 760, "height": 420})
        page.set_default_timeout(PATIENCE)
        page.hosts = set()
        page.on("request", lambda request: page.hosts.add(urlsplit(request.url).hostname))
        page.goto(demo.url)
        page.get_by_text("bodies, contacts").wait_for()
        dismiss(page)
        yield page
        browser.close()


def dismiss(page) -> None:
    """viser's word that there is no graphics card lies over the picture."""
    page.add_style_tag(content=".mantine-Notification-root { display: none !important }")


def picture(page) -> np.ndarray:
    """The canvas as (height, width, 3), without the panel and what lies over it."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return np.asarray(image, int)[:, :440]


def yellow(image: np.ndarray) -> np.ndarray:
    """The rim of the contact with the highest pressure: nothing else is of that colour."""
    return (image[:, :, :2].min(axis=2) > image[:, :, 2] + 50) & (image[:, :, 0] > 150)


def blue(image: np.ndarray) -> np.ndarray:
    """The wheel: the only blue thing."""
    return image[:, :, 2] > image[:, :, :2].max(axis=2) + 60


def until(page, wanted, what: str) -> np.ndarray:
    end = time.monotonic() + PATIENCE / 1000
    while True:
        image = picture(page)
        if wanted(image):
            return image
        assert time.monotonic() < end, what


def changed(one: np.ndarray, other: np.ndarray) -> int:
    """How many dots are of clearly another colour."""
    return int((np.abs(one - other).max(axis=2) > 40).sum())


def test_bodies_move_the_contact_shows_and_stop_stops(page, demo):
    page.get_by_text("six_blocks").wait_for()
    first = until(page, lambda image: np.ptp(image, axis=2).max() > 60, "there is no colour in the picture")
    until(page, lambda image: changed(image, first) > 100, "nothing moves in the demo")
    with Client(demo.sockets, timeout=60.0) as client:
        client.command("load", text=TOUCH)
        page.get_by_text("six_blocks").wait_for(state="hidden")
        # The demo's own pointer is yellow, too: without it the new scene is in the picture.
        until(page, lambda image: yellow(image).sum() < 3, "there is a contact polygon though nothing touches")
        first = until(page, lambda image: blue(image).sum() > 30, "the wheel is not in the picture")
        until(page, lambda image: (blue(image) ^ blue(first)).sum() > 20, "the wheel does not turn")
        until(page, lambda image: yellow(image).sum() > 10, "the contact polygon does not appear")
        until(page, lambda image: yellow(image).sum() < 3, "the contact polygon does not go away")
        assert client.status()["mode"] != "FAULT"
        page.get_by_role("button", name="STOP").click()
        page.get_by_text("stop: done at tick").wait_for()
        page.get_by_text("FAULT", exact=True).wait_for()
        status = client.status()
        assert (status["mode"], status["cause"]) == ("FAULT", "STOP")
        time.sleep(1.0)
        assert client.status()["mode"] == "FAULT"  # latched, though the demo arms on start
    assert page.hosts - {None} == {"127.0.0.1"}  # works without a network; None: data in the page itself


def interrupt(demo) -> None:
    os.killpg(demo.process.pid, signal.SIGINT)  # as Ctrl-C does


def terminate(demo) -> None:
    os.kill(demo.process.pid, signal.SIGTERM)  # the script alone


@pytest.mark.parametrize("end", [interrupt, terminate])
def test_ending_it_ends_both_and_the_script_says_how_the_demo_ended(demo, end):
    with Client(demo.sockets, timeout=60.0) as client:
        client.state()
    assert len(session(demo.process.pid)) > 3  # script, view, daemon and its services
    end(demo)
    assert demo.process.wait(20) == 0, demo.log.read_text()
    assert session(demo.process.pid) == []
    assert "Traceback" not in demo.log.read_text()
