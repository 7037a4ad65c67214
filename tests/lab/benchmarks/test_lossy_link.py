"""Lossy network link, with sockets of this process instead of TUN devices."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

PACKETS, LASTS = 100, 20
"""How often the last packet is sent, so that one of them arrives."""
DELAY_S = 0.02
PATIENCE_S = 30.0


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the link needs Linux")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield two ends of a link that loses 30 % of the packets each way and delays the rest by 20 ms."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
    handles = [pair[1].fileno() for pair in pairs]
    command = [sys.executable, "-m", "benchmarks.lossy_link", *map(str, handles), "0.3", str(DELAY_S), "1"]
    with subprocess.Popen(command, pass_fds=handles, stdin=subprocess.PIPE) as relay:
        for here, _ in pairs:
            here.settimeout(PATIENCE_S)
        yield pairs[0][0], pairs[1][0]
        relay.communicate(timeout=PATIENCE_S)
    assert relay.returncode == 0
    for pair in pairs:
        for end in pair:
            end.close()


def test_packets_are_lost_and_delayed_and_keep_their_order(ends: tuple[socket.socket, socket.socket]) -> None:
    for sender, receiver in (ends, ends[::-1]):
        began_s, arrived = time.monotonic(), list[int]()
        for number in (*range(PACKETS), *[PACKETS] * LASTS):
            sender.send(bytes([number]))
        while PACKETS not in arrived:
            arrived.append(receiver.recv(2)[0])
            assert time.monotonic() - began_s >= DELAY_S
        assert arrived == sorted(arrived)
        assert 0.5 * PACKETS < len(arrived) < 0.9 * PACKETS
