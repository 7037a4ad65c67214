"""
Find out whether an RTSP server redirects to another address: FFmpeg follows that and has no option against it.

Asked on a connection of its own before FFmpeg's. A server that redirects honestly is found; one that answers FFmpeg
otherwise is not.
"""

from __future__ import annotations

import re
import socket
import ssl
from contextlib import ExitStack
from urllib.parse import urlsplit

PORTS = {"rtsp": 554, "rtsps": 322}
LONGEST_HEAD_BYTES = 8192
_LOCATION = re.compile(rb"^RTSP/1\.\d 3\d\d .*?^Location:[ \t]*(\S+)", re.IGNORECASE | re.DOTALL | re.MULTILINE)


def rtsp_redirect(address: str, timeout_s: float) -> str | None:
    """Return where the server at this ``rtsp`` or ``rtsps`` address redirects to; None if it does not, or is away."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or PORTS.get(parts.scheme.lower())
    except ValueError:
        return None
    if host is None or port is None:
        return None
    asked = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    try:
        with ExitStack() as parts_open:
            connection: socket.socket = parts_open.enter_context(socket.create_connection((host, port), timeout_s))
            if parts.scheme.lower() == "rtsps":
                context = ssl._create_unverified_context()  # as FFmpeg does: cameras sign their certificates themselves
                connection = parts_open.enter_context(context.wrap_socket(connection, server_hostname=host))
            connection.sendall(f"DESCRIBE {asked} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n".encode())
            head = b""
            while b"\r\n\r\n" not in head and len(head) < LONGEST_HEAD_BYTES:
                part = connection.recv(LONGEST_HEAD_BYTES)
                if not part:
                    break
                head += part
    except OSError:
        return None
    found = _LOCATION.match(head)
    return None if found is None else found[1].decode("ascii", "replace")
