"""A model server that is not there is told within two seconds, before anything else is done."""

import socket
import time

import pytest

from rag.errors import ServerDown
from rag.llm import ModelSettings, check_reachable
from rag.llm import connection as connection_module


def nobody() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def settings(url: str) -> ModelSettings:
    return ModelSettings(base_url=url, name="scripted")


def test_a_server_that_refuses_is_told_within_two_seconds() -> None:
    started = time.monotonic()
    with pytest.raises(ServerDown, match=r"refused.*: start the server, or set rag\.model\.base_url; `vouch doctor`"):
        check_reachable(settings(nobody()))
    assert 0.9 < time.monotonic() - started < 2


def test_a_server_behind_a_proxy_is_left_to_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "getproxies", lambda: {"https": "http://proxy.example:3128"})
    monkeypatch.setattr(connection_module, "proxy_bypass", lambda _: False)
    check_reachable(settings("https://models.example/v1"))
    with pytest.raises(ServerDown):
        check_reachable(settings(nobody()), pause=lambda _: None)
