"""The connection to a model server: whether anybody is there, by which proxy, and what one call may take of it.

A call has an `Allowance`: seconds, which run while we wait for the server and not while its reader is busy, and bytes,
which are counted on the wire: headers, bodies of errors and lines without an end are held to it like everything else.
LlamaIndex, openai and httpx take seconds to import, so that happens with the first call.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rag.llm.failures import unreachable
from rag.llm.local import check_files
from rag.llm.settings import ModelSettings

if TYPE_CHECKING:
    import httpcore
    import httpx
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

CONNECT_SECONDS = 2.0
"""The seconds after which a server that does not take a connection is told to be down."""
_PATIENCE = 2.0
"""The seconds to wait for a connection that is neither accepted nor refused; one that is lost is sent anew after 1."""
_RESTART = 1.0
"""The seconds in which a server that refuses may come back."""
_PAUSE = 0.5
_PORTS = {"http": 80, "https": 443}
_PIECE = 65_536
"""The most bytes that are sent at once: a server that takes them slowly is held to the seconds, too."""


def is_loopback(host: str) -> bool:
    """Return True if an address stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_of(settings: ModelSettings) -> str | None:
    """Return the proxy of the environment for a server on another machine.

    None is asked for a server on this one: it would see what is meant for that server.
    """
    if is_loopback(settings.host) or proxy_bypass(settings.host):
        return None
    known = getproxies()
    found = known.get(urlsplit(settings.base_url).scheme) or known.get("all")
    return found if not found or "://" in found else f"http://{found}"


def check_reachable(settings: ModelSettings, *, pause: Callable[[float], None] = time.sleep) -> None:
    """Raise ServerDown now, before work that would be for nothing, where nobody listens at the address.

    Nothing is sent. A server behind a proxy of the environment is not looked at: only the proxy knows it. Of a model in
    this process the files are looked at. Raises ModelFileUnusable and EngineMissing.
    """
    if settings.gguf:
        check_files(settings)
        return
    if proxy_of(settings):
        return
    parts = urlsplit(settings.base_url)
    host, port = settings.host, parts.port or _PORTS[parts.scheme]
    waited = 0.0
    while True:
        try:
            socket.create_connection((host, port), timeout=_PATIENCE).close()
        except ConnectionRefusedError as error:
            if waited >= _RESTART:
                raise unreachable(error, settings) from None
        except OSError as error:
            raise unreachable(error, settings) from None
        else:
            return
        pause(_PAUSE)
        waited += _PAUSE


class _Thread(threading.local):
    """The state of the call that this thread makes: what it may take, and the last response.

    Closing LlamaIndex's generator does not close the response: the client's stream holds itself in a cycle, and the
    server would write on until memory is collected.
    """

    allowance: Allowance | None = None
    response: httpx.Response | None = None


_THREAD = _Thread()


class Allowance:
    """The seconds and bytes that a call, with all its tries, has left; below 0 it has taken more than it may."""

    def __init__(self, settings: ModelSettings) -> None:
        """Begin with what the settings allow."""
        self.seconds = settings.max_seconds
        self.bytes = settings.max_bytes
        self._until = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the seconds run, and hold what this thread reads and sends to the allowance."""
        started = time.monotonic()
        self._until = started + self.seconds
        before, _THREAD.allowance = _THREAD.allowance, self
        try:
            yield
        finally:
            _THREAD.allowance = before
            self.seconds -= time.monotonic() - started

    def patience(self, timeout: float | None) -> float:
        """Return the seconds to wait for one read or write, 0 when there are none left."""
        left = max(0.0, self._until - time.monotonic())
        return left if timeout is None else min(timeout, left)


class _HeldStream:
    """A stream of httpcore's that is held to the allowance of the thread that reads or writes."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come. Raises httpcore's error of a read that took too long when the allowance is used up."""
        import httpcore

        held = _THREAD.allowance
        if held is None:
            return self._stream.read(max_bytes, timeout)
        wait = held.patience(timeout)
        if wait <= 0 or held.bytes <= 0:
            raise httpcore.ReadTimeout("the call has used up what it may take")
        data = self._stream.read(max_bytes, wait)
        held.bytes -= len(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send everything, piece by piece."""
        held = _THREAD.allowance
        for start in range(0, len(buffer), _PIECE):
            wait = timeout if held is None else max(held.patience(timeout), 0.001)
            self._stream.write(buffer[start : start + _PIECE], wait)

    def start_tls(self, *args: Any, **options: Any) -> _HeldStream:
        """Return the encrypted stream, held as well."""
        return _HeldStream(self._stream.start_tls(*args, **options))

    def __getattr__(self, name: str) -> Any:
        """Return everything else as the stream has it."""
        return getattr(self._stream, name)


class _HeldNetwork:
    """The network of httpcore, whose streams are held to the allowances."""

    def __init__(self, network: httpcore.NetworkBackend) -> None:
        self._network = network

    def connect_tcp(self, *args: Any, **options: Any) -> _HeldStream:
        """Connect, as httpcore would."""
        return _HeldStream(self._network.connect_tcp(*args, **options))

    def sleep(self, seconds: float) -> None:
        """Wait, as httpcore would."""
        self._network.sleep(seconds)


def _answered(response: httpx.Response) -> None:
    """Keep a response, as httpx reports it, before it is read.

    None was asked to be compressed, so none is expanded: a few bytes could become gigabytes.
    """
    response.headers.pop("content-encoding", None)
    _THREAD.response = response


def last_response() -> httpx.Response:
    """Return the response to this thread's last request, open where it is streamed."""
    assert _THREAD.response is not None  # noqa: S101  asked for after a request
    return _THREAD.response


def connected(settings: ModelSettings, key: str) -> tuple[OpenAILike, OpenAI]:
    """Return LlamaIndex's model and the client inside it. No connection is made yet."""
    import httpcore
    import httpx
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

    patience = httpx.Timeout(settings.timeout, connect=min(CONNECT_SECONDS, settings.timeout))
    transport = httpx.HTTPTransport(trust_env=not is_loopback(settings.host), proxy=proxy_of(settings))
    # httpx has no public way to a network of one's own but to write its transport anew: errors, TLS, proxies and all.
    transport._pool._network_backend = _HeldNetwork(httpcore.SyncBackend())  # type: ignore[assignment]  # noqa: SLF001
    http = httpx.Client(
        timeout=patience,
        follow_redirects=False,
        transport=transport,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_answered]},
    )
    client = OpenAI(
        base_url=settings.base_url,
        api_key=key or "none",  # the client insists on one
        max_retries=0,  # the tries are ours: they tell a refusal from a failure, and cover streams
        timeout=patience,
        http_client=http,
    )
    client.organization = client.project = None  # those of the environment are for OpenAI alone
    llm = OpenAILike(
        model=settings.name,
        api_base=settings.base_url,
        api_key="none",  # kept out of what LlamaIndex hands to its event handlers
        is_chat_model=True,
        should_use_structured_outputs=True,
        context_window=settings.context_tokens,
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=0,
        openai_client=client,
    )
    # max_tokens goes with each call: LlamaIndex prefers the constructor's to the call's.
    return llm, client
