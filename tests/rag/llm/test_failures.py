"""What servers say no with, each in its own words: one named error for each, told what to do, and not tried again."""

from collections.abc import Callable

import pytest

from rag import errors
from rag.llm.settings import ModelSettings
from tests.support.asking import ASK, Client
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Script, refuses, replies

Serve = Callable[..., ScriptedServer]
Make = Callable[..., Client]
SETTINGS = ModelSettings(base_url="http://127.0.0.1:9/v1", name="scripted")
REFUSALS = {
    "vllm, too long": (
        refuses(
            400,
            "This model's maximum context length is 4096 tokens. However, your prompt contains at least 4097 input "
            "tokens, which exceeds this limit even without any output tokens.",
        ),
        errors.PromptTooLong,
        r"rag\.model\.context_tokens",
    ),
    "vllm, too long with images": (
        refuses(
            400,
            "The decoder prompt (length 9000) is longer than the maximum model length of 4096. Make sure that "
            "`max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
        ),
        errors.PromptTooLong,
        r"rag\.top_k",
    ),
    "openai, too long": (
        refuses(400, "Please reduce the length.", code="context_length_exceeded"),
        errors.PromptTooLong,
        r"rag\.model\.images",
    ),
    "llama.cpp, too long": (
        refuses(400, "the request exceeds the available context size", "exceed_context_size_error"),
        errors.PromptTooLong,
        "serve|start",
    ),
    "vllm, too many images": (
        refuses(400, "At most 2 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase"),
        errors.ImageRefused,
        r"rag\.model\.images",
    ),
    "vllm, broken image": (
        refuses(400, "Failed to load image: cannot identify image file <_io.BytesIO object>"),
        errors.ImageRefused,
        "cannot identify",
    ),
    "llama.cpp, no images": (
        refuses(500, "image input is not supported - hint: you may need to provide the mmproj"),
        errors.ImageRefused,
        "0 for a text-only model",
    ),
    "vllm, no such model": (
        refuses(404, "The model `scripted` does not exist.", "NotFoundError"),
        errors.ModelUnknown,
        "to one of the models that it has: scripted",
    ),
    "ollama, no such model": (
        replies(404, '{"error": {"message": "model \\"scripted\\" not found, try pulling it first"}}'),
        errors.ModelUnknown,
        r"set rag\.model\.name",
    ),
    "wrong path": (replies(404, '{"detail": "Not Found"}'), errors.NoChatServer, "ends in /v1"),
    "no key": (refuses(401, "Unauthorized"), errors.BadCredentials, r"rag\.model\.api_key_env"),
    "no money": (refuses(429, "quota", code="insufficient_quota"), errors.BadCredentials, "quota"),
    "too heavy": (replies(413, "<html>", "text/html"), errors.PromptTooLong, r"rag\.model\.max_pixels"),
    "anything else": (refuses(400, "temperature must be\n  non-negative"), errors.RequestRefused, "must be non-neg"),
    "unprocessable": (replies(422, '{"detail": [{"msg": "Field required"}]}'), errors.RequestRefused, "Field required"),
    "a page": (replies(200, "<html>Welcome</html>", "text/html"), errors.NoChatServer, r"rag\.model\.base_url"),
    "no choices": (replies(200, '{"choices": []}'), errors.NoChatServer, "not like an OpenAI-compatible"),
    "cut json": (replies(200, '{"choices": [{'), errors.NoChatServer, "not like an OpenAI-compatible"),
}


@pytest.mark.parametrize(("script", "error", "said"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_refusal_is_named_and_not_repeated(
    serve: Serve, client: Make, script: Script, error: type[Exception], said: str
) -> None:
    server = serve(script)
    made = client(server)
    with pytest.raises(error, match=said) as caught:
        made.complete(ASK)
    assert type(caught.value) is error
    assert (len(server.asked), made.pauses) == (1, [])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(serve: Serve, client: Make, status: int) -> None:
    elsewhere = serve()
    server = serve(replies(status, "", location=f"{elsewhere.url}/chat/completions"))
    with pytest.raises(errors.NoChatServer, match=r"redirects to http://127\.0\.0\.1.*not followed"):
        client(server).complete(ASK)
    assert elsewhere.asked == elsewhere.looked_up == []


def test_a_key_that_the_server_echoes_stays_out_of_the_message(
    serve: Serve, client: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_KEY", "hunter2")
    server = serve(refuses(401, "Incorrect API key provided: hunter2."))
    with pytest.raises(errors.BadCredentials, match="TINY_KEY") as caught:
        client(server, api_key_env="TINY_KEY").complete(ASK)
    assert "hunter2" not in str(caught.value)
