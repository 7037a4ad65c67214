"""
Who may look and who may press: codes that let a device in, and the devices that were let in.

A *token* makes a device a referee's: it works once, for ten minutes. A *camera token* makes a phone the camera in the
same way, and there is one camera a table: the newest. A *PIN* of six digits makes a device a viewer's, as often as
people like; five wrong tries from one address close that address for a minute. A device proves itself by a
signed cookie that names its entry here, so that taking an entry away takes the role away. Entries and the key that
signs are kept (``webapp.web.kept_devices``), so that a device is in again after a restart, and one that was sent away
stays away; codes are not.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from itsdangerous import BadSignature, URLSafeSerializer

from webapp.web.kept_devices import Device, KeptDevices, Role


class Ask(Enum):
    """Who is asked for a code: everybody, all but this machine itself, or nobody."""

    ALWAYS = "always"
    ELSEWHERE = "elsewhere"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class PairingLimits:
    """For how long, and how often. From what strangers on the same network could do; chosen 2026-11."""

    token_s: float = 600.0
    """Seconds for which a token works. Longer leaves a photographed code of use to others; shorter is too short to pair
    a tablet in calm."""
    wrong_tries: int = 5
    """Wrong tries that close an address. More let a PIN be guessed sooner (at five a minute after 70 days on average);
    fewer shut out who mistypes."""
    closed_s: float = 60.0
    """Seconds for which it is closed. Longer shuts out who mistyped; shorter lets a PIN be guessed sooner."""
    devices: int = 100
    """Devices let in at most. More let strangers fill more memory; fewer may shut out a guest."""
    addresses: int = 1000
    """Addresses whose wrong tries are remembered. More let strangers fill more memory; fewer let many addresses guess
    on."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes that work now. ``token`` is None once it was used or is too old."""

    token: str | None
    pin: str


class RefusedError(Exception):
    """
    A code that lets nobody in. ``reason``: ``wrong``, ``used`` (a token that was used, or is too old), ``closed``
    (too many wrong tries; ``wait_s`` until it opens again), ``full`` or ``camera`` (a PIN from the camera itself).
    """

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s


class Pairing:
    """
    The codes and the devices. From any thread.

    ``now_s``: seconds on a clock that never runs backwards. ``on_codes``: told whenever there are new codes to show.
    ``kept``: devices of before; where there is room for no more, the one that has not come back gives way to the new.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        ask: Ask = Ask.ELSEWHERE,
        limits: PairingLimits | None = None,
        on_codes: Callable[[Codes], None] = lambda codes: None,
        kept: KeptDevices | None = None,
    ) -> None:
        self.ask = ask
        self.on_codes = on_codes
        self._now_s = now_s
        self._limits = limits or PairingLimits()
        self._kept = kept or KeptDevices()
        self._signer = URLSafeSerializer(self._kept.secret, salt="kozyr-device")
        self._lock = threading.Lock()
        self._devices: dict[str, Device] = {device.key: device for device in self._kept.devices}
        self._not_back = set(self._devices)
        self._wrong: OrderedDict[str, int] = OrderedDict()
        self._closed_until_s: OrderedDict[str, float] = OrderedDict()
        self._token, self._token_until_s, self._old_tokens = "", 0.0, set[str]()
        self._pin = ""
        self._camera_token, self._camera_token_until_s, self._old_camera_tokens = "", 0.0, set[str]()
        self._renew()

    # --- codes ---

    @property
    def codes(self) -> Codes:
        """What works now."""
        with self._lock:
            return self._codes()

    def renew(self) -> Codes:
        """New codes; the old ones work no more. Devices that are in stay in."""
        with self._lock:
            self._renew()
            codes = self._codes()
        self.on_codes(codes)
        return codes

    def _renew(self) -> None:
        if self._token:
            self._old_tokens.add(self._token)
        self._new_token()
        was = self._pin
        while self._pin == was:
            self._pin = f"{secrets.randbelow(1_000_000):06}"

    def _new_token(self) -> None:
        self._token = secrets.token_urlsafe(24)
        self._token_until_s = self._now_s() + self._limits.token_s

    def camera_token(self) -> str:
        """A new token that makes a phone the camera; the one before works no more."""
        with self._lock:
            self._old_camera_tokens.add(self._camera_token)
            self._camera_token = secrets.token_urlsafe(24)
            self._camera_token_until_s = self._now_s() + self._limits.token_s
            return self._camera_token

    def is_for_camera(self, token: str) -> bool:
        """Does this token make a phone the camera?"""
        with self._lock:
            return self._is_same(token, self._live_camera_token())

    def _live_camera_token(self) -> str | None:
        return self._camera_token if self._now_s() < self._camera_token_until_s else None

    def _codes(self) -> Codes:
        is_live = bool(self._token) and self._now_s() < self._token_until_s
        return Codes(self._token if is_live else None, self._pin)

    # --- coming in ---

    def join_with_token(self, token: str, address: str, kind: str, cookie: str | None = None) -> str:
        """
        Let a referee's device or the camera in: its cookie. ``RefusedError`` where the token does not work.

        Where nobody holds a token that works, whoever brings an old one makes a new one be shown: the owner of a
        program without a screen is never locked out.
        """
        codes = None
        try:
            with self._lock:
                address = self._open(address)
                if self._is_same(token, self._codes().token):
                    self._old_tokens.add(self._token)
                    self._token = ""
                    return self._let_in(Role.REFEREE, address, kind, cookie)
                if self._is_same(token, self._live_camera_token()):
                    return self._let_camera_in(address, kind, cookie)
                if token in self._old_camera_tokens or self._is_same(token, self._camera_token):
                    raise RefusedError("used")
                if token in self._old_tokens or self._is_same(token, self._token):
                    if self._codes().token is None:
                        self._old_tokens.add(self._token)
                        self._new_token()
                        codes = self._codes()
                    raise RefusedError("used")
                raise self._wrong_try(address)
        finally:
            if codes is not None:
                self.on_codes(codes)

    def join_with_pin(self, pin: str, address: str, kind: str, cookie: str | None = None) -> str:
        """Let a viewer's device in: its cookie. ``RefusedError`` where the PIN is not the one."""
        with self._lock:
            address = self._open(address)
            if not self._is_same(pin, self._pin):
                raise self._wrong_try(address)
            self._wrong.pop(address, None)
            known = self._device(cookie)
            if known is not None and known.role is Role.CAMERA:
                raise RefusedError("camera")
            return self._let_in(known.role if known else Role.VIEWER, address, kind, cookie)

    @staticmethod
    def _is_same(told: str, code: str | None) -> bool:
        return bool(code) and hmac.compare_digest(told.encode(), str(code).encode())

    def _open(self, address: str) -> str:
        """The address as tries are counted by it; refused while it is closed."""
        address = counted_address(address)
        left_s = self._closed_until_s.get(address, 0.0) - self._now_s()
        if left_s > 0:
            raise RefusedError("closed", left_s)
        self._closed_until_s.pop(address, None)
        return address

    def _wrong_try(self, address: str) -> RefusedError:
        tries = self._wrong.pop(address, 0) + 1
        if tries < self._limits.wrong_tries:
            self._wrong[address] = tries
        else:
            self._closed_until_s[address] = self._now_s() + self._limits.closed_s
        for table in (self._wrong, self._closed_until_s):
            while len(table) > self._limits.addresses:
                table.popitem(last=False)
        return RefusedError("wrong")

    def _let_camera_in(self, address: str, kind: str, cookie: str | None) -> str:
        """Let the camera in, in the place of the one before."""
        self._old_camera_tokens.add(self._camera_token)
        self._camera_token = ""
        known = self._device(cookie)
        for key in [device.key for device in self._devices.values() if device.role is Role.CAMERA]:
            if known is None or key != known.key:
                self._devices.pop(key)
        return self._let_in(Role.CAMERA, address, kind, cookie)

    def _let_in(self, role: Role, address: str, kind: str, cookie: str | None) -> str:
        known = self._device(cookie)
        if known is None and len(self._devices) >= self._limits.devices:
            gone = next((key for key in self._devices if key in self._not_back), None)
            if gone is None:
                raise RefusedError("full")
            self._devices.pop(gone)
        key = known.key if known else secrets.token_urlsafe(9)
        self._devices[key] = Device(key, role, kind, address)
        self._kept.keep(self._devices.values())
        return str(self._signer.dumps(key))

    # --- being in ---

    def device(self, cookie: str | None) -> Device | None:
        """The device that this cookie was given to; None of a forged one, or one whose role was taken back."""
        with self._lock:
            return self._device(cookie)

    def _device(self, cookie: str | None) -> Device | None:
        if cookie is None:
            return None
        try:
            device = self._devices.get(self._signer.loads(cookie))
        except (BadSignature, TypeError, ValueError):
            return None
        if device is not None:
            self._not_back.discard(device.key)
        return device

    def role(self, cookie: str | None, is_this_machine: bool) -> Role | None:
        """What a request may do; None: nothing before it is paired. A camera is nothing else, on this machine too."""
        device = self.device(cookie)
        is_asked = self.ask is Ask.ALWAYS or (self.ask is Ask.ELSEWHERE and not is_this_machine)
        if not is_asked and (device is None or device.role is not Role.CAMERA):
            return Role.REFEREE
        return None if device is None else device.role

    def devices(self) -> tuple[Device, ...]:
        """Those that are in, in the order in which they came."""
        with self._lock:
            return tuple(self._devices.values())

    def take_back(self, key: str) -> bool:
        """Take a device's role away; False where there is none of that key."""
        with self._lock:
            is_gone = self._devices.pop(key, None) is not None
            self._kept.keep(self._devices.values())
            return is_gone


def counted_address(address: str) -> str:
    """
    An address as wrong tries are counted by it: an IPv6 network's, since any device there has as many as it likes.

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


def is_this_machine(address: str | None) -> bool:
    """
    Does a request from this address come from this machine itself?

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
    What a device calls itself, in a word.

    >>> device_kind("Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)"), device_kind("curl/8.0"), device_kind("")
    ('iPad', 'curl', '?')
    """
    for kind in KINDS:
        if kind in user_agent:
            return kind
    word = user_agent.partition("/")[0].strip()[:20]
    return word if word.isprintable() and word else "?"
