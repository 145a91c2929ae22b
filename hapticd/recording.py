"""What a recording needs beside the ring: the log's header and files, its name, and the recorder as a service.

    hapticd run --record DIR      `service` is one of the daemon's processes
    hapticd record DIR            `attach` joins a daemon that runs

The header holds all that replay needs and the ring does not: build, seed, device with what its `open` found out,
capacities, the texts of config and scene.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hapticd.areas import Arena
from hapticd.build import build
from hapticd.config import Record, RunConfig
from hapticd.control import LEAVE
from hapticd.errors import HapticdError, LogError
from hapticd.recorder import Recorder, run
from hapticd.ring import Ring
from hapticd.sockets import runtime_folder

Files = dict[str, bytes | str]
RUN_NAME = "run.json"  # the whole run config, with what its files say


def config_files(config: RunConfig, path: Path) -> Files:
    """The texts that a run was started with, as they are: the config, and device and scene where they have files."""
    sections = {"device.toml": config.device.options, "scene.toml": config.scene}
    names = {name: Path(s.document.name) for name, s in sections.items() if s is not None and s.document.name}
    found = {"config.toml": path, **{name: file for name, file in names.items() if file != path and file.is_file()}}
    texts: Files = {name: file.read_bytes() for name, file in found.items()}
    return {**texts, RUN_NAME: json.dumps(config_table(config), indent=1, default=str)}


def config_table(config: RunConfig) -> dict[str, Any]:
    """The config as one table that `read_table` takes again, included files and all."""
    table = {name: _known(value) for name, value in dataclasses.asdict(config).items() if value is not None}
    return {**table, "device": {**_known(table["device"]), **config.device.options}}


def _known(table: dict[str, Any]) -> dict[str, Any]:
    """Without what was left open: TOML has no null."""
    return {key: value for key, value in table.items() if value is not None and key != "options"}


def log_head(ring: Ring, settings: Record, files: Mapping[str, bytes | str]) -> tuple[dict[str, Any], Files]:
    """Header and files of a log of this ring; the scene's description is the one in force."""
    note, driver = ring.note, ring.memory.tree["live"]["driver"]
    header = {
        "build": build(),
        "seed": note.get("seed", 0),
        "device": _device(note["device"]),
        "slot": note["slot"],
        "capacity": note["capacity"],
        "driver_state": {"dtype": driver.dtype.str, "shape": list(driver.shape)},
        "record": {key: str(value) if isinstance(value, Path) else value for key, value in _plain(settings).items()},
        "pid": note.get("pid"),
    }
    return json.loads(json.dumps(header, default=_jsonable)), {**files}


def _device(told: Mapping[str, Any]) -> dict[str, Any]:
    """As the daemon tells it; a calibration file is left out, since `learnt` holds what was read from it."""
    options = {key: value for key, value in told.get("options", {}).items() if key != "calibration"}
    return {"learnt": {}, **told, "options": options}


def _plain(settings: Record) -> dict[str, Any]:
    return dataclasses.asdict(settings)


def _jsonable(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)


def new_path(folder: Path) -> Path:
    """FOLDER/2026-11-18_10-32-05.mcap, with a number behind it where that is taken."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LogError(f"{folder}: cannot be made: {error.strerror}") from error
    stem = time.strftime("%Y-%m-%d_%H-%M-%S")
    names = [f"{stem}.mcap", *(f"{stem}_{k}.mcap" for k in range(1, 1000))]
    return next(folder / name for name in names if not (folder / name).exists())


def make_recorder(ring: Ring, path: Path, settings: Record, files: Mapping[str, bytes | str]) -> Recorder:
    """A recorder of a daemon's ring, scenes included."""

    def model(generation: int) -> tuple[int, bytes]:
        """The arena that holds this generation; the one in force if it is gone already."""
        arenas = [Arena.of(ring.memory, k) for k in range(2)]
        k = next((k for k, arena in enumerate(arenas) if arena.generation == generation), 0)
        return k, ring.memory.bytes_of(ring.memory.tree[f"arena{k}"]).tobytes()

    return Recorder(ring, path, settings, log_head(ring, settings, files), model)


def service(ring_path: Path, folder: Path, settings: Record, files: Mapping[str, bytes | str]) -> Callable[[], None]:
    """The recorder as one of the daemon's processes: until it is told to stop, each start with a file of its own."""

    def record() -> None:
        ring = Ring.attach(ring_path, writable=True)
        run(make_recorder(ring, new_path(folder), settings, files), ended=lambda: False)

    return record


def running_ring(folder: Path | None) -> Ring:
    """The ring of the daemon in that folder, or of this user's."""
    from hapticd.daemon import RING_FILE

    path = runtime_folder(folder) / RING_FILE
    try:
        return Ring.attach(path, writable=True)
    except HapticdError as error:
        raise LogError(f"no daemon to record: {error}; start one with `hapticd run`") from error


def attach(ring: Ring, path: Path, settings: Record, seconds: float | None = None) -> Recorder:
    """Record a daemon that runs, from now on, until it stops, Ctrl-C, or for so long."""
    recorder = make_recorder(ring, path, settings, {})
    recorder.cursor = max(ring.newest(), 0)
    end = float("inf") if seconds is None else time.monotonic() + seconds
    run(recorder, ended=lambda: bool(ring.control[LEAVE, 0]) or time.monotonic() > end)
    return recorder
