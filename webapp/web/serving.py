"""
Serve the dashboard on this machine, plain and over TLS, with limits on its connections: idle clients block nobody.

The server closes a connection that sends nothing for ``idle_s``, and one whose client reads nothing of an answer for
``write_s``, since a writing thread would wait for it. If there are too many connections, in all or from one address,
the one that has been idle for longest is closed; a connection that is being answered (as a live stream always is)
stays. If all are being answered, the newest is refused.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import math
import os
import select
import socket
import ssl
import sys
import threading
import time
import webbrowser
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.wasyncore import close_all

from webapp.errors import UnusableInputError
from webapp.web.port import listen, own_addresses, page_url, sentence
from webapp.web.tls_certificate import OwnCertificate, Subjects

logger = logging.getLogger(__name__)


class TableChannel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """
    A connection whose buffer is replaced by an empty one whenever all of it has been sent.

    A live stream is one answer that never ends; waitress appends each message to one buffer and frees none of it until
    ``outbuf_high_watermark`` bytes (8 MB, part of it in a temporary file) have passed through, for each open page.
    """

    @property
    def last_activity(self) -> float:
        """Return when it was last active, in seconds of the monotonic clock; waitress sets the wall clock's."""
        return self._active_at

    @last_activity.setter
    def last_activity(self, _: float) -> None:
        self._active_at = time.monotonic()

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
        super().parse_header(header_plus)
        self.url_scheme = "https"


class TlsChannel(TableChannel):
    """
    A connection whose socket becomes a TLS socket if its first byte begins a handshake.

    Plain requests at the same port are answered plainly; the application redirects them to ``https``
    (``webapp.web.request_guard``). A slow handshake delays nobody else. The lock keeps the server's thread, which
    reads, and a worker's thread, which writes, from using the socket at the same time.
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
            self.last_activity = time.monotonic()
            self.received(data)
            with self._tls_lock:
                has_more = isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0
            if not self.connected or not has_more:
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

    def send(self, data: bytes, do_close: bool = True) -> int:
        try:
            with self._tls_lock:
                return int(self.socket.send(data))
        except WAITING:
            return 0
        except OSError:
            if do_close:
                self.handle_close()
            return 0


THREADS = 96
"""
Threads: each open page uses one for its live stream (40 at most), each download one (4), 8 those that are asked to end;
36 answer all other requests (``webapp.web.admission``), 24 of which guests may use. The remaining threads refuse
requests beyond these limits.
"""

MOST_BUFFERED_BYTES = 1 << 20
"""Bytes of an answer that are buffered for a client before the next piece of it waits, and its thread with it."""
MOST_UNREAD_BYTES = 128 << 20
"""Bytes of all answers together that wait for their clients, in memory and temporary files; beyond, the connection that
has taken nothing for longest is closed."""

LONGEST_REQUEST_BYTES = 1 << 20
"""Most bytes of a request's body; by default waitress would write a whole gigabyte to the disk."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits on the number of connections and on their idle time. Set by hand, 2026-11."""

    most: int = 200
    """Concurrent connections. More than a system's limit of open files (256 on some) cause errors; fewer lock out a
    full house."""
    most_of_one: int = 64
    """Connections from a single address: eight browsers, of six each, behind one router. More lets one device take all
    places; fewer locks out people behind one router."""
    idle_s: int = 10
    """Idle seconds after which a connection is closed: a page sends two requests a second. Longer lets idle clients
    hold places; shorter cuts off tablets on a poor network."""
    write_s: int = 20
    """Seconds without a byte taken by a client that is being answered, after which its connection is closed; a player
    that pauses asks again for the rest. Longer lets such a client hold a thread; shorter cuts off poor networks."""


class PageServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Serves ``app`` at ``listener``, over TLS where ``tls`` is given; ``run`` until it is closed."""

    def __init__(
        self, app: Flask, listener: socket.socket, limits: ConnectionLimits, tls: ssl.SSLContext | None = None
    ) -> None:
        self._limits = limits
        self.tls = tls
        self.channel_class = TableChannel if tls is None else TlsChannel
        settings = Adjustments(
            threads=THREADS,
            ident="kozyr",
            clear_untrusted_proxy_headers=True,
            connection_limit=2 * limits.most,  # never reached, since waitress would refuse all connections then
            channel_timeout=limits.idle_s,
            cleanup_interval=1,
            asyncore_use_poll=hasattr(select, "poll"),
            max_request_body_size=LONGEST_REQUEST_BYTES,
            outbuf_high_watermark=MOST_BUFFERED_BYTES,
        )
        address = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(app, {}, True, listener, adj=settings, bind_socket=False, sockinfo=address)
        self.next_channel_cleanup = math.inf  # waitress goes by the wall clock, which people and systems set
        self._cleanup_at = 0.0

    def readable(self) -> bool:
        now = time.monotonic()
        if now >= self._cleanup_at:
            self._cleanup_at = now + self.adj.cleanup_interval
            self.maintenance(now)
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """
        Close connections that were idle for too long, and those whose clients read nothing of their answer.

        ``now``: seconds of the monotonic clock.
        """
        super().maintenance(now)
        unread = [channel for channel in tuple(self.active_channels.values()) if channel.total_outbufs_len]
        unread_bytes = sum(channel.total_outbufs_len for channel in unread)
        for channel in sorted(unread, key=lambda channel: float(channel.last_activity)):
            if unread_bytes > MOST_UNREAD_BYTES or channel.last_activity < now - self._limits.write_s:
                unread_bytes -= channel.total_outbufs_len
                channel.handle_close()  # closing it once it is writable would wait for ever

    def accept(self) -> tuple[socket.socket, Any] | None:
        accepted: tuple[socket.socket, Any] | None = super().accept()
        if accepted is None or self._has_room_for(accepted[1][0]):
            return accepted
        accepted[0].close()
        return None

    def _has_room_for(self, address: str) -> bool:
        """Check whether one more connection of this address fits, if necessary after closing an idle one."""
        there = [channel for channel in self.active_channels.values() if not channel.will_close]
        of_one = [channel for channel in there if channel.addr[0] == address]
        for group, most in ((of_one, self._limits.most_of_one), (there, self._limits.most)):
            if len(group) < most:
                continue
            silent = [channel for channel in group if not channel.requests and not channel.will_close]
            if not silent:
                return False
            min(silent, key=lambda channel: float(channel.last_activity)).will_close = True
        return True


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
                f"The operating system refused: {error.filename}: {error.strerror}; set KOZYR_HOME to another folder "
                "for the page's certificate, or leave --tls away"
            ) from None

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def is_local(self) -> bool:
        return ipaddress.ip_address(self._listener.getsockname()[0]).is_loopback

    @property
    def scheme(self) -> str:
        return "http" if self._tls is None or not self._prefers_tls else "https"

    @property
    def address(self) -> str:
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
        secure = (f"https://{address.partition('://')[2]}" for address in self.addresses_elsewhere)
        return () if self._tls is None else tuple(secure)

    def start(self, app: Flask, limits: ConnectionLimits | None = None) -> None:
        logging.getLogger("waitress").setLevel(logging.ERROR)
        self._server = PageServer(app, self._listener, limits or ConnectionLimits(), self._tls)
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
