"""Sockets at the far end, closed with their context."""

from __future__ import annotations

import zmq


class Peers(zmq.Context):
    """A context that holds on to its sockets: one that is forgotten would warn when it is collected."""

    kept: list[zmq.Socket] = []  # noqa: RUF012  pyzmq only lets attributes be set that the class has

    def socket(self, kind: int, address: str = "", **options: object) -> zmq.Socket:
        """A socket with options set and, with an address, connected."""
        socket = super().socket(kind)
        if not self.kept:
            self.kept = []
        self.kept.append(socket)
        for name, value in options.items():
            setattr(socket, name, value)
        if address:
            socket.connect(address)
        return socket

    def subscriber(self, address: str, *topics: bytes, **options: object) -> zmq.Socket:
        socket = self.socket(zmq.SUB, address, **options)
        for topic in topics:
            socket.subscribe(topic)
        return socket
