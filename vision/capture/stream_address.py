"""
Addresses of streams: hide their passwords, and find out whether an RTSP server redirects to another address.

FFmpeg follows a redirection and has no option against it, so the server is asked on a connection of its own first. One
that redirects honestly is found; one that answers FFmpeg otherwise is not.
"""

from __future__ import annotations

import re
import socket
import ssl
from contextlib import ExitStack
from urllib.parse import urlsplit

HIDDEN = "***"
_PASSWORD = re.compile(r"^([a-z][a-z0-9+.-]*://[^/?#:@]*):[^/?#]*@", re.IGNORECASE)
_PARAMETER = re.compile(
    r"([?&](?:pass|passwd|password|pwd|token|access_token|key|api_key|auth|secret|psw)=)[^&#]*", re.IGNORECASE
)


def without_secrets(address: str) -> str:
    """
    Return an address with passwords, and parameters named like one, hidden.

    >>> without_secrets("http://user:secret@192.168.1.5:8080/video"), without_secrets("rtsp://cam/1?user=a&pwd=b#x")
    ('http://user:***@192.168.1.5:8080/video', 'rtsp://cam/1?user=a&pwd=***#x')
    >>> without_secrets("0"), without_secrets("/home/anna/a:b@c.mp4"), without_secrets("http://user@host/?a=1")
    ('0', '/home/anna/a:b@c.mp4', 'http://user@host/?a=1')
    """
    if "://" not in address:
        return address
    return _PARAMETER.sub(rf"\g<1>{HIDDEN}", _PASSWORD.sub(rf"\g<1>:{HIDDEN}@", address))


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
