"""
Lose and delay packets between this machine and a browser in a network namespace of its own, as a poor Wi-Fi does.

Two TUN devices carry IP packets, one here and one in the namespace. A process of its own passes them on: it drops each
packet with a probability, both ways, and delays the rest. TCP and UDP of the kernel see real loss. The kernel's own
``tc netem`` is not needed. Needs Linux, root and ``ip``.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE, THERE = "10.83.0.1", "10.83.0.2"
"""Addresses of this machine and of the browser's namespace on the link."""
SPACE, DEVICES = "kozyr-lossy", ("kozyr-here", "kozyr-there")
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LONGEST_PACKET = 1500
QUEUE = 10_000
"""Packets that a device holds: none is lost but those that are dropped on purpose."""
IP_S = 10.0
"""Seconds within which ``ip`` must end."""


@dataclass(frozen=True, slots=True)
class Link:
    """Each way: the probability that a packet is dropped, and how long it takes in seconds. ``seed``: of chance."""

    loss: float
    delay_s: float
    seed: int = 1


@contextmanager
def lossy_link(link: Link) -> Iterator[None]:
    """Connect ``HERE`` with ``THERE`` in the namespace ``SPACE``; one at a time."""
    with ExitStack() as parts:
        if SPACE in subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True, timeout=IP_S).stdout:
            _ip("netns", "del", SPACE)  # of a run that was killed
        _ip("netns", "add", SPACE)
        parts.callback(_ip, "netns", "del", SPACE)
        ends = [_tun(name) for name in DEVICES]
        for end in ends:
            parts.callback(os.close, end)
        _ip("link", "set", DEVICES[1], "netns", SPACE)
        for name, address, within in zip(DEVICES, (HERE, THERE), ((), ("-n", SPACE)), strict=True):
            _ip(*within, "address", "add", f"{address}/24", "dev", name)
            _ip(*within, "link", "set", name, "mtu", str(LONGEST_PACKET), "txqueuelen", str(QUEUE), "up")
        _ip("-n", SPACE, "link", "set", "lo", "up")
        command = [
            sys.executable,
            "-m",
            "benchmarks.lossy_link",
            *map(str, (*ends, link.loss, link.delay_s, link.seed)),
        ]
        relay = subprocess.Popen(command, pass_fds=ends, stdin=subprocess.PIPE)
        parts.callback(relay.communicate, timeout=IP_S)
        yield


def browser_behind(chromium: Path, folder: Path) -> Path:
    """Write a script that starts this browser in the namespace; return its path."""
    script = folder / "browser"
    script.write_text(f'#!/bin/sh\nexec ip netns exec {SPACE} "{chromium}" "$@"\n', "utf-8")
    script.chmod(0o755)
    return script


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, timeout=IP_S)


def _tun(name: str) -> int:
    """Create a TUN device that lasts until its file descriptor is closed; return that."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI))
    return device


def relay(ends: tuple[int, int], link: Link) -> None:
    """Pass packets on between two TUN devices until standard input ends."""
    chance = random.Random(link.seed)
    waiting: deque[tuple[float, int, bytes]] = deque()
    other = dict(zip(ends, reversed(ends), strict=True))
    stdin = sys.stdin.fileno()
    while True:
        patience_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select((*ends, stdin), (), (), patience_s)[0]:
            if end == stdin:
                return
            packet = os.read(end, 2 * LONGEST_PACKET)
            if chance.random() >= link.loss:
                waiting.append((time.monotonic() + link.delay_s, other[end], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, end, packet = waiting.popleft()
            os.write(end, packet)


def main() -> None:
    """Run the relay: two file descriptors, loss, delay in seconds, seed."""
    here, there, loss, delay_s, seed = sys.argv[1:]
    relay((int(here), int(there)), Link(float(loss), float(delay_s), int(seed)))


if __name__ == "__main__":
    main()
