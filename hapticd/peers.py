"""Who talks to the command service: a bounded list of peers, each with a role and a bucket of tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass

import zmq

from hapticd.keys import Guest

PEERS = 32
PEER_RATE, PEER_BURST = 100.0, 50.0  # commands a second
ALL_RATE, ALL_BURST = 1000.0, 200.0
FORGET = 10.0  # s after which an idle peer gives up its place
TELL = 0.25  # s between two words to a peer that floods


class Bucket:
    """Tokens that come back at a rate; none left means no."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst, self.tokens, self.time = rate, burst, burst, 0.0

    def take(self, now: float) -> bool:
        self.tokens = min(self.burst, self.tokens + (now - self.time) * self.rate)
        self.time = now
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True


@dataclass(eq=False)
class Port:
    """One socket; on a guarded one the key says who somebody is."""

    socket: zmq.Socket[bytes]
    guarded: bool
    stop: bool


class Peer:
    """One client: where its replies go, what it may do, how much it has asked."""

    def __init__(self, port: Port, route: bytes) -> None:
        self.port, self.route = port, route
        self.guest = Guest("stranger", "observer") if port.guarded else Guest("ipc", "control")
        self.bucket = Bucket(PEER_RATE, PEER_BURST)
        self.dropped, self.told, self.seen = 0, -math.inf, 0.0

    def drop(self, now: float) -> str:
        """One more message is dropped unread; what to tell the peer about it, mostly nothing."""
        self.dropped += 1
        if now - self.told < TELL:
            return ""
        words = f"{self.dropped} commands dropped unread; allowed are {PEER_RATE:g} a second"
        self.told, self.dropped = now, 0
        return words


class Peers:
    """At most 32 at a time; an idle one gives way. A stop is heard from anybody."""

    def __init__(self) -> None:
        self.known: dict[tuple[Port, bytes], Peer] = {}
        self.all = Bucket(ALL_RATE, ALL_BURST)

    def find(self, port: Port, route: bytes, now: float) -> Peer | None:
        """The peer that a message came from; None when there are too many."""
        peer = self.known.get((port, route))
        if peer is None:
            if len(self.known) >= PEERS:
                self.known = {key: other for key, other in self.known.items() if now - other.seen < FORGET}
            full = len(self.known) >= PEERS
            if full and not port.stop:
                return None
            peer = Peer(port, route)
            if not full:
                self.known[port, route] = peer
        peer.seen = now
        return peer

    def allows(self, peer: Peer, now: float) -> bool:
        return peer.port.stop or (peer.bucket.take(now) and self.all.take(now))
