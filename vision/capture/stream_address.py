"""
Addresses of streams: hide their passwords, and find out whether an RTSP server redirects to another address.

FFmpeg follows a redirection and has no option against it, so the server is asked on a connection of its own first. One
that redirects honestly is found; one that answers FFmpeg otherwise is not.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

HIDDEN = "***"
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(?:\[[0-9a-f:.%]+\]|[\w.-]+)(?::\d{1,5})?", re.IGNORECASE)
_NO_SCHEME = re.compile(r"[^/]*:/?[^/]*@|//.*@", re.DOTALL)
_USUAL = re.compile(
    r"(?:video|audio|stream|streaming|live|main|sub|minor|first|second|ch|channel|channels|cam|camera|ipcam|h26[45]|hevc"
    r"|avc|mjpe?g|jpe?g|mpeg|mp[g4]|mpeg4|sdp|cgi|onvif|profile|media|axis|preview|unicast|multicast|index|feed|shot"
    r"|image|snapshot|webcam|nvr|av|tcp|udp|hd|sd|(?:720|1080|2160)p|(?<!\d)\d{1,3}(?!\d)|[._-]){1,8}",
    re.IGNORECASE,
)
"""Last parts of the paths of cameras that name a stream and can hold no password or token."""


def without_secrets(address: str) -> str:
    """
    Return the parts of an address that may be shown: scheme, host, and the path's last part if it only names a stream.

    Cameras take passwords as user, as parameters and within the path, under any name, so that all else is hidden.

    >>> without_secrets("http://user:secret@192.168.1.5:8080/video"), without_secrets("rtsp://cam/a/ch1?p=b#x")
    ('http://***@192.168.1.5:8080/video', 'rtsp://cam/***/ch1?***')
    >>> without_secrets("rtsp://cam/user=a_password=b_channel=1.sdp"), without_secrets("rtsp://a:b/c@cam/live")
    ('rtsp://cam/***', 'rtsp://***')
    >>> without_secrets("0"), without_secrets("/home/anna/a:b@c.mp4"), without_secrets("user:secret@cam/live")
    ('0', '/home/anna/a:b@c.mp4', '***')
    >>> without_secrets(" http://a:secret@cam/live"), without_secrets("//a:secret@cam"), without_secrets("udp://@secret")
    ('http://***@cam/live', '***', 'udp://***')
    """
    stripped = address.strip()
    found = _ADDRESS.fullmatch(stripped)
    if found is None:
        return HIDDEN if _NO_SCHEME.match(stripped) else address
    scheme, authority, path, rest = found.groups()
    if scheme.lower() == "file":
        return address
    user, _, host = authority.rpartition("@")
    if (
        not _HOST.fullmatch(host) or authority.startswith("@") or "@" in path + rest
    ):  # an unescaped password may end the authority too early
        return f"{scheme}://{HIDDEN}"
    *folders, last = path.strip("/").split("/")
    if last and not _USUAL.fullmatch(last):
        folders, last = [], HIDDEN
    shown = f"{HIDDEN}/{last}" if folders else last
    slash = "/" if path.endswith("/") and last else ""
    return f"{scheme}://{HIDDEN + '@' if user else ''}{host}{path[:1]}{shown}{slash}{'?' + HIDDEN if rest else ''}"


def is_camera_number(source: str) -> bool:
    """
    Check whether a source is the number of a camera of this machine, within OpenCV's range.

    >>> is_camera_number("0"), is_camera_number("٣"), is_camera_number("9" * 20)
    (True, False, False)
    """
    return source.isascii() and source.isdigit() and len(source.lstrip("0")) <= 9


PORTS = {"rtsp": 554, "rtsps": 322}
LONGEST_HEAD_BYTES = 8192
_LOCATION = re.compile(rb"^RTSP/1\.\d 3\d\d .*?^Location:[ \t]*(\S+)", re.IGNORECASE | re.DOTALL | re.MULTILINE)


def rtsp_redirect(address: str, timeout_s: float) -> str | None:
    """
    Return where the server at this ``rtsp`` or ``rtsps`` address redirects to; None if it does not, or is away.

    ``TimeoutError`` if its answer is not there after ``timeout_s``, however many bytes of it have come.
    """
    end_s = time.monotonic() + timeout_s
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
                connection.settimeout(max(0.001, end_s - time.monotonic()))
                part = connection.recv(LONGEST_HEAD_BYTES)
                if not part:
                    break
                head += part
    except TimeoutError:
        raise
    except OSError:
        return None
    found = _LOCATION.match(head)
    return None if found is None else found[1].decode("ascii", "replace")
