"""Read the addresses of this machine from its network adapters, without sending anything."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

import ifaddr


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
    addresses = map(ipaddress.ip_address, _of_adapters() if found is None else found)
    usable = (each for each in addresses if not (each.is_loopback or each.is_link_local or each.is_multicast))
    return tuple(str(each) for each in usable if here.version == 6 or each.version == 4)


def _of_adapters() -> list[str]:
    ips = (address.ip for adapter in ifaddr.get_adapters() for address in adapter.ips)
    return [ip if isinstance(ip, str) else ip[0] for ip in ips]


def page_url(host: str, port: int, scheme: str = "http") -> str:
    """
    Return the page's address.

    >>> page_url("192.168.1.5", 8036), page_url("::1", 8036, "https")
    ('http://192.168.1.5:8036/', 'https://[::1]:8036/')
    """
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"
