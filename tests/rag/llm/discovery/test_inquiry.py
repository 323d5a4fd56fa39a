"""The inquiry of a model: what each of the usual servers says of its context, and what is made of silence."""

from collections.abc import Callable
from typing import Any

import pytest

from rag import ModelSettings
from rag.llm.discovery import Inquiry, probe_server
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, refuses, says

Serve = Callable[..., ScriptedServer]


def honest(request: Asked) -> Script:
    """A server that holds replies to schemas and sees images."""
    tokens = (20 + 64 * len(request.images), 5)
    if request.schema is not None:
        return says({"word": request.schema["properties"]["word"]["enum"][1]}, usage=tokens)
    return says("A square.", usage=tokens)


def inquired(server: ScriptedServer, context: int = 0, **keys: object) -> dict[str, Inquiry]:
    values = {"base_url": server.url, "name": "scripted", "retries": 0} | keys
    return {finding.about: finding for finding in probe_server(ModelSettings.model_validate(values), context)}


@pytest.mark.parametrize(
    "unheld", [says("hello"), says('{"word": "hello"}'), refuses(400, "response_format is unknown")]
)
def test_a_server_without_schemas_is_written_down(serve: Serve, unheld: Script) -> None:
    found = inquired(serve(lambda request: unheld if request.schema else honest(request)), 8192)
    assert not found["structured output"].good
    assert found["context"].settings.structured == "markers"
    assert found["context"].settings.images == 8


@pytest.mark.parametrize("blind", [says("A square.", usage=(20, 5)), refuses(400, "image input is not supported")])
def test_a_model_that_sees_nothing_is_written_down(serve: Serve, blind: Script) -> None:
    found = inquired(serve(lambda request: blind if request.images else honest(request)), 8192)
    assert not found["images"].good
    assert found["context"].settings.images == 0


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/props", {"default_generation_settings": {"n_ctx": 6000}}),
        ("/api/ps", {"models": [{"name": "other", "context_length": 9}, {"name": "scripted", "context_length": 6000}]}),
        ("/api/v0/models", {"data": [{"id": "scripted", "max_context_length": 9000, "loaded_context_length": 6000}]}),
    ],
    ids=["llama.cpp", "Ollama", "LM Studio"],
)
def test_the_context_is_asked_of_the_pages_that_servers_have(serve: Serve, path: str, page: Any) -> None:
    server = serve(honest)
    server.pages = {path: page}
    found = inquired(server)["context"]
    assert (found.good, found.says) == (True, "6000 tokens")
    assert (found.settings.context_tokens, found.settings.max_output_tokens) == (6000, 1500)


@pytest.mark.parametrize("page", [{}, [], "x", {"default_generation_settings": {"n_ctx": "many"}}, 7, None])
def test_a_context_that_nobody_says_is_a_small_one(serve: Serve, page: Any) -> None:
    server = serve(honest)
    server.pages = dict.fromkeys(("/props", "/api/ps", "/api/v0/models"), page)
    found = inquired(server)["context"]
    assert (found.good, found.settings.context_tokens) == (False, 4096)
    assert "set rag.model.context_tokens, now 4096, to the value the server was started with" in found.says
