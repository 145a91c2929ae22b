"""The services as the supervisor starts them: each in a process, ended by SIGTERM."""

import os
import signal

from hapticd.client import Client
from hapticd.config import Sockets
from hapticd.services import stream_services
from tests.emulators.ring_writer import make_ring, running


def start(run) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    return pid


def test_they_serve_and_leave_when_told(tmp_path):
    ring = make_ring(tmp_path / "ring")
    services = stream_services(tmp_path / "ring", Sockets(state=()), tmp_path)
    assert [service.name for service in services] == ["publisher", "commands", "stop"]
    with running(ring):
        pids = [start(service.run) for service in services]
        with Client(tmp_path, timeout=20.0) as client:
            assert client.state().mode == "FAULT" and client.command("clear").ok and client.stop().ok
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0, 0, 0]
