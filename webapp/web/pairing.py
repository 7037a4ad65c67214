"""
Pair devices and give them roles: codes that admit a device, and the devices that are paired.

A *token* makes a device a referee's: it works once, for ten minutes. A *camera token* makes a phone the camera in the
same way, and there is one camera a table: the newest. A *PIN* of six digits makes a device a viewer's, as often as
people like; wrong tries and devices are limited (``webapp.web.pairing_limits``), with places reserved for referees. A
device proves its identity by a signed cookie that names its entry here, so that removing the entry revokes the role.
Entries and the signing key are kept (``webapp.web.stored_devices``), so that a device is paired again after a restart,
and a removed one stays removed; codes are not kept.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from itsdangerous import BadSignature, URLSafeSerializer

from webapp.web.pairing_limits import DevicePlaces, PlaceLimits, TryLimits, WrongTries
from webapp.web.stored_devices import Device, Role, StoredDevices


class Ask(Enum):
    """Who needs a code: everybody, all but this machine itself, or nobody."""

    ALWAYS = "always"
    ELSEWHERE = "elsewhere"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class PairingLimits:
    """For how long a token works, how often a code may be tried, and how many devices. Set by hand, 2026-11."""

    token_s: float = 600.0
    """Seconds for which a token works. Longer leaves a photographed code of use to others; shorter is too short to pair
    a tablet in calm."""
    tries: TryLimits = field(default_factory=TryLimits)
    places: PlaceLimits = field(default_factory=PlaceLimits)


@dataclass(frozen=True, slots=True)
class Codes:
    """The valid codes. ``token`` is None once it was used or has expired."""

    token: str | None
    pin: str


def is_same(given: str, code: str | None) -> bool:
    """Compare a given code with a valid one, in constant time; False if there is none."""
    return bool(code) and hmac.compare_digest(given.encode(), str(code).encode())


class Token:
    """A token that works once, for ``lasts_s`` seconds of the clock ``now_s``, and those before it."""

    def __init__(self, now_s: Callable[[], float], lasts_s: float) -> None:
        self._now_s, self._lasts_s = now_s, lasts_s
        self._value, self._until_s = "", 0.0
        self._old, self._replaced = set[str](), set[str]()

    @property
    def live(self) -> str | None:
        """Return the token, None if it was used or has expired."""
        return self._value if self._value and self._now_s() < self._until_s else None

    def renew(self) -> str:
        if self.live is not None:
            self._replaced.add(self._value)
        self.use_up()
        self._value, self._until_s = secrets.token_urlsafe(24), self._now_s() + self._lasts_s
        return self._value

    def use_up(self) -> None:
        if self._value:
            self._old.add(self._value)
        self._value = ""

    def was_replaced(self, token: str) -> bool:
        """Check whether a newer token took the place of this one before it was used or had expired."""
        return token in self._replaced

    def was(self, token: str) -> bool:
        """Check whether this token worked once, and does so no more or is about to."""
        return token in self._old or is_same(token, self._value)


class RefusedError(Exception):
    """
    A code was refused. ``reason``: ``wrong``, ``used`` (a token that was used, or has expired), ``replaced`` (by a
    newer one), ``closed`` (too many wrong tries; ``wait_s`` until it opens again), ``full`` or ``camera`` (a PIN from
    the camera itself).
    """

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s


class Pairing:
    """
    The codes and the devices. Thread-safe.

    ``now_s``: seconds of a monotonic clock. ``on_codes``: called whenever there are new codes to show. ``on_gone``:
    called with the key of a device that a new one replaced. ``stored``: devices from before a restart.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        ask: Ask = Ask.ELSEWHERE,
        limits: PairingLimits | None = None,
        on_codes: Callable[[Codes], None] = lambda codes: None,
        stored: StoredDevices | None = None,
    ) -> None:
        self.ask = ask
        self.on_codes = on_codes
        self.on_gone: Callable[[str], None] = lambda key: None
        self._now_s = now_s
        limits = limits or PairingLimits()
        self._stored = stored or StoredDevices()
        self._signer = URLSafeSerializer(self._stored.secret, salt="kozyr-device")
        self._lock = threading.Lock()
        self._places = DevicePlaces(self._stored.devices, limits.places)
        self._tries = WrongTries(limits.tries)
        self._token = Token(now_s, limits.token_s)
        self._camera_token = Token(now_s, limits.token_s)
        self._pin = ""
        self._renew()

    # --- codes ---

    @property
    def codes(self) -> Codes:
        with self._lock:
            return Codes(self._token.live, self._pin)

    def renew(self) -> Codes:
        """Make new codes and invalidate the old ones. Paired devices stay paired."""
        with self._lock:
            self._renew()
        self.on_codes(self.codes)
        return self.codes

    def _renew(self) -> None:
        self._token.renew()
        was = self._pin
        while self._pin == was:
            self._pin = f"{secrets.randbelow(1_000_000):06}"

    def camera_token(self) -> str:
        with self._lock:
            return self._camera_token.renew()

    def is_for_camera(self, token: str) -> bool:
        with self._lock:
            return is_same(token, self._camera_token.live)

    # --- coming in ---

    def join_with_token(self, token: str, address: str, kind: str, cookie: str | None = None) -> str:
        """
        Let a referee's device or the camera in and return its cookie. ``RefusedError`` where the token does not work.

        A token is used up only where the device came in. Wrong PINs never close the way to a token that works. Where
        nobody holds a token that works, whoever brings an old one makes a new one be shown: the owner of a program
        without a screen is never locked out.
        """
        is_renewed = False
        try:
            with self._lock:
                if is_same(token, self._token.live):
                    made = self._let_in(Role.REFEREE, address, kind, cookie)
                    self._token.use_up()
                    return made
                if is_same(token, self._camera_token.live):
                    made = self._let_in(Role.CAMERA, address, kind, cookie)
                    self._camera_token.use_up()
                    new = self._device(made)
                    for key, device in list(self._places.devices.items()):
                        if device.role is Role.CAMERA and (new is None or key != new.key):
                            self._places.remove(key)  # there is one camera a table
                    self._stored.keep(self._places.devices.values())
                    return made
                self._check_open(address)
                if self._camera_token.was_replaced(token) or self._token.was_replaced(token):
                    raise RefusedError("replaced")
                if self._camera_token.was(token):
                    raise RefusedError("used")
                if self._token.was(token):
                    if self._token.live is None:
                        self._token.renew()
                        is_renewed = True
                    raise RefusedError("used")
                self._tries.add(address, self._now_s())
                raise RefusedError("wrong")
        finally:
            if is_renewed:
                self.on_codes(self.codes)

    def join_with_pin(self, pin: str, address: str, kind: str, cookie: str | None = None) -> str:
        """Let a viewer's device in and return its cookie. ``RefusedError`` where the PIN is not the one."""
        with self._lock:
            self._check_open(address)
            if not is_same(pin, self._pin):
                self._tries.add(address, self._now_s())
                raise RefusedError("wrong")
            self._tries.forget(address)
            known = self._device(cookie)
            if known is not None and known.role is Role.CAMERA:
                raise RefusedError("camera")
            return self._let_in(known.role if known else Role.VIEWER, address, kind, cookie)

    def _check_open(self, address: str) -> None:
        """Raise ``RefusedError`` while too many wrong codes came, from this address or from all together."""
        wait_s = self._tries.wait_s(address, self._now_s())
        if wait_s > 0:
            raise RefusedError("closed", wait_s)

    def _let_in(self, role: Role, address: str, kind: str, cookie: str | None) -> str:
        known = self._device(cookie)
        device = Device(known.key if known else secrets.token_urlsafe(9), role, kind, address)
        gone = self._places.put(device, self._now_s())
        if gone is None:
            raise RefusedError("full")
        for key in gone:
            self.on_gone(key)
        self._stored.keep(self._places.devices.values())
        return str(self._signer.dumps(device.key))

    # --- being in ---

    def device(self, cookie: str | None) -> Device | None:
        with self._lock:
            return self._device(cookie)

    def record_contact(self, key: str) -> None:
        """Record that a device follows a stream, so that no other replaces it."""
        with self._lock:
            self._places.record_contact(key, self._now_s())

    def _device(self, cookie: str | None) -> Device | None:
        if cookie is None:
            return None
        try:
            device = self._places.devices.get(self._signer.loads(cookie))
        except (BadSignature, TypeError, ValueError):
            return None
        if device is not None:
            self._places.record_contact(device.key, self._now_s())
        return device

    def role(self, cookie: str | None, is_this_machine: bool) -> Role | None:
        """
        Return what a request may do; None: nothing before it is paired. A camera has no other role, on this machine
        too.
        """
        device = self.device(cookie)
        is_asked = self.ask is Ask.ALWAYS or (self.ask is Ask.ELSEWHERE and not is_this_machine)
        if not is_asked and (device is None or device.role is not Role.CAMERA):
            return Role.REFEREE
        return None if device is None else device.role

    def devices(self) -> tuple[Device, ...]:
        with self._lock:
            return tuple(self._places.devices.values())

    def take_back(self, key: str) -> bool:
        """Revoke a device's role; return False if there is none with that key."""
        with self._lock:
            is_gone = self._places.remove(key)
            self._stored.keep(self._places.devices.values())
            return is_gone


def is_owner(pairing: Pairing | None, address: str | None) -> bool:
    """
    Check whether a request from this address is the owner's: it comes from this machine itself.

    Where this machine is asked for a code, too, it may come through a proxy here, and is nobody's in particular.
    """
    return is_this_machine(address) and (pairing is None or pairing.ask is not Ask.ALWAYS)


def is_this_machine(address: str | None) -> bool:
    """
    Check whether a request from this address comes from this machine itself.

    Only the loopback addresses are: any other may be somebody else's, and whoever wants no code here can open those.

    >>> is_this_machine("127.0.0.1"), is_this_machine("::1"), is_this_machine("192.168.1.5"), is_this_machine(None)
    (True, True, False, False)
    """
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


KINDS = ("iPad", "iPhone", "Android", "Windows", "Macintosh", "CrOS", "Linux")


def device_kind(user_agent: str) -> str:
    """
    Return in one word what a device calls itself.

    >>> device_kind("Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)"), device_kind("curl/8.0"), device_kind("")
    ('iPad', 'curl', '?')
    """
    for kind in KINDS:
        if kind in user_agent:
            return kind
    word = user_agent.partition("/")[0].strip()[:20]
    return word if word.isprintable() and word else "?"
