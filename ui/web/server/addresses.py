"""The addresses that requests come from, as limits count them (in IPv6 one machine has many), and that they go to."""

from __future__ import annotations

from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.requests import Request

from ui.web.server.guard import Scope

CALLER: ContextVar[str] = ContextVar("CALLER", default="")
"""The address that the request being answered comes from; "" outside of one."""


def caller(scope: Scope) -> str:
    """Return the address of whoever sends a request, as the proxy names it where there is one on this machine."""
    host, _ = scope.get("client") or ("", 0)
    return counted_as(str(host))


def counted_as(host: str) -> str:
    """Return an address as it is counted: that of IPv4, or the network of 64 bits that a machine in IPv6 has."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network(f"{address}/64", strict=False))


def is_own(address: str) -> bool:
    """Return True for this machine, which is where a proxy in front of the page usually is."""
    return address in ("::/64", "") or address.startswith("127.")


def called_at(scope: Scope, origin: str = "") -> str:
    """Return the address of the page without a slash at its end, as a request calls it; `Border` has checked its Host.

    `origin` is the one that `--root-path` names, "" where each request says it.
    """
    root = str(scope.get("root_path", "")).rstrip("/")
    root = "/" + root.partition("://")[2].partition("/")[2] if "://" in root else root
    if not origin:
        url = Request(scope).url
        origin = f"{url.scheme}://{url.netloc}"
    return f"{origin}{root.rstrip('/')}"
