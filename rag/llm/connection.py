"""The connection to a model server: whether it is reachable, through which proxy, and how much one call may use.

A call has an `Allowance` (rag/network.py), so that no server can keep us waiting or reading forever.
LlamaIndex, openai and httpx take seconds to import, so that happens with the first call.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rag.llm.failures import unreachable
from rag.llm.local import check_files
from rag.llm.settings import ModelSettings
from rag.network import Allowance, HeldNetwork

if TYPE_CHECKING:
    import httpx
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

CONNECT_SECONDS = 2.0
"""The seconds after which a server that accepts no connection is reported as down."""
_PATIENCE = 2.0
"""The seconds to wait for a connection that is neither accepted nor refused; a lost packet is sent again after 1."""
_RESTART = 1.0
"""The seconds in which a server that refuses may come back."""
_PAUSE = 0.5
_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str) -> bool:
    """Return True if an address stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_of(settings: ModelSettings) -> str | None:
    """Return the proxy that the environment names for a server on another machine.

    A server on this machine is always reached directly, so that no proxy sees its requests.
    """
    if is_loopback(settings.host) or proxy_bypass(settings.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(urlsplit(settings.base_url).scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def check_reachable(settings: ModelSettings, *, pause: Callable[[float], None] = time.sleep) -> None:
    """Raise ServerDown if nothing listens at the address, before work that would be wasted.

    Nothing is sent. A server behind a proxy of the environment is not checked: only the proxy can reach it. For a model
    in this process the files are checked. Raises ModelFileUnusable and EngineMissing.
    """
    if settings.gguf:
        check_files(settings)
        return
    if proxy_of(settings):
        return
    parts = urlsplit(settings.base_url)
    host, port = settings.host, parts.port or _PORTS[parts.scheme]
    elapsed = 0.0
    while True:
        try:
            socket.create_connection((host, port), timeout=_PATIENCE).close()
        except ConnectionRefusedError as error:
            if elapsed >= _RESTART:
                raise unreachable(error, settings) from None
        except OSError as error:
            raise unreachable(error, settings) from None
        else:
            return
        pause(_PAUSE)
        elapsed += _PAUSE


class _Thread(threading.local):
    """The last response of this thread.

    Closing LlamaIndex's generator does not close the response: the client's stream holds itself in a cycle, and the
    server would write on until memory is collected.
    """

    response: httpx.Response | None = None


_THREAD = _Thread()


def allowance_of(settings: ModelSettings) -> Allowance:
    """Return the seconds and bytes that the settings allow for one call with all its tries."""
    return Allowance(settings.max_seconds, settings.max_bytes)


def _keep_response(response: httpx.Response) -> None:
    """Keep a response for `last_response`, before its body is read.

    Requests ask for no compression, so nothing is decompressed: a few bytes could become gigabytes.
    """
    response.headers.pop("content-encoding", None)
    _THREAD.response = response


def last_response() -> httpx.Response:
    """Return the response to this thread's last request, open where it is streamed."""
    assert _THREAD.response is not None  # noqa: S101  asked for after a request
    return _THREAD.response


def open_client(settings: ModelSettings, key: str) -> tuple[OpenAILike, OpenAI]:
    """Return LlamaIndex's model and the client inside it. No connection is made yet."""
    import httpcore
    import httpx
    from llama_index.llms.openai_like import OpenAILike
    from openai import OpenAI

    patience = httpx.Timeout(settings.timeout, connect=min(CONNECT_SECONDS, settings.timeout))
    transport = httpx.HTTPTransport(trust_env=not is_loopback(settings.host), proxy=proxy_of(settings))
    # httpx offers no public way to replace the network layer without writing a transport with errors, TLS and proxies.
    transport._pool._network_backend = HeldNetwork(httpcore.SyncBackend())  # type: ignore[assignment]  # noqa: SLF001
    http = httpx.Client(
        timeout=patience,
        follow_redirects=False,
        transport=transport,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_keep_response]},
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
