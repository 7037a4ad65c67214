"""Serves the dashboard on this machine: takes the port, says where the page is, and stops when told."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import sys
import threading
import webbrowser
from typing import Any, Self

from flask import Flask
from waitress.server import create_server

from webapp.errors import UnusableInputError

PORT = 8036
"""Thirty-six cards."""
THREADS = 48
"""Each open page holds one thread for its live stream; waitress's own default of 4 starves at once."""


class Service:
    """
    A web server. ``Service.take`` takes the port or raises ``UnusableInputError``; then ``start``, later ``stop``.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
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

    @property
    def address(self) -> str:
        """Where a browser on this machine finds the page."""
        host, port = self._listener.getsockname()[:2]
        if host in ("0.0.0.0", "::"):
            host = "127.0.0.1"
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def start(self, app: Flask) -> None:
        """Serve ``app`` on a thread of its own; returns at once."""
        logging.getLogger("waitress").setLevel(logging.ERROR)
        self._server = create_server(
            app, sockets=[self._listener], threads=THREADS, ident="kozyr", clear_untrusted_proxy_headers=True
        )
        self._thread = threading.Thread(target=self._server.run, name="web", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and let go of the port. Close the board first: that ends the live streams."""
        if self._server is not None:
            with contextlib.suppress(OSError):
                self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=1)
                self._server.close()
        self._listener.close()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; ``OSError`` where that cannot be."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere this would let two programs share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def sentence(error: OSError, host: str, port: int) -> str:
    """Why the port could not be taken, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return (
            f"expected port {port} of {host} to be free, but another program uses it; choose one with --port {port + 1}"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return (
            f"expected a port that may be used, got {port}, which needs special rights; choose one with --port {PORT}"
        )
    return (
        f"expected --host to be an address of this machine, got {host!r} ({error.strerror}); use 127.0.0.1 or 0.0.0.0"
    )


def open_browser(address: str) -> bool:
    """Open the page where there is a screen to open it on; was one found?"""
    has_screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if not has_screen:
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
