"""The gate: whatever a page asks for is answered from what came with it, or fetched from hosts that the settings name.

A page from a file reaches nothing. For an address, a host outside `web_hosts` is never asked, also where a redirect
names it; a name that leads to this machine or a private network is refused, and the address that was checked is the one
that is connected to. Proxies of the environment are not used: they would look the names up themselves.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, urljoin, urlsplit

from indexing import IndexingSettings, NotFetched, Resolve, addresses_of, may_be_asked

MOST_REDIRECTS = 4
MOST_URL = 4_000
AGENT = "Vouch (reads pages for an index)"
_PORTS = {"http": 80, "https": 443}
_REDIRECTS = (301, 302, 303, 307, 308)
_PIECE = 65_536
_PRINTABLE = "".join(map(chr, range(ord("!"), ord("~") + 1)))
"""The characters that stand in an address as they are, `%` among them: what is escaped is not escaped again."""


@dataclass(frozen=True, slots=True)
class WebResource:
    """A thing that a page is made of: its address (after redirects), its media type, its bytes.

    `shared` is the origin that may read it besides its own (Access-Control-Allow-Origin).
    """

    url: str
    media_type: str
    content: bytes = field(repr=False)
    shared: str = ""


class Gate(Protocol):
    """The only way from a page to anything: what stands at an address, or None."""

    def answer(self, url: str) -> WebResource | None:
        """Return what stands at an address; None where nothing does, or where it may not be asked for."""
        ...


class MemoryGate:
    """The gate of a page from a file: it answers with what the file brought, and never reaches out."""

    def __init__(self, resources: Mapping[str, WebResource]) -> None:
        """Keep what the file brought, by address."""
        self._resources = resources

    def answer(self, url: str) -> WebResource | None:
        """Return what the file brought for an address, or None."""
        return self._resources.get(url.partition("#")[0])


class NetworkGate:
    """The gate of a page at an address: GET from named hosts, within bytes, seconds and requests for the whole page.

    `fetched` keeps what came, by the address that was asked for. `loopback` lets tests ask a server of this machine.
    """

    def __init__(self, settings: IndexingSettings, *, resolve: Resolve = addresses_of, loopback: bool = False) -> None:
        """Keep the limits; nothing is connected yet, and the seconds run from here."""
        self._hosts = tuple(host.lower().rstrip(".") for host in settings.web_hosts)
        self._resolve, self._loopback = resolve, loopback
        self._bytes = settings.web_mb * 1024 * 1024
        self._requests = settings.web_requests
        self._until = time.monotonic() + settings.web_seconds
        self.fetched: dict[str, WebResource] = {}
        self.refused: dict[str, str] = {}

    def answer(self, url: str) -> WebResource | None:
        """Return what stands at an address, or None; the reason is kept in `refused`."""
        asked = url.partition("#")[0]
        if asked not in self.fetched and asked not in self.refused:
            try:
                self.fetched[asked] = self.get(asked)
            except NotFetched as error:
                self.refused[asked[:MOST_URL]] = str(error)
        return self.fetched.get(asked)

    def get(self, url: str) -> WebResource:
        """Return what stands at an address, its redirects followed. Raises NotFetched with the reason."""
        for _ in range(MOST_REDIRECTS + 1):
            host, port, scheme = self._checked(url)
            if self._requests <= 0:
                raise NotFetched(
                    f"{host}: the page makes more requests than web_requests allows: raise it to allow more"
                )
            self._requests -= 1
            try:
                found = self._asked(url, self._connection(host, port, scheme))
            except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
                reason = str(error)[:160] or type(error).__name__
                raise NotFetched(f"{host}: did not send a complete response ({reason}): try again later") from None
            if isinstance(found, WebResource):
                return found
            url = found
        raise NotFetched(
            f"{urlsplit(url).hostname}: redirects more than {MOST_REDIRECTS} times: give the final address"
        )

    def _checked(self, url: str) -> tuple[str, int, str]:
        """Return host, port and scheme of an address that may be asked. Raises NotFetched for another."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").encode("idna").decode("ascii").lower().rstrip(".")
            port = parts.port or _PORTS.get(parts.scheme, 0)
        except (ValueError, UnicodeError):
            raise NotFetched("the address cannot be parsed: give one like https://example.org/page") from None
        if parts.scheme not in _PORTS or parts.username is not None or len(url) > MOST_URL or not host:
            raise NotFetched(f"{host[:100] or 'an address'}: only plain http and https addresses are fetched")
        if not any(host == known or (known.startswith(".") and host.endswith(known)) for known in self._hosts):
            raise NotFetched(f"{host[:100]}: is not one of the allowed hosts: add it to the setting web_hosts")
        if port not in _PORTS.values() and not self._loopback:
            raise NotFetched(f"{host}: port {port} is not allowed, only 80 and 443 are")
        return host, port, parts.scheme

    def _connection(self, host: str, port: int, scheme: str) -> http.client.HTTPConnection:
        """Return a connection to a checked address of the host. Raises NotFetched for one that is not public."""
        try:
            addresses = self._resolve(host, port)[:4]
        except (OSError, UnicodeError):
            raise NotFetched(f"{host}: cannot be resolved: check the name, and the network of this machine") from None
        for address in addresses:
            if not may_be_asked(address, loopback=self._loopback):
                raise NotFetched(
                    f"{host}: resolves to {address}, which is not a public address, so no request was sent"
                )
        failure: OSError = OSError("no address")
        for address in addresses:
            try:
                plain = socket.create_connection((address, port), timeout=min(10.0, self._left()))
            except OSError as error:
                failure = error
                continue
            connection = http.client.HTTPConnection(host, port, timeout=self._left())
            connection.sock = plain
            if scheme == "https":
                with contextlib.ExitStack() as stack:
                    stack.callback(plain.close)
                    connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
                    stack.pop_all()
            return connection
        raise failure

    def _asked(self, url: str, connection: http.client.HTTPConnection) -> WebResource | str:
        """Return what a server answers, or the address of its redirect; a timer ends what takes too long."""
        timer = threading.Timer(self._left(), _shut, (connection.sock,))
        timer.daemon = True
        timer.start()
        try:
            parts = urlsplit(url)
            path = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), _PRINTABLE, errors="replace")
            headers = {"User-Agent": AGENT, "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            location = response.headers.get("location")
            if response.status in _REDIRECTS and location:
                return urljoin(url, location[:MOST_URL])
            if response.status != 200:
                raise NotFetched(f"{parts.hostname}: responds with status {response.status}: check the address")
            content = _decoded(self._body(response), response.headers.get("content-encoding", ""), self._bytes)
            self._bytes -= len(content)
            media_type = response.headers.get("content-type", "application/octet-stream")[:200]
            return WebResource(url, media_type, content, response.headers.get("access-control-allow-origin", "")[:200])
        finally:
            timer.cancel()
            connection.close()

    def _body(self, response: http.client.HTTPResponse) -> bytes:
        found = bytearray()
        while piece := response.read1(_PIECE):
            found += piece
            if len(found) > self._bytes:
                raise NotFetched("the page and its resources are larger than web_mb: raise it to allow more")
        self._left()  # what the timer has cut short looks like an end
        if response.length:
            raise NotFetched("the response ended too early: try again later")
        return bytes(found)

    def _left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise NotFetched("the page takes longer than web_seconds: raise it to allow more")
        return left


def _shut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _decoded(content: bytes, coding: str, most: int) -> bytes:
    """Return a body without its compression, if it has one although none was asked for; at most `most` bytes."""
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return content
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise NotFetched(
            f"the response uses a compression that was not requested ({coding[:40]}): save the page as a file"
        )
    unpacker = zlib.decompressobj(wbits=47)
    plain = unpacker.decompress(content, most + 1)
    if len(plain) > most:
        raise NotFetched("the page and its resources are larger than web_mb: raise it to allow more")
    return plain
