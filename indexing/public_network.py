"""Resolve a host name, and tell addresses of the public network from those of this machine or its network.

Bibliographic services are called only at public addresses.
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
    """Return the addresses to which the system resolves a host name, each once. Raises OSError."""
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in results))


def is_public(address: str) -> bool:
    """Return True for an address of the public network: neither this machine's, nor private, link-local or multicast.

    An IPv6 address that contains an IPv4 address (mapped, NAT64) is public if that is; tunnels (6to4, Teredo) and other
    forms that contain one are not public. An address with a zone (`%eth0`) is of a local network.
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
    """Return True if requests may go to an address: a public one or, with `loopback` (for tests), this machine's."""
    return is_public(address) or (loopback and ipaddress.ip_address(address).is_loopback)
