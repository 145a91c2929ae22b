"""The three ways of the bytes: nothing waits, nothing is torn, and a device that is gone is seen."""

import os
import pty
import socket
import tty

import numpy as np
import pytest

from hapticd.link import Box, CallLink, MailLink, StreamLink, mail_templates


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    yield ours, theirs
    ours.close()
    theirs.close()


def frame(data: bytes):
    return np.frombuffer(data, np.uint8).copy()


def test_stream_reads_what_is_there_and_never_waits(pair):
    ours, theirs = pair
    link, raw = StreamLink(ours.fileno()), np.zeros(16, np.uint8)
    assert link.read(raw) == 0
    theirs.sendall(b"hello")
    assert link.read(raw) == 5 and raw[:5].tobytes() == b"hello"
    theirs.sendall(bytes(range(40)))
    assert link.read(raw) == 16 and link.read(raw) == 16 and link.read(raw) == 8


def test_closed_socket_is_a_lost_link(pair):
    ours, theirs = pair
    link = StreamLink(ours.fileno())
    theirs.close()
    with pytest.raises(OSError, match="closed"):
        link.read(np.zeros(4, np.uint8))


def test_terminal_without_data_is_not_a_lost_link_but_a_closed_one_is():
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(slave, False)
    link, raw = StreamLink(slave), np.zeros(8, np.uint8)
    assert link.read(raw) == 0
    os.write(master, b"ab")
    assert link.read(raw) == 2
    os.close(master)
    with pytest.raises(OSError):
        for _ in range(3):
            link.read(raw)
            link.write(frame(b"x"), 1)
    os.close(slave)


def test_full_line_drops_frames_but_never_cuts_one(pair):
    ours, theirs = pair
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    link, sent = StreamLink(ours.fileno()), 0
    for k in range(3000):
        link.write(frame(bytes([k % 251]) * 27), 27)
        sent += 1
    assert 0 < link.dropped < sent
    theirs.setblocking(False)
    got = b""
    for _ in range(200):
        try:
            got += theirs.recv(65536)
        except BlockingIOError:
            link.write(frame(b"\xff" * 27), 27)  # room again: the half frame is ended first
    assert len(got) % 27 == 0
    frames = [got[i : i + 27] for i in range(0, len(got), 27)]
    assert all(len(set(one)) == 1 for one in frames) and frames[-1] == b"\xff" * 27


class Echo:
    """A device that hands back what it was sent."""

    class capabilities:  # noqa: N801
        input_size, output_size = 8, 8

    def exchange(self, out, count, raw):
        raw[:count] = out[:count] + 1
        return count


def test_call_gives_the_frame_of_the_last_write():
    link, raw = CallLink(Echo()), np.zeros(8, np.uint8)
    assert link.read(raw) == 0
    link.write(frame(b"\x01\x02"), 2)
    assert link.read(raw) == 2 and raw[:2].tolist() == [2, 3]


def test_box_gives_each_content_once_and_never_a_torn_one():
    tree = mail_templates(Echo())
    writer, reader = (Box(tree["mail_in"], tree["mail_in_bytes"]) for _ in range(2))
    out = np.zeros(8, np.uint8)
    assert reader.take(out) == 0
    writer.put(frame(b"abc"), 3)
    writer.put(frame(b"de"), 2)
    assert reader.take(out) == 2 and out[:2].tobytes() == b"de" and reader.take(out) == 0
    tree["mail_in"][0] += 1  # the writer is in the middle
    assert reader.take(out) == 0
    tree["mail_in"][0] += 1
    assert reader.take(out) == 2


def test_mail_link_is_the_two_boxes():
    tree = mail_templates(Echo())
    link, raw = MailLink(tree), np.zeros(8, np.uint8)
    link.write(frame(b"force"), 5)
    theirs = Box(tree["mail_out"], tree["mail_out_bytes"])
    theirs._seen = 0
    assert theirs.take(raw) == 5 and raw[:5].tobytes() == b"force"
    Box(tree["mail_in"], tree["mail_in_bytes"]).put(frame(b"pose"), 4)
    assert link.read(raw) == 4 and raw[:4].tobytes() == b"pose"
