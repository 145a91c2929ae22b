"""CURVE keys: one pair for the daemon, one for each client, and the list of clients that may come in.

    FOLDER/server.secret           the daemon's pair; 0600
    FOLDER/clients/NAME.toml       public key and role of a client that may come in: observer or control
    NAME.secret                    the client's pair and the daemon's public key; goes to the client; 0600

Written by `hapticd keys`, read by the publisher, the command service and the client. A secret that others can read is
refused: it is no secret. Files are TOML; keys are Z85 texts of 40 letters, as ZeroMQ prints them.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import zmq

from hapticd.errors import ConfigError
from hapticd.rule import Rest
from hapticd.schema import Section, read_file

Role = Literal["observer", "control"]
SERVER_FILE = "server.secret"
CLIENT_FOLDER = "clients"
Z85 = re.compile(r"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}")
NAME = re.compile(r"[A-Za-z0-9_\-]{1,40}")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A secret file: a pair of keys, and for a client the daemon's public key."""

    public: str
    secret: str = field(repr=False)
    server: str = ""

    def complaints(self) -> list[tuple[str, str]]:
        keys = {"public": self.public, "secret": self.secret, **({"server": self.server} if self.server else {})}
        return [(name, "is no CURVE key of 40 letters") for name, key in keys.items() if not Z85.fullmatch(key)]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file in clients/: who may come in, and as what."""

    public: str
    role: Role = "observer"
    more: Annotated[Section, Rest()]

    def complaints(self) -> list[tuple[str, str]]:
        return [] if Z85.fullmatch(self.public) else [("public", "is no CURVE key of 40 letters")]


@dataclass(frozen=True)
class Guest:
    """A client that may come in."""

    name: str
    role: Role


def make_server(folder: Path) -> Path:
    """The daemon's pair in a new folder; an existing one is kept, because all clients hold its public half."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / CLIENT_FOLDER).mkdir(mode=0o700, exist_ok=True)
    path = folder / SERVER_FILE
    if not path.exists():
        public, secret = zmq.curve_keypair()
        _write(path, {"public": public.decode(), "secret": secret.decode()})
    return path


def make_client(folder: Path, name: str, role: Role, secret_path: Path) -> Path:
    """A pair for a client: its public half goes on the list, the secret file is for the client to take away."""
    if not NAME.fullmatch(name):
        raise ConfigError(f"keys: the name {name!r}; allowed are 1 to 40 letters, digits, - and _")
    server = read_pair(folder / SERVER_FILE)
    entry = folder / CLIENT_FOLDER / f"{name}.toml"
    for path in (entry, secret_path):
        if path.exists():
            raise ConfigError(f"{path}: exists; remove it first, or choose another name")
    public, secret = zmq.curve_keypair()
    _write(secret_path, {"public": public.decode(), "secret": secret.decode(), "server": server.public})
    _write(entry, {"public": public.decode(), "role": role})
    return secret_path


def read_pair(path: Path) -> Pair:
    """A secret file; refused when anybody but its owner can read it."""
    try:
        info = path.stat()
    except OSError as error:
        raise ConfigError(f"{path}: no key file there ({error.strerror}); make one with `hapticd keys`") from error
    mode = stat.S_IMODE(info.st_mode)
    if mode & 0o077:
        raise ConfigError(f"{path}: mode is {mode:04o}; a secret needs 0600: chmod 600 {path}")
    if info.st_uid != os.geteuid():
        raise ConfigError(f"{path}: belongs to user {info.st_uid}; a secret must belong to the user that runs hapticd")
    return read_file(Pair, path)


def read_guests(folder: Path) -> dict[str, Guest]:
    """Who may come in, by public key."""
    guests = {}
    for path in sorted((folder / CLIENT_FOLDER).glob("*.toml")):
        entry = read_file(Entry, path)
        guests[entry.public] = Guest(path.stem, entry.role)
    return guests


def _write(path: Path, values: dict[str, str]) -> None:
    text = "".join(f'{key} = "{value}"\n' for key, value in values.items())
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # at birth: there is no moment of 0644
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
