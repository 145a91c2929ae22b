"""CPU time of the drivers' decode and encode per tick: kinematics, tensions and frames along a path."""

import argparse
import struct
import time
from pathlib import Path

import numpy as np
from benchmark import Report

from hapticd.document import load
from hapticd.drivers.hapi import Hapi
from hapticd.drivers.spidar import Spidar
from hapticd.drivers.spidar_protocol import Board
from hapticd.drivers.string_geometry import load_geometry
from hapticd.kernel.layout import SAMPLE_SIZE

DEVICES = Path(__file__).parents[1] / "configs" / "device"
BUDGET_US = 40.0  # kinematics and tensions of a tick
WRENCH = np.array([1.5, -2.0, 1.0, 0.01, -0.02, 0.015])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ticks", type=int, default=4000)
    ticks = arguments.parse_args().ticks
    report, rows = Report("devices"), []
    for path in sorted(DEVICES.glob("spidar_[gi4]*.toml")):
        rows.append(row(path.stem, *measure(*spidar(path), ticks)))
    rows.append(row("hapi_2diy", *measure(*hapi(), ticks)))
    report.table("us of CPU time", ["device", "decode", "encode", "both, p50", "both, p99"], rows)
    report.judge("kinematics and tensions, slowest device, p50", max(float(cells[3]) for cells in rows), BUDGET_US)
    report.save()


def row(name: str, decode: np.ndarray, encode: np.ndarray) -> list[str | float]:
    p50, p99 = np.percentile(decode + encode, [50, 99])
    return [name, float(decode.mean()), float(encode.mean()), float(p50), float(p99)]


def measure(device, frames: list[bytes], ticks: int) -> tuple[np.ndarray, np.ndarray]:
    """CPU microseconds of each call; the first turn around the path warms up."""
    raw, out = np.zeros(device.capabilities.input_size, np.uint8), np.zeros(device.capabilities.output_size, np.uint8)
    sample, rendered, spent = np.zeros(SAMPLE_SIZE), np.zeros(6), np.zeros((ticks, 2))
    for k in range(-len(frames), ticks):
        frame = frames[k % len(frames)]
        raw[: len(frame)] = np.frombuffer(frame, np.uint8)
        start = time.thread_time_ns()
        device.decode(raw, len(frame), sample)
        middle = time.thread_time_ns()
        device.encode(WRENCH, out, rendered)
        if k >= 0:
            spent[k] = middle - start, time.thread_time_ns() - middle
    return spent[:, 0] / 1e3, spent[:, 1] / 1e3


def spidar(path: Path) -> tuple[Spidar, list[bytes]]:
    """A circle of a fifth of the device's size, in whole counts."""
    table = {key: value for key, value in load(path).data.items() if key != "driver"}
    device, geometry = Spidar(table), load_geometry(path)
    boards = [Board(0, 5, 12, 4, 4, 0, 0, 4), Board(1, 5, 12, 4, 4, 0, 0, 4)]
    device.use_boards(boards)
    device.use_home([0] * geometry.n_string)
    strings, frames = geometry.rows(), []
    home = np.linalg.norm(strings[:, :3] - strings[:, 3:6], axis=1)
    size = 0.1 * home.mean()
    for a in np.linspace(0, 2 * np.pi, 1000, endpoint=False):
        p = size * np.array([np.sin(a), 1 - np.cos(a), 0.5 * np.sin(2 * a)])
        lengths = np.linalg.norm(strings[:, :3] - strings[:, 3:6] - p, axis=1)
        counts = np.rint((lengths - home) / strings[:, 6]).astype(int).tolist()
        counts += [0] * (8 - len(counts))
        parts = [struct.pack("<B12h", 0x30 | b, *counts[4 * b : 4 * b + 4], *[0] * 8) for b in (0, 1)]
        frames.append(b"".join(parts) + boards[0].info)
    return device, frames


def hapi() -> tuple[Hapi, list[bytes]]:
    count = 360 / 13824
    angles = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    path = [(150 + 8 * np.sin(a), 30 + 8 * np.cos(a)) for a in angles]
    return Hapi({"port": "none"}), [struct.pack("<B2f", 3, *(count * np.rint(np.array(q) / count))) for q in path]


if __name__ == "__main__":
    main()
