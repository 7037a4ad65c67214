"""Choose the port of the page and bind it."""

from __future__ import annotations

import errno
import os
import socket

PORT = 8036
"""Thirty-six cards."""
HALL_PORT = PORT + 1
"""The port of a hall: another than a table's, which may run on the same machine."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; ``OSError`` if that fails."""
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
    """Return the sentence that says why the port could not be bound, and what to do."""
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else PORT
        return f"expected port {port} of {host} to be free, but another program uses it; choose one with --port {other}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return (
            f"expected a port that may be used, got {port}, which needs special rights; choose one with --port {PORT}"
        )
    return (
        f"expected --host to be an address of this machine, got {host!r} ({error.strerror}); use 127.0.0.1 or 0.0.0.0"
    )
