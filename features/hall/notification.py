"""
Notify another program by HTTP of every record line, ruling and announcement.

Each request is a POST of JSON, signed where there is a secret: ``X-Kozyr-Signature: sha256=HEX``, the HMAC of the body.
A request that fails is sent again, in order, after a growing wait; ``warnings`` says so meanwhile. The game never waits
for a request. Redirects are not followed: they could lead to hosts that the owner did not name.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from vision.capture.stream_address import without_secrets
from webapp.errors import one_line
from webapp.live.board import BoardFollower, SnapshotHub

logger = logging.getLogger(__name__)

SECRET_VARIABLE = "KOZYR_NOTIFY_SECRET"
"""The environment variable that holds the secret: a command line is readable by every user of the machine."""
TIMEOUT_S = 5.0
WAITS_S = (1.0, 2.0, 5.0, 15.0, 30.0)
"""Seconds before each retry of a request; the last value applies to all later ones."""
MOST_LINES = 200
"""Lines of one request; a program that was away gets the rest in the next ones."""
ENDING_S = 2.0
"""Seconds that the program waits at its end for the last request."""

Post = Callable[[str, bytes, Mapping[str, str]], None]
"""Sends a body to an address with headers; raises ``OSError`` where it is not taken."""


def checked_address(text: str) -> str:
    """
    Return the address; ``ValueError`` if it cannot be notified.

    >>> checked_address("http://10.0.0.9:8080/durak")
    'http://10.0.0.9:8080/durak'
    >>> checked_address("10.0.0.9")
    Traceback (most recent call last):
        ...
    ValueError: expected an address such as http://10.0.0.9:8080/durak, got '10.0.0.9'
    """
    try:
        parts = urlsplit(text)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an IPv6 address that is none
        is_usable = False
    if not is_usable or not text.isprintable() or not text.isascii() or " " in text:
        shown = without_secrets(text)
        raise ValueError(f"expected an address such as http://10.0.0.9:8080/durak, got {shown!r:.100}")
    return text


def signature(secret: str, body: bytes) -> str:
    """
    Return the signature of a body, as ``X-Kozyr-Signature`` bears it.

    >>> signature("key", b"{}")[:20]
    'sha256=a777724d943eb'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Treats a redirect as a refusal."""

    def redirect_request(self, *redirect: Any) -> None:
        """Return None: ``urllib`` then raises ``HTTPError``."""


_OPENER = urllib.request.build_opener(_StayHere)


def post(address: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Send a body; ``OSError`` if it is not accepted. A user and password in the address are sent as RFC 7617 says."""
    parts = urlsplit(address)
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        headers = {**headers, "Authorization": f"Basic {base64.b64encode(credentials).decode()}"}
        address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    request = urllib.request.Request(address, data=body, headers=dict(headers), method="POST")
    with _OPENER.open(request, timeout=TIMEOUT_S):  # only http and https (checked_address)
        pass


class Notifier(BoardFollower):
    """
    Sends what is new on the board.

    ``address``: where to; ``secret``: what bodies are signed with, None: unsigned. ``table``: this table's name.
    """

    def __init__(
        self, board: SnapshotHub, address: str, table: str, secret: str | None = None, post: Post = post
    ) -> None:
        super().__init__(board, "notify", ENDING_S)
        self._address, self._table, self._secret, self._post = address, table, secret, post
        self._game, self._sent = 0, 0
        self.failures = 0

    def run(self) -> None:
        version = -1
        while not self._is_over.is_set():
            snapshot = self._board.wait_beyond(version, TIMEOUT_S)
            if snapshot is None:
                if self._board.closed:
                    return
                continue
            version = snapshot.version
            self.catch_up(snapshot.game, snapshot.lines)

    def catch_up(self, game: int, lines: Sequence[Mapping[str, Any]]) -> None:
        """Send all lines of a game that have not been sent, in order, however often that fails."""
        if game != self._game:
            self._game, self._sent = game, 0
        while self._sent < len(lines):
            part = list(lines[self._sent : self._sent + MOST_LINES])
            if not self._send({"table": self._table, "game": game, "from": self._sent, "lines": part}):
                return
            self._sent += len(part)

    def _send(self, values: Mapping[str, Any]) -> bool:
        body = json.dumps(values, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json"}
        if self._secret is not None:
            headers["X-Kozyr-Signature"] = signature(self._secret, body)
        tries = 0
        while True:
            try:
                self._post(self._address, body, headers)
            except Exception as error:  # whatever the other program answers; a thread that ends sends nothing more
                self.failures += 1
                reason = one_line(error) or type(error).__name__
                logger.info("%s was not notified: %s", without_secrets(self._address), reason)
                self.trouble = f"expected the program at --notify to take the lines, got {reason!r:.200}; tried again"
                if self._is_over.wait(WAITS_S[min(tries, len(WAITS_S) - 1)]):
                    return False
                tries += 1
            else:
                self.trouble = None
                return True
