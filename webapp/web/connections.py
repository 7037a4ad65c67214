"""
Run the web server with limits on its connections, so that idle clients can't block others.

The server closes a connection that sends nothing for ``idle_s``, and one whose client reads nothing of an answer for
``write_s``, since a writing thread would wait for it. If there are too many connections, in all or from one address,
the one that has been idle for longest is closed; a connection that is being answered (as a live stream always is)
stays. If all are being answered, the newest is refused.
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

from webapp.web.tls_channel import TableChannel, TlsChannel

THREADS = 64
"""Threads: each open page uses one for its live stream (40 at most), each whole film one (4); 20 are for pages."""

MOST_BUFFERED_BYTES = 8 << 20
"""Bytes of an answer that are buffered for a client before its thread blocks: any answer but a whole film."""

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


class TableServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
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

    def maintenance(self, now: float) -> None:
        """Close connections that were idle for too long, and those whose clients read nothing of their answer."""
        super().maintenance(now)
        for channel in tuple(self.active_channels.values()):
            if channel.total_outbufs_len and channel.last_activity < now - self._limits.write_s:
                channel.handle_close()  # closing it once it is writable would wait for ever

    def accept(self) -> tuple[socket.socket, Any] | None:
        """Return the next connection, None if there is none or no place for it."""
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
