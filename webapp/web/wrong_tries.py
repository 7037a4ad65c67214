"""Limits on guessing a PIN: per address, and over all together. Not thread-safe; ``Pairing`` holds its lock."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict, deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TryLimits:
    """How often a wrong code may be entered. Chosen by hand, 2026-11, from what strangers on one network can do."""

    of_one: int = 5
    """Wrong tries after which an address is closed. More let a PIN be guessed sooner; fewer shut out who mistypes."""
    closed_s: float = 60.0
    """Seconds for which that address is closed. Longer shuts out who mistyped; shorter lets a PIN be guessed sooner."""
    of_all: int = 30
    """Wrong tries over all addresses within ``of_all_s`` after which no PIN is taken from anybody; more let a PIN
    be guessed sooner, fewer shut out a house of people who mistype. At 30 it takes 116 days on average."""
    of_all_s: float = 600.0
    """Seconds of the window of ``of_all``. Longer shuts people out for longer; shorter lets a PIN be guessed sooner."""
    addresses: int = 1000
    """Addresses that are remembered. More let strangers fill more memory; fewer let many addresses guess on."""


class WrongTries:
    """
    Counts wrong tries by address.

    An IPv6 network counts as one address (``counted_address``), since any device there has as many as it likes.
    """

    def __init__(self, limits: TryLimits = TryLimits()) -> None:
        self._limits = limits
        self._by_address: OrderedDict[str, int] = OrderedDict()
        self._closed_until_s: OrderedDict[str, float] = OrderedDict()
        self._of_all_s: deque[float] = deque(maxlen=limits.of_all)

    def wait_s(self, address: str, now_s: float) -> float:
        """Return the seconds until this address may try again; 0 where it may now."""
        wait_s = self._closed_until_s.get(counted_address(address), 0.0) - now_s
        if len(self._of_all_s) == self._limits.of_all:
            wait_s = max(wait_s, self._of_all_s[0] + self._limits.of_all_s - now_s)
        return max(0.0, wait_s)

    def add(self, address: str, now_s: float) -> None:
        """Count a wrong try; the fifth closes the address."""
        address = counted_address(address)
        self._of_all_s.append(now_s)
        tries = self._by_address.pop(address, 0) + 1
        if tries < self._limits.of_one:
            self._by_address[address] = tries
        else:
            self._closed_until_s[address] = now_s + self._limits.closed_s
        for table in (self._by_address, self._closed_until_s):
            while len(table) > self._limits.addresses:
                table.popitem(last=False)

    def forget(self, address: str) -> None:
        """Forget the wrong tries of an address from which a right code came."""
        self._by_address.pop(counted_address(address), None)


def counted_address(address: str) -> str:
    """
    Return an address as it is counted: an IPv6 address by its network of 64 bits.

    >>> counted_address("192.168.1.5"), counted_address("fd00::1:2:3:4")
    ('192.168.1.5', 'fd00::/64')
    >>> counted_address("::ffff:192.168.1.5")
    '192.168.1.5'
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
