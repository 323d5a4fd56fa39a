"""Guarded requests: GET from named hosts of the public network, with a bound on seconds, bytes and redirects.

A host outside the list is never asked, also where a redirect names it. A name that leads to an address of this machine
or of a private network is refused, and the address that was checked is the one that is connected to, so that a name
cannot lead elsewhere a moment later. Behind a proxy of the environment, which looks names up itself, the list stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from indexing import Resolve, addresses_of, may_be_asked
from plugins.audit.auditing.online.cache import ServiceResponse
from plugins.audit.errors import SourceUnreachable
from rag import Allowance, HeldNetwork, seconds_of

if TYPE_CHECKING:
    import httpcore
    import httpx

SECONDS, MOST_BYTES = 20.0, 4_000_000
"""The seconds and the bytes that one request may take, with its redirects."""
MOST_REDIRECTS = 4
_CONNECT_SECONDS = 5.0
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_URL = 4_000


class _GuardedNetwork(HeldNetwork):
    """The network of httpcore that connects to public addresses alone, and to loopback where that is allowed."""

    def __init__(self, network: httpcore.NetworkBackend, resolve: Resolve, *, loopback: bool) -> None:
        super().__init__(network)
        self._resolve, self._loopback = resolve, loopback

    def connect_tcp(self, host: str, port: int, *args: Any, **options: Any) -> Any:
        """Connect to a checked address of the host. Raises SourceUnreachable for one that is not public."""
        import httpcore

        try:
            addresses = self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise SourceUnreachable(f"{host} has no address: check the network of this machine") from error
        for address in addresses:
            if not may_be_asked(address, loopback=self._loopback):
                raise SourceUnreachable(f"{host} leads to {address}, which is no public address: it was not asked")
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses[:4]:
            try:
                return super().connect_tcp(address, port, *args, **options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class GuardedClient:
    """A client for the hosts of one service, or for pages of any host.

    `loopback` lets tests ask a server of this machine, in plain HTTP.
    """

    def __init__(
        self,
        hosts: frozenset[str] | None,
        *,
        agent: str,
        seconds: float = SECONDS,
        most_bytes: int = MOST_BYTES,
        loopback: bool = False,
        resolve: Resolve = addresses_of,
    ) -> None:
        """Keep what is allowed; nothing is connected yet. `agent` is sent as User-Agent.

        `hosts` None allows any host with a public address, but by no proxy, which would look its name up itself.
        """
        self._hosts, self._agent, self._seconds, self._most_bytes = hosts, agent, seconds, most_bytes
        self._loopback, self._resolve = loopback, resolve
        self._clients: dict[str | None, httpx.Client] = {}

    def get(self, url: str, accept: str, secret: Mapping[str, str] | None = None) -> ServiceResponse:
        """Return what stands at an address, its redirects followed among the hosts.

        `secret` are headers for the first host alone. Raises SourceUnreachable with the reason.
        """
        import httpx

        allowance = Allowance(self._seconds, self._most_bytes)
        headers = {"accept": accept, "accept-encoding": "identity", "user-agent": self._agent}
        url = url if self._hosts is not None else self._with_https(url)
        if why := self._reason_to_refuse(url):
            raise SourceUnreachable(why)
        try:
            with allowance.running():
                for _ in range(MOST_REDIRECTS + 1):
                    response = self._one(url, headers | dict(secret or {}))
                    if not response.elsewhere or self._reason_to_refuse(response.elsewhere):
                        return response
                    url, secret = response.elsewhere, None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise SourceUnreachable(self._reason(error, allowance)) from error
        raise SourceUnreachable(f"redirects more than {MOST_REDIRECTS} times")

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            client.close()

    def _one(self, url: str, headers: Mapping[str, str]) -> ServiceResponse:
        host = urlsplit(url).hostname or ""
        with self._client(host).stream("GET", url, headers=headers) as response:
            wait = seconds_of(response.headers.get("retry-after"))
            if response.status_code in _REDIRECTS and response.headers.get("location"):
                target = urljoin(url, response.headers["location"][:_MOST_URL])
                return ServiceResponse(response.status_code, b"", host, self._with_https(target), wait=wait)
            return ServiceResponse(response.status_code, b"".join(response.iter_raw()), host, wait=wait)

    def _with_https(self, url: str) -> str:
        """Return an address with https in place of http: a registry's hosts have both."""
        plain = url.startswith("http://") and not self._loopback
        return f"https://{url.removeprefix('http://')}" if plain else url

    def _reason_to_refuse(self, url: str) -> str:
        """Return the reason why an address is not asked; empty where it may be."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            return "an address that cannot be read"
        host = (parts.hostname or "").lower()
        if not host or (self._hosts is not None and host not in self._hosts) or parts.username is not None:
            return f"{host[:100]!r} is none of the hosts that may be asked"
        if not self._loopback and (parts.scheme != "https" or port not in (None, 443)):
            return f"{host} would be asked without encryption, or at an odd port"
        return ""

    def _client(self, host: str) -> httpx.Client:
        """Return the client for a host: direct, or by the proxy of the environment."""
        import httpcore
        import httpx

        proxy = None if self._loopback else _proxy_for(host)
        if proxy and self._hosts is None:
            raise SourceUnreachable("pages are not fetched through a proxy: it would look their hosts up unchecked")
        if proxy not in self._clients:
            transport = httpx.HTTPTransport(trust_env=not self._loopback, proxy=proxy)
            network = httpcore.SyncBackend()
            net = HeldNetwork(network) if proxy else _GuardedNetwork(network, self._resolve, loopback=self._loopback)
            # httpx has no public way to a network of one's own (see rag/llm/connection.py)
            transport._pool._network_backend = net  # type: ignore[assignment]  # noqa: SLF001
            self._clients[proxy] = httpx.Client(
                transport=transport,
                timeout=httpx.Timeout(self._seconds, connect=min(_CONNECT_SECONDS, self._seconds)),
                follow_redirects=False,
            )
        return self._clients[proxy]

    def _reason(self, error: Exception, allowance: Allowance) -> str:
        import httpx

        if allowance.bytes <= 0:
            return f"sends more than {self._most_bytes:,} bytes"
        if isinstance(error, httpx.TimeoutException):
            return f"gave no whole answer in {self._seconds:g} s"
        return f"the connection failed ({str(error)[:200] or type(error).__name__})"


def _proxy_for(host: str) -> str | None:
    """Return the proxy of the environment for a host, if there is one."""
    if proxy_bypass(host):
        return None
    proxies = getproxies()
    proxy = proxies.get("https") or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"
