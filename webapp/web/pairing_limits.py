"""
Limit wrong tries of a PIN, and the number of paired devices: in all, of viewers, and of each address.

Viewers join with a PIN as often as they like, so a single device could take every place. Viewers of one address get
``of_one`` places; beyond that a new one replaces the one that was away for longest. Viewers never take the last places,
which referees and the camera need. Not thread-safe; ``Pairing`` holds its lock.
"""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.web.stored_devices import Device, Role


@dataclass(frozen=True, slots=True)
class PlaceLimits:
    """Limits on the number of devices. Chosen by hand, 2026-11: a full house has some thirty."""

    devices: int = 100
    """Devices of all roles. More let strangers fill more memory; fewer may shut out a guest."""
    viewers: int = 80
    """Viewers among them. More leave fewer places to referees and the camera; fewer may shut out a guest."""
    of_one: int = 20
    """Viewers of one address. More let one device take the places of others; fewer split a household."""
    idle_s: float = 600.0
    """Seconds without a request or an open stream after which a viewer gives way to a new device. Longer keeps places
    for those who left; shorter makes a sleeping tablet enter the PIN again."""


class DevicePlaces:
    """
    The paired devices, in the order in which they came, and the time of each one's last request.

    ``devices``: those from before a restart, without any request yet.
    """

    def __init__(self, devices: Iterable[Device], limits: PlaceLimits = PlaceLimits()) -> None:
        self._limits = limits
        self.devices: dict[str, Device] = {device.key: device for device in devices}
        self._heard_s: dict[str, float] = dict.fromkeys(self.devices, -math.inf)

    def record_contact(self, key: str, now_s: float) -> None:
        """Record that a device has just sent a request or follows a stream."""
        if key in self.devices:
            self._heard_s[key] = now_s

    def put(self, device: Device, now_s: float) -> tuple[str, ...] | None:
        """
        Admit a device, or change its role; return the keys of those that it replaced. None if there is no place.

        A device that is paired already keeps its place.
        """
        gone: tuple[str, ...] | None = ()
        if device.key not in self.devices:
            viewers = [device for device in self.devices.values() if device.role is Role.VIEWER]
            is_full = len(self.devices) >= self._limits.devices
            if device.role is Role.VIEWER:
                address = counted_address(device.address)
                of_one = [viewer for viewer in viewers if counted_address(viewer.address) == address]
                if len(of_one) >= self._limits.of_one:
                    gone = (self._longest_away(of_one),)
                elif len(viewers) >= self._limits.viewers or is_full:
                    gone = self._idle(viewers, now_s)
            elif is_full:
                everybody = list(self.devices.values())
                gone = (self._longest_away(viewers),) if viewers else self._idle(everybody, now_s)
        if gone is None:
            return None
        for key in gone:
            self.remove(key)
        self.devices[device.key] = device
        self._heard_s[device.key] = now_s
        return gone

    def remove(self, key: str) -> bool:
        self._heard_s.pop(key, None)
        return self.devices.pop(key, None) is not None

    def _idle(self, devices: list[Device], now_s: float) -> tuple[str, ...] | None:
        if not devices:
            return None
        key = self._longest_away(devices)
        return (key,) if now_s - self._heard_s[key] > self._limits.idle_s else None

    def _longest_away(self, devices: list[Device]) -> str:
        return min(devices, key=lambda device: self._heard_s[device.key]).key


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
