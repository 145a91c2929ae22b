"""The sample client in JavaScript reads a live stream: the README's wire page is enough to write one."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hapticd.client import Client
from hapticd.sockets import ipc
from tests.emulators.daemon import daemon
from tests.emulators.ring_writer import NAMES

pytestmark = pytest.mark.node

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("zeromq@6", "@msgpack/msgpack@3")


@pytest.fixture(scope="module")
def packages() -> Path:
    """The two npm packages, fetched once into the environment that tools/setup made."""
    folder = ROOT / ".venv" / "node"
    if not (folder / "node_modules" / "zeromq").exists():
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder), *PACKAGES]
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(npm, check=True, timeout=300, capture_output=True)
    return folder / "node_modules"


def test_javascript_reads_states_and_asks(tmp_path, packages):
    with daemon(tmp_path) as ring:
        addresses = ["--state", ipc(tmp_path, "state"), "--command", ipc(tmp_path, "command")]
        run = subprocess.run(
            ["node", str(ROOT / "tools" / "stream_client.js"), *addresses, "--count", "5", "--ask", "clear"],
            env={**os.environ, "NODE_PATH": str(packages)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        with Client(tmp_path, timeout=20.0) as client:
            assert client.status()["mode"] == "IDLE"
        newest = ring.newest()
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    reply = next(line for line in lines if line["kind"] == "reply")
    assert reply["ok"] and 0 < reply["tick"] <= newest
    states = [line for line in lines if line["kind"] == "state"]
    assert len(states) == 5 and [state["seq"] for state in states] == sorted({state["seq"] for state in states})
    for state in states:
        assert [body["name"] for body in state["bodies"]] == list(NAMES)
        position = np.array([body["position"] for body in state["bodies"]])
        assert np.array_equal(position[:, 0], np.arange(4) + np.sin(1e-3 * state["tick"]))  # to the last bit
        assert state["contacts"][0]["bodies"][0] == "pointer" and len(state["contacts"][0]["polygon"]) == 4
        assert state["bodies"][0]["q_xyzw"] == [0, 0, 0, 1] and int(state["t_ns"]) > 0
