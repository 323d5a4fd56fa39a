"""The network, cut for the tests: every way out but loopback is refused and remembered.

In this process an audit hook sees each connection and look-up that Python makes. Processes that a test starts, and
libraries that make connections of their own, get a proxy that is a `Tripwire`: it answers no one and remembers the
call. Unix sockets and loopback stay as they are. `tests/conftest.py` fails the test during which something was
remembered.
"""

import contextlib
import ipaddress
import os
import socket
import ssl
import sys
import threading
from functools import cache
from typing import Any

attempts: list[str] = []

_NAME_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname"}
_ADDRESS_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class NetworkCut(RuntimeError):
    """A test tried to leave the machine."""


def is_loopback(host: object) -> bool:
    """Return True if `host`, a name or an address as socket functions take it, stays on this machine."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost", "0.0.0.0", "::"):
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def cut() -> None:
    """Cut the network for this process and, by its environment, for those it starts. It stays cut until the end."""
    sys.addaudithook(_refuse)
    tripwire = Tripwire()
    for name in _PROXIES:
        os.environ[name] = os.environ[name.upper()] = tripwire.url
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "localhost,127.0.0.1,::1"
    _read_certificates_once()


def _read_certificates_once() -> None:
    """Have clients of httpx share the certificates that are trusted: each reads them for each proxy, 80 ms in all."""
    from httpx import _config
    from httpx._transports import default

    @cache
    def shared(trust_env: bool, *_places: str | None) -> ssl.SSLContext:
        return _config.create_ssl_context(trust_env=trust_env)

    def context(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
        if verify is not True or cert is not None:
            return _config.create_ssl_context(verify, cert, trust_env)
        return shared(trust_env, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))

    vars(default)["create_ssl_context"] = context


def _refuse(event: str, args: tuple[object, ...]) -> None:
    if event in _NAME_EVENTS:
        host = args[0]
    elif event in _ADDRESS_EVENTS:
        sock, address = args[0], args[-1]
        if getattr(sock, "family", None) not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
            return
        host = address[0]
    else:
        return
    if not is_loopback(host):
        attempts.append(f"{event} {host!r}")
        raise NetworkCut(f"the tests have no network: {event} {host!r}")


class Tripwire:
    """A proxy on loopback that remembers the first line of every request and closes the connection."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, name="tripwire", daemon=True).start()

    def _serve(self) -> None:
        while True:
            caller, _ = self._listener.accept()
            with caller, contextlib.suppress(OSError):
                caller.settimeout(2)
                request = caller.recv(4096).decode("latin-1")
                attempts.append("by proxy " + request.partition("\r\n")[0])
