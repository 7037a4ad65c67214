"""Serve the dashboard on this machine: bind the port, report the page's address, and stop on request."""

from __future__ import annotations

import errno
import logging
import os
import socket
import ssl
import sys
import threading
import webbrowser
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from flask import Flask
from waitress.wasyncore import close_all

from webapp.errors import UnusableInputError
from webapp.web.connections import ConnectionLimits, TableServer
from webapp.web.port import listen, own_addresses, page_url, sentence
from webapp.web.tls_certificate import OwnCertificate, Subjects

logger = logging.getLogger(__name__)

STREAMS_END_S = 3
"""Seconds to wait for streams at the end, which stop when the board closes; later ones are abandoned."""


class Service:
    """
    A web server. ``Service.take`` takes the port or raises ``UnusableInputError``; then ``start``, later ``stop``.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._tls: ssl.SSLContext | None = None
        self._prefers_tls = True
        self._server: Any = None
        self._thread: threading.Thread | None = None

    @classmethod
    def take(cls, host: str, port: int, *, or_any: bool = False) -> Self:
        """Take ``port`` of ``host``; with ``or_any`` another free one where it is occupied."""
        try:
            return cls(listen(host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE and or_any:
                return cls.take(host, 0)
            raise UnusableInputError(sentence(error, host, port)) from None

    def secure(self, certificate: OwnCertificate, names: Iterable[str], now: datetime, *, prefers: bool = True) -> None:
        """
        Serve over TLS, with a certificate for these names and all addresses of this machine. Before ``start``.

        ``prefers``: the addresses that are printed begin with ``https``; else TLS is spoken with whoever asks for it.
        ``UnusableInputError`` where certificates can't be kept.
        """
        self._prefers_tls = prefers
        here = ("127.0.0.1", "::1", *own_addresses(self._listener.getsockname()[0]))
        try:
            self._tls = certificate.context(Subjects.of(("localhost", *names), here), now)
        except OSError as error:
            raise UnusableInputError(
                f"expected a folder for the page's certificate, got {error.strerror!r} at {error.filename}; "
                "set KOZYR_HOME to another, or leave --tls away"
            ) from None

    @property
    def scheme(self) -> str:
        """Return ``https`` if TLS is served and preferred, else ``http``."""
        return "http" if self._tls is None or not self._prefers_tls else "https"

    @property
    def address(self) -> str:
        """Return the page's address for a browser on this machine."""
        host, port = self._listener.getsockname()[:2]
        return page_url("127.0.0.1" if host in ("0.0.0.0", "::") else host, port, self.scheme)

    @property
    def addresses_elsewhere(self) -> tuple[str, ...]:
        """Return the page's addresses for other devices; none if the server accepts only this machine."""
        host, port = self._listener.getsockname()[:2]
        return tuple(page_url(address, port, self.scheme) for address in own_addresses(host))

    @property
    def secure_addresses_elsewhere(self) -> tuple[str, ...]:
        """Return the same addresses over https; none if TLS is not served."""
        host, port = self._listener.getsockname()[:2]
        return () if self._tls is None else tuple(page_url(each, port, "https") for each in own_addresses(host))

    def start(self, app: Flask, limits: ConnectionLimits | None = None) -> None:
        """Serve ``app`` on a separate thread and return at once."""
        logging.getLogger("waitress").setLevel(logging.ERROR)
        self._server = TableServer(app, self._listener, limits or ConnectionLimits(), self._tls)
        self._thread = threading.Thread(target=self._server.run, name="web", daemon=True)
        self._thread.start()
        logger.info("the page is served at %s", self.address)

    def stop(self) -> None:
        """Stop listening and release the port. Close the board first: that ends the live streams."""
        if self._server is not None and self._thread is not None:
            self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=STREAMS_END_S)
            # The server's own thread has to close: it would go on waiting for what was closed under its hands.
            # The lock keeps it from doing so, and closing the trigger too, before that has been pulled.
            trigger = self._server.trigger
            with trigger.lock:
                trigger.thunks.append(self._close_all)
                trigger.pull_trigger()
            self._thread.join(STREAMS_END_S)
        self._listener.close()

    def _close_all(self) -> None:
        """Close all connections with the files they were sending, and the server's own sockets."""
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()
        close_all(self._server._map, ignore_all=True)


def open_browser(address: str) -> bool:
    """Open the page if there is a screen; return whether a browser was found."""
    has_screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if not has_screen:
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
