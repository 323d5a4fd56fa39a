"""The reach of a model server: whether anybody accepts a connection at its address, found out in two seconds."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rag.llm.failures import unreachable
from rag.llm.requests import is_loopback
from rag.llm.settings import ModelSettings

_PATIENCE = 2.0
"""The seconds to wait for a connection that is neither accepted nor refused; one that is lost is sent anew after 1."""
_RESTART = 1.0
"""The seconds in which a server that refuses may come back."""
_PAUSE = 0.5
_PORTS = {"http": 80, "https": 443}


def check_reachable(settings: ModelSettings, *, pause: Callable[[float], None] = time.sleep) -> None:
    """Raise ServerDown now, before work that would be for nothing, where nobody listens at the address.

    Nothing is sent. A server behind a proxy of the environment is not looked at: only the proxy knows it.
    """
    parts = urlsplit(settings.base_url)
    host, port = settings.host, parts.port or _PORTS[parts.scheme]
    if not is_loopback(host) and parts.scheme in getproxies() and not proxy_bypass(host):
        return
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
