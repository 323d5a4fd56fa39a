"""Resolve a host name to addresses of the public network, never to this machine or one near it.

The services that bibliographies are looked up at are asked through here.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

Resolve = Callable[[str, int], list[str]]
"""A look-up of names: host and port -> addresses."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""The only addresses of IPv6 that were given out to the public (RFC 4291): all others are local, old or reserved."""


def addresses_of(host: str, port: int) -> list[str]:
    """Return the addresses of a name, as the system knows them. Raises OSError."""
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in results))


def is_public(address: str) -> bool:
    """Return True for an address of the public network: neither this machine's, nor private, link-local or multicast.

    An address of IPv6 that carries one of IPv4 is as public as that one; tunnels (6to4, Teredo) are none, nor are other
    forms that carry one, as translators of a network of one's own use. A zone (`%eth0`) is that of a network nearby.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id or ip.sixtofour or ip.teredo:
            return False
        if ip in _NAT64:
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        elif ip.ipv4_mapped:
            ip = ip.ipv4_mapped
        elif ip not in _UNICAST:
            return False
    return ip.is_global and not ip.is_multicast


def may_be_asked(address: str, *, loopback: bool) -> bool:
    """Return True for an address that is public, or, where `loopback` lets tests ask a server here, this machine's."""
    return is_public(address) or (loopback and ipaddress.ip_address(address).is_loopback)
