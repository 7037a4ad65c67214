"""
The web server, and how many connections it holds: nobody who merely stays connected keeps others away.

Whoever says nothing for ``idle_s`` is sent away, and so is whoever takes nothing of an answer for ``write_s``: a thread
that writes would wait for such a client. Where too many are there, or too many from one address, whoever has
been silent for longest goes first; a connection that is being answered (a live stream is, all the time) stays. Where
all are being answered, the newest is not let in.
"""

from __future__ import annotations

import select
import socket
import ssl
from dataclasses import dataclass
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from webapp.web.tls_channel import TlsChannel

THREADS = 64
"""Each open page holds one thread for its live stream (40 at most), each whole film one (4); 20 are left for pages."""

MOST_BUFFERED_BYTES = 8 << 20
"""Bytes of an answer that wait for a client before the thread that makes it waits too: any answer but a whole film."""

LONGEST_REQUEST_BYTES = 1 << 20
"""Nothing that is sent here is longer; waitress would put a whole gigabyte on the disk."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many may be connected, and for how long in silence. Set by hand, 2026-11."""

    most: int = 200
    """Connections at once. More than some systems allow a program files (256) end in errors; fewer lock out a full
    house."""
    most_of_one: int = 64
    """Connections from a single address: eight browsers, of six each, behind one router. More lets one device take all
    places; fewer locks out people behind one router."""
    idle_s: int = 10
    """Seconds of silence after which a connection is closed: a page asks twice a second. Longer lets the silent hold
    places; shorter cuts off tablets on a poor network."""
    write_s: int = 20
    """Seconds without a byte taken by a client that is being answered, after which its connection is closed; a player
    that pauses asks again for the rest. Longer lets such a client hold a thread; shorter cuts off poor networks."""


class TableServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Serves ``app`` at ``listener``, over TLS where ``tls`` is given; ``run`` until it is closed."""

    def __init__(
        self, app: Flask, listener: socket.socket, limits: ConnectionLimits, tls: ssl.SSLContext | None = None
    ) -> None:
        self._limits = limits
        self.tls = tls
        if tls is not None:
            self.channel_class = TlsChannel
        settings = Adjustments(
            threads=THREADS,
            ident="kozyr",
            clear_untrusted_proxy_headers=True,
            connection_limit=2 * limits.most,  # never reached: there waitress itself lets nobody in
            channel_timeout=limits.idle_s,
            cleanup_interval=1,
            asyncore_use_poll=hasattr(select, "poll"),
            max_request_body_size=LONGEST_REQUEST_BYTES,
            outbuf_high_watermark=MOST_BUFFERED_BYTES,
        )
        address = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(app, {}, True, listener, adj=settings, bind_socket=False, sockinfo=address)

    def maintenance(self, now: float) -> None:
        """Close connections that were silent for too long, and those that take no byte of their answer."""
        super().maintenance(now)
        for channel in tuple(self.active_channels.values()):
            if channel.total_outbufs_len and channel.last_activity < now - self._limits.write_s:
                channel.handle_close()  # to ask it to close when it is writable would wait for ever

    def accept(self) -> tuple[socket.socket, Any] | None:
        """The next connection, None where there is none or no room for it."""
        accepted: tuple[socket.socket, Any] | None = super().accept()
        if accepted is None or self._has_room_for(accepted[1][0]):
            return accepted
        accepted[0].close()
        return None

    def _has_room_for(self, address: str) -> bool:
        """Is there room for one more of this address, if need be after somebody silent was sent away?"""
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
