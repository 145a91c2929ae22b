"""Buckets and the list of peers, with a clock of our own."""

import zmq

from hapticd.peers import ALL_BURST, FORGET, PEER_BURST, PEER_RATE, PEERS, TELL, Bucket, Peers, Port


def port(stop: bool = False, guarded: bool = False) -> Port:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        return Port(socket, guarded, stop)


def test_bucket_gives_its_burst_then_its_rate():
    bucket = Bucket(100.0, 50.0)
    assert sum(bucket.take(10.0) for _ in range(80)) == 50
    assert sum(bucket.take(10.0 + k / 1000) for k in range(1, 1001)) in (99, 100)
    assert sum(bucket.take(100.0) for _ in range(80)) == 50  # never more than the burst


def test_peers_are_bounded_and_an_idle_one_gives_way():
    peers, here = Peers(), port()
    known = [peers.find(here, bytes([k]), 1.0) for k in range(PEERS)]
    assert all(known) and peers.find(here, b"late", 1.0) is None
    assert peers.find(port(stop=True), b"late", 1.0) is not None  # a stop is heard from anybody
    assert peers.find(here, bytes([0]), FORGET) is known[0]
    assert peers.find(here, b"late", FORGET + 1.5) is not None and len(peers.known) == 2


def test_one_peer_and_all_of_them_are_limited():
    peers, here = Peers(), port()
    one = peers.find(here, b"one", 1.0)
    assert sum(peers.allows(one, 1.0) for _ in range(100)) == PEER_BURST
    others = [peers.find(here, bytes([k]), 1.0) for k in range(20)]
    assert sum(peers.allows(other, 1.0) for other in others for _ in range(40)) == ALL_BURST - PEER_BURST
    stop = peers.find(port(stop=True), b"s", 1.0)
    assert all(peers.allows(stop, 1.0) for _ in range(1000))


def test_a_flooding_peer_is_told_now_and_then():
    peer = Peers().find(port(), b"one", 1.0)
    told = [words for k in range(1000) if (words := peer.drop(1.0 + k / 1000))]
    assert len(told) == 1.0 / TELL and "250 commands" in told[1] and f"{PEER_RATE:g} a second" in told[1]


def test_on_a_guarded_port_a_peer_is_a_stranger_first():
    peers = Peers()
    assert peers.find(port(guarded=True), b"a", 1.0).guest.role == "observer"
    assert peers.find(port(), b"a", 1.0).guest.role == "control"
