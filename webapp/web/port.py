"""Choose the port of the page and bind it; read the addresses of this machine, without sending anything."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from collections.abc import Iterable

import ifaddr

PORT = 8036
"""Thirty-six cards."""


def listen(host: str, port: int) -> socket.socket:
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
        return (
            f"The operating system refused: port {port} of {host}: another program uses it; choose one with "
            f"--port {other}"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"The operating system refused: port {port}: it needs special rights; choose one with --port {PORT}"
    return (
        f"expected --host to be an address of this machine, got {host!r} ({error.strerror}); use 127.0.0.1 or 0.0.0.0"
    )


def own_addresses(host: str, found: Iterable[str] | None = None) -> tuple[str, ...]:
    """
    Return the addresses at which other devices may reach a server that listens at ``host``; none if it is local.

    ``found``: all addresses of this machine; by default those of its adapters.

    >>> own_addresses("0.0.0.0", ["127.0.0.1", "169.254.3.4", "192.168.1.5", "fd00::5"])
    ('192.168.1.5',)
    >>> own_addresses("::", ["::1", "fe80::1", "192.168.1.5", "fd00::5"])
    ('192.168.1.5', 'fd00::5')
    >>> own_addresses("192.168.1.5"), own_addresses("127.0.0.1")
    (('192.168.1.5',), ())
    """
    here = ipaddress.ip_address(host)
    if not here.is_unspecified:
        return () if here.is_loopback else (host,)
    if found is None:
        ips = [address.ip for adapter in ifaddr.get_adapters() for address in adapter.ips]
        found = [ip if isinstance(ip, str) else ip[0] for ip in ips]
    addresses = map(ipaddress.ip_address, found)
    usable = (
        address for address in addresses if not (address.is_loopback or address.is_link_local or address.is_multicast)
    )
    return tuple(str(address) for address in usable if here.version == 6 or address.version == 4)


def page_url(host: str, port: int, scheme: str = "http") -> str:
    """
    Return the page's address.

    >>> page_url("192.168.1.5", 8036), page_url("::1", 8036, "https")
    ('http://192.168.1.5:8036/', 'https://[::1]:8036/')
    """
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"
