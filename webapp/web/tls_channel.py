"""
Connections that may speak TLS: the same server, the same limits, the same port.

The first byte of a connection tells: a TLS greeting begins with 0x16, a plain request with a letter. Whoever comes with
a plain one is answered plainly, and the application sends him on to the address with ``https``
(``webapp.web.request_guard``). Nothing here waits: a greeting that comes slowly holds up nobody else, and the silent
are sent away like any other (``webapp.web.connections``).
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import Any

from waitress.parser import HTTPRequestParser

from webapp.web.table_channel import TableChannel

GREETING = b"\x16"
WAITING = (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError)


class SecureRequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request that came over TLS, and says so."""

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head of the request."""
        super().parse_header(header_plus)
        self.url_scheme = "https"


class TlsChannel(TableChannel):
    """
    A connection. Its socket becomes a TLS socket when the first byte says so; the lock keeps the server's thread, which
    reads, and a worker's, which writes, from using that at once.
    """

    socket: Any

    def __init__(self, server: Any, sock: socket.socket, *more: Any, **others: Any) -> None:
        self._context: ssl.SSLContext = server.tls
        self._is_told_apart = False
        self._tls_lock = threading.Lock()
        super().__init__(server, sock, *more, **others)

    def handle_read(self) -> None:
        """Take in what has come, all of it: what the TLS layer keeps back, no poll would tell of."""
        while True:
            try:
                with self._tls_lock:
                    data = self._take_in()
            except WAITING:
                return
            except OSError:  # a failed greeting among them
                self.handle_close()
                return
            if not data:
                self.handle_close()
                return
            self.last_activity = time.time()
            self.received(data)
            if not self.connected or not self._is_more_kept():
                return

    def _take_in(self) -> bytes:
        if not self._is_told_apart:
            first = self.socket.recv(1, socket.MSG_PEEK)
            self._is_told_apart = bool(first)
            if first == GREETING:
                self.socket = self._context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
                self.parser_class = SecureRequestParser
        data: bytes = self.socket.recv(self.adj.recv_bytes)
        return data

    def _is_more_kept(self) -> bool:
        with self._tls_lock:
            return isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send what can be sent without waiting; how many bytes that were."""
        try:
            with self._tls_lock:
                return int(self.socket.send(data))
        except WAITING:
            return 0
        except OSError:
            if do_close:
                self.handle_close()
            return 0
