"""The stream: cost of a state, latency from ring to client, and what 32 readers and a flood do to the servo.

./tools/bench stream [--seconds 10] [--pairs 5] [--bodies 50]

Encoding is CPU time of one thread. Latency is from the begin of a tick to the client's callback, on ipc: up to 1 ms
until the next slot is whole, the tick itself, and three threads to wake (0.2 ms, or a slice of whoever has the core).
The load is judged by neighbours: a run without it, a run with it, and so on; 32 subscribers of which 8 never read, and
one client that sends 20 000 commands a second, of which one in a hundred is malformed; a stop every half second.
"""

import argparse
import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import zmq
from benchmark import Report, Subject, interleave

from hapticd import wire
from hapticd.client import Client
from hapticd.kernel.guard import layout as g
from hapticd.ring import SlotSize, slot_dtype
from hapticd.sockets import ipc

ENCODE_US, LATENCY_MS, WAKE_RISE_US, STOP_MS, VIEW_SHARE = 20.0, 5.0, 50.0, 50.0, 0.1  # what was promised
VIEW_BODIES, VIEW_HZ = 100, 60.0
READERS, DEAF, FLOOD_HZ = 32, 8, 20_000
CONFIG = """
scene = "{scene}"
[device]
driver = "virtual"
arm_on_start = true
[loop]
overrun_limit = 1000
gap_fault_ms = 1000
[sockets]
state = []
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each run under load")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--bodies", type=int, default=50)
    arguments = parser.parse_args()
    report = Report("stream")
    encoding(report, arguments.bodies)
    view(report, arguments.seconds)
    with daemon() as folder:
        latency(report, folder, arguments.seconds)
        load(report, folder, arguments.seconds, arguments.pairs)
    report.save(pyzmq=zmq.__version__, libzmq=zmq.zmq_version())


def encoding(report: Report, bodies: int) -> None:
    slot = np.zeros((), slot_dtype(SlotSize(bodies=max(bodies, 128), input_size=64, output_size=64)))
    slot["word"][[g.WORD_BODIES, g.WORD_CONTACTS, g.WORD_POINTS]] = bodies, 20, 100
    frame = wire.encode_state(slot, 1, 2)
    subjects = [
        Subject("encode", lambda n: [wire.encode_state(slot, 1, 2) for _ in range(n)]),
        Subject("decode", lambda n: [wire.arrays(wire.decode(frame)[1]) for _ in range(n)]),
    ]
    times = interleave({"state": lambda: subjects}, label="encoding")["state"]
    rows = [(name, timing.cost, timing.p99) for name, timing in times.items()]
    report.table(
        f"a state of {bodies} bodies, 20 contacts, {len(frame)} bytes; us", ("", "quickest repeat", "p99"), rows
    )
    report.judge("encoding a state, us", times["encode"].cost, ENCODE_US)


def view(report: Report, seconds: float) -> None:
    """Share of a core that the browser view takes for 100 moving bodies at 60 Hz, one browser's worth of bytes read.

    Bodies rise and fall, and turn; ten contacts go with them, and their forces change.
    """
    from hapticd.state import Scene, State
    from hapticd.view.server import open_server
    from hapticd.view.stage import Stage

    scene, slot = many_boxes(VIEW_BODIES)
    server = open_server(0)
    stage = Stage(server)
    stage.set_scene(Scene(scene), State(wire.decode(wire.encode_state(slot, 0, 0))[1], 0))
    come = multiprocessing.Array("q", 2, lock=False)  # messages, bytes
    with forked(lambda: swallow(server.get_port(), come)):
        while not come[1]:
            time.sleep(0.1)
        time.sleep(0.5)
        come[:] = 0, 0
        begin, used, frames = time.monotonic(), time.process_time(), 0
        while (now := time.monotonic()) < begin + seconds:
            slot["time"][g.TIME_WOKE] = int(now * 1e9)
            move(slot, now)
            stage.show(State(wire.decode(wire.encode_state(slot, frames, 0))[1], 0))
            frames += 1
            time.sleep(max(begin + frames / VIEW_HZ - time.monotonic(), 0.0))
        taken, share = time.monotonic() - begin, (time.process_time() - used) / (time.monotonic() - begin)
    server.stop()
    report.table(
        f"view of {VIEW_BODIES} bodies",
        ("", "frames/s", "came/s", "kB/s", "share of a core"),
        [("", frames / taken, come[0] / taken, come[1] / taken / 1e3, share)],
    )
    report.judge("view, share of a core", share, VIEW_SHARE)


def many_boxes(count: int) -> tuple[dict, np.ndarray]:
    """A hello and a slot of boxes with ten contacts."""
    from hapticd.inventory import mesh
    from hapticd.scene.convex import ConvexShape

    shapes = [mesh(ConvexShape.box((0.1, 0.1, 0.1)).vertices)]
    bodies = [{"name": f"box{i}", "kind": "dynamic", "shapes": [0]} for i in range(count)]
    slot = np.zeros((), slot_dtype(SlotSize(bodies=count, input_size=8, output_size=8)))
    slot["word"][[g.WORD_BODIES, g.WORD_CONTACTS, g.WORD_POINTS]] = count, 10, 40
    slot["body"][:, 0], slot["body"][:, 6] = 0.2 * np.arange(count), 1.0
    slot["contact"][:10, g.SHOWN_AREA], slot["contact"][:10, g.SHOWN_WRENCH + 2] = 0.01, np.arange(1, 11)
    slot["contact"][:10, g.SHOWN_NORMAL + 2] = 1.0
    slot["contact_of"][:10, g.OF_POINT], slot["contact_of"][:10, g.OF_POINTS] = 4 * np.arange(10), 4
    slot["point"][:40] = np.tile([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]], (10, 1))
    return {"scene": {"generation": 0, "pointer": -1, "bodies": bodies, "shapes": shapes}}, slot


def move(slot: np.ndarray, now: float) -> None:
    phase = now + np.arange(len(slot["body"]))
    slot["body"][:, 2] = 0.5 + 0.1 * np.sin(phase)
    slot["body"][:, 5], slot["body"][:, 6] = np.sin(phase), np.cos(phase)
    slot["point"][:40, 2] = np.repeat(slot["body"][:10, 2], 4)
    slot["contact"][:10, g.SHOWN_WRENCH + 2] = 6.0 + 5.0 * np.sin(phase[:10])


def swallow(port: int, come) -> None:
    """A browser that draws nothing: it takes what comes."""
    import viser
    from websockets.sync.client import connect

    options = {"subprotocols": [f"viser-v{viser.__version__}"], "origin": f"http://127.0.0.1:{port}", "max_size": None}
    with connect(f"ws://127.0.0.1:{port}", **options) as socket:
        for message in socket:
            come[0] += 1
            come[1] += len(message)


@contextmanager
def daemon() -> Iterator[Path]:
    """`hapticd run` on the simulated device, in a folder of its own."""
    scene = Path(__file__).resolve().parents[1] / "configs" / "scene" / "six_blocks.toml"
    with tempfile.TemporaryDirectory() as name:
        config, folder = Path(name) / "run.toml", Path(name) / "run"
        config.write_text(CONFIG.format(scene=scene))
        command = [sys.executable, "-c", "from hapticd.cli import main; main()", "-q", "run", str(config)]
        process = subprocess.Popen([*command, "--folder", str(folder)], start_new_session=True)
        try:
            while not (folder / "command.ipc").exists():
                if process.poll() is not None:
                    raise SystemExit("the daemon did not start")
                time.sleep(0.1)
            with Client(folder, timeout=60.0) as client:
                client.state()
            yield folder
        finally:
            process.terminate()
            process.wait(20)


def latency(report: Report, folder: Path, seconds: float) -> None:
    """From the tick's first instant, which is before its slot is pushed, until the client has the state."""
    found, end = [], time.monotonic() + seconds
    with Client(folder, timeout=10.0) as client:
        for state in client.states():
            found.append(
                (state.received_ns - state.time_ns, state.sent_ns - state.time_ns, state.received_ns - state.sent_ns)
            )
            if time.monotonic() > end:
                break
        lost = client.gaps
    ages = np.array(found) * 1e-6
    rows = [
        (name, *np.percentile(ages[:, i], [50, 99, 100]).tolist())
        for i, name in enumerate(("tick's begin to callback", "of it until the send", "from there to callback"))
    ]
    report.table(f"latency on ipc, {len(ages)} states, {lost} lost; ms", ("", "p50", "p99", "max"), rows)
    report.judge("tick to callback p99, ms", rows[0][2], LATENCY_MS)


def load(report: Report, folder: Path, seconds: float, pairs: int) -> None:
    quiet, loaded, rates, stops, growth = [], [], [], [], []
    with Client(folder, timeout=10.0) as client:
        client.state()
        for _ in range(pairs):
            quiet.append(wake_p99(client, seconds))
            before = resident(folder)
            with loaded_with(folder) as counts:
                rate, stop, wake = under_load(client, folder, seconds, counts)
            loaded.append(wake)
            rates.append(rate)
            stops += stop
            growth.append(resident(folder) - before)
    rises = [b - a for a, b in zip(quiet, loaded, strict=True)]
    rows = [
        ("wake-up p99 alone, us", statistics.median(quiet), max(quiet)),
        ("wake-up p99 under load, us", statistics.median(loaded), max(loaded)),
        ("rise of neighbours, us", statistics.median(rises), max(rises)),
        ("states a second per reader, least", statistics.median(rates), min(rates)),
        ("stop answered, ms", statistics.median(stops), max(stops)),
        ("memory of the services, MiB more", statistics.median(growth), max(growth)),
    ]
    report.table(f"{READERS} readers, {DEAF} of them deaf, {FLOOD_HZ} commands/s", ("", "median", "worst"), rows)
    report.judge("rise of wake-up p99, us", statistics.median(rises), WAKE_RISE_US)
    report.judge("stop answered within, ms", max(stops), STOP_MS)


def wake_p99(client: Client, seconds: float) -> float:
    """Median over the seconds of the p99 that the daemon itself reports."""
    seen: dict[int, float] = {}
    end = time.monotonic() + max(seconds, 3.0)
    while time.monotonic() < end:
        client.state()
        if client.timing:
            seen[client.timing["first"]] = client.timing["wake_us"]["p99"]
    return statistics.median(seen.values())


def under_load(client: Client, folder: Path, seconds: float, counts: list[Callable[[], int]]) -> tuple:
    """Least rate of the readers that read, the stops' times in ms, the wake-up p99."""
    stops, seen = [], {}
    before, begin = [count() for count in counts], time.monotonic()
    with Client(folder, timeout=10.0) as stopper:
        while time.monotonic() < begin + max(seconds, 3.0):
            asked = time.perf_counter()
            stopper.stop()
            stops.append((time.perf_counter() - asked) * 1e3)
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                client.state()
                if client.timing:
                    seen[client.timing["first"]] = client.timing["wake_us"]["p99"]
    taken = time.monotonic() - begin
    return (
        min((count() - b) / taken for count, b in zip(counts, before, strict=True)),
        stops,
        statistics.median(seen.values()),
    )


@contextmanager
def loaded_with(folder: Path) -> Iterator[list[Callable[[], int]]]:
    """Readers in two processes and a flooder; functions that tell how many states each reader has had."""
    reading = READERS - DEAF
    seen = multiprocessing.Array("q", reading, lock=False)
    with ExitStack() as stack:
        stack.enter_context(forked(lambda: read_all(folder, seen)))
        stack.enter_context(forked(lambda: be_deaf(folder)))
        stack.enter_context(forked(lambda: flood(folder)))
        end = time.monotonic() + 30.0
        while min(seen) == 0 and time.monotonic() < end:
            time.sleep(0.1)
        yield [lambda i=i: seen[i] for i in range(reading)]


@contextmanager
def forked(work: Callable[[], None]) -> Iterator[int]:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def read_all(folder: Path, seen) -> None:
    with zmq.Context() as context:
        poller, index = zmq.Poller(), {}
        for i in range(READERS - DEAF):
            socket = context.socket(zmq.SUB)
            socket.connect(ipc(folder, "state"))
            socket.subscribe(wire.STATE)
            poller.register(socket, zmq.POLLIN)
            index[socket] = i
        while True:
            for socket, _ in poller.poll():
                socket.recv()
                seen[index[socket]] += 1


def be_deaf(folder: Path) -> None:
    with zmq.Context() as context:
        sockets = []
        for _ in range(DEAF):
            socket = context.socket(zmq.SUB)
            socket.rcvhwm = 1
            socket.connect(ipc(folder, "state"))
            socket.subscribe(b"")
            sockets.append(socket)
        time.sleep(1e6)


def flood(folder: Path) -> None:
    """20 000 commands a second, as far as the service takes them; one in a hundred is nonsense."""
    good = wire.encode_request(wire.Request(1, "status"))
    with zmq.Context() as context:
        socket = context.socket(zmq.DEALER)
        socket.connect(ipc(folder, "command"))
        begin, sent = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - begin) * FLOOD_HZ)
            while sent < due:
                sent += 1
                try:
                    socket.send(b"\xc1junk" if sent % 100 == 0 else good, zmq.NOBLOCK)
                except zmq.Again:
                    break
            while socket.poll(0):
                socket.recv()
            time.sleep(0.001)


def resident(folder: Path) -> float:
    """MiB of their own that the daemon's services hold."""
    pids = json.loads((folder / "status.json").read_text())["services"].values()
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    return sum(int(text.partition("RssAnon:")[2].split()[0]) for text in texts) / 1024.0


if __name__ == "__main__":
    main()
