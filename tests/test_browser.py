"""The view in a real browser, against the real daemon: what a person sees, clicks, and reads."""

import io
import shutil
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

from hapticd.client import Client
from tests.emulators.live import live_daemon, said, started

pytestmark = pytest.mark.chromium

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


@pytest.fixture(scope="module")
def sockets(tmp_path_factory):
    with live_daemon(tmp_path_factory.mktemp("live")) as sockets:
        yield sockets


@pytest.fixture
def page(tmp_path, sockets):
    """A browser on the view of that daemon; every host that it asked is noted in page.hosts."""
    log = tmp_path / "view.log"
    with started("view", "--state", sockets, "--port", "0", log=log) as process, sync_playwright() as p:
        url = said(log, "http://", process).split()[1]
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), headless=True, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 760, "height": 420})
        page.set_default_timeout(PATIENCE)
        page.hosts = set()
        page.on("request", lambda request: page.hosts.add(urlsplit(request.url).hostname))
        page.goto(url)
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


def test_bodies_move_the_contact_shows_and_stop_stops(page, sockets):
    first = until(page, lambda image: blue(image).sum() > 30, "the wheel is not in the picture")
    until(page, lambda image: (blue(image) ^ blue(first)).sum() > 20, "the wheel does not turn")
    until(page, lambda image: yellow(image).sum() > 10, "the contact polygon does not appear")
    until(page, lambda image: yellow(image).sum() < 3, "the contact polygon does not go away")
    with Client(sockets, timeout=20.0) as client:
        assert client.status()["mode"] in ("ACTIVE", "DEGRADED")
        page.get_by_role("button", name="STOP").click()
        page.get_by_text("stop: done at tick").wait_for()
        page.get_by_text("FAULT", exact=True).wait_for()
        status = client.status()
        assert (status["mode"], status["cause"]) == ("FAULT", "STOP")
        time.sleep(1.0)
        assert client.status()["mode"] == "FAULT"  # latched, though the config arms on start
    assert page.hosts - {None} == {"127.0.0.1"}  # works without a network; None: data in the page itself
