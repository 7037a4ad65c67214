"""
Serve TLS and plain HTTP on the same port, with the same limits.

The first byte of a connection decides: a TLS handshake begins with 0x16, a plain request with a letter. Plain requests
are answered plainly; the application redirects them to ``https`` (``webapp.web.request_guard``). Nothing here blocks: a
slow handshake delays nobody else, and idle connections are closed as usual (``webapp.web.connections``).

The buffers of a connection are released once its client has read everything. A live stream is one answer that never
ends; waitress appends each message to one buffer and frees none of it until ``outbuf_high_watermark`` bytes have passed
through (8 MB here, part of it in a temporary file), for each open page.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import Any

from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser


class TableChannel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection whose buffer is replaced by an empty one whenever all of it has been sent."""

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send what can be sent; return whether anything was. The caller holds ``outbuf_lock``."""
        has_sent = bool(super()._flush_some(do_close=do_close))
        if len(self.outbufs) == 1 and not self.total_outbufs_len and self.outbufs[0].buf is not None:
            self.outbufs[0].close()
            self.outbufs[0] = OverflowableBuffer(self.adj.outbuf_overflow)
            self.current_outbuf_count = 0
        return has_sent


HANDSHAKE = b"\x16"
WAITING = (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError)


class SecureRequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request over TLS; its scheme is https."""

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head of the request."""
        super().parse_header(header_plus)
        self.url_scheme = "https"


class TlsChannel(TableChannel):
    """
    A connection whose socket becomes a TLS socket if the first byte begins a handshake. The lock keeps the server's
    thread, which reads, and a worker's thread, which writes, from using it at the same time.
    """

    socket: Any

    def __init__(self, server: Any, sock: socket.socket, *more: Any, **others: Any) -> None:
        self._context: ssl.SSLContext = server.tls
        self._is_detected = False
        self._tls_lock = threading.Lock()
        super().__init__(server, sock, *more, **others)

    def handle_read(self) -> None:
        """Receive all available data: polling does not report what the TLS layer has buffered."""
        while True:
            try:
                with self._tls_lock:
                    data = self._receive()
            except WAITING:
                return
            except OSError:  # a failed handshake, for example
                self.handle_close()
                return
            if not data:
                self.handle_close()
                return
            self.last_activity = time.time()
            self.received(data)
            if not self.connected or not self._has_buffered():
                return

    def _receive(self) -> bytes:
        if not self._is_detected:
            first = self.socket.recv(1, socket.MSG_PEEK)
            self._is_detected = bool(first)
            if first == HANDSHAKE:
                self.socket = self._context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
                self.parser_class = SecureRequestParser
        data: bytes = self.socket.recv(self.adj.recv_bytes)
        return data

    def _has_buffered(self) -> bool:
        with self._tls_lock:
            return isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send as much as possible without blocking; return the number of bytes."""
        try:
            with self._tls_lock:
                return int(self.socket.send(data))
        except WAITING:
            return 0
        except OSError:
            if do_close:
                self.handle_close()
            return 0
