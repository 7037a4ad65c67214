"""
Limit the number of paired devices: in all, for viewers (places are reserved for referees), and for each address.

Viewers join with a PIN as often as they like, so a single device could take every place. Viewers of one address get
``of_one`` places; beyond that a new one replaces the one that was away for longest. Viewers never take the last places,
which referees and the camera need. Not thread-safe; ``Pairing`` holds its lock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.web.kept_devices import Device, Role
from webapp.web.wrong_tries import counted_address


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

    def heard(self, key: str, now_s: float) -> None:
        """Record that a device has just sent a request or follows a stream."""
        if key in self.devices:
            self._heard_s[key] = now_s

    def put(self, device: Device, now_s: float) -> tuple[str, ...] | None:
        """
        Admit a device, or change its role; return the keys of those that it replaced. None if there is no place.

        A device that is paired already keeps its place.
        """
        gone: tuple[str, ...] = ()
        if device.key not in self.devices:
            found = self._gives_way(device, now_s)
            if found is None:
                return None
            gone = found
        for key in gone:
            self.remove(key)
        self.devices[device.key] = device
        self._heard_s[device.key] = now_s
        return gone

    def remove(self, key: str) -> bool:
        """Remove a device; return False if there is none with that key."""
        self._heard_s.pop(key, None)
        return self.devices.pop(key, None) is not None

    def _gives_way(self, device: Device, now_s: float) -> tuple[str, ...] | None:
        """Return the devices that a new one replaces (none or one), or None if it can't be admitted."""
        viewers = [each for each in self.devices.values() if each.role is Role.VIEWER]
        if device.role is Role.VIEWER:
            address = counted_address(device.address)
            of_one = [each for each in viewers if counted_address(each.address) == address]
            if len(of_one) >= self._limits.of_one:
                return (self._longest_away(of_one),)
            if len(viewers) < self._limits.viewers and len(self.devices) < self._limits.devices:
                return ()
            return self._idle(viewers, now_s)
        if len(self.devices) < self._limits.devices:
            return ()
        return (self._longest_away(viewers),) if viewers else self._idle(list(self.devices.values()), now_s)

    def _idle(self, devices: list[Device], now_s: float) -> tuple[str, ...] | None:
        if not devices:
            return None
        key = self._longest_away(devices)
        return (key,) if now_s - self._heard_s[key] > self._limits.idle_s else None

    def _longest_away(self, devices: list[Device]) -> str:
        return min(devices, key=lambda each: self._heard_s[each.key]).key
