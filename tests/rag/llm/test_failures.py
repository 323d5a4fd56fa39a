"""Servers that fail or refuse: what is tried again, and the name of each failure."""

import json
import socket
import threading
from collections.abc import Callable

import pytest
from PIL import Image

from rag import errors
from rag.llm.chat import Message
from rag.llm.settings import ModelSettings
from tests.support.asking import ASK, Client
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Script, breaks_off, busy, refuses, replies, says

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


def test_an_echoed_key_is_not_shown(serve: Serve, client: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", "hunter2")
    server = serve(refuses(401, "Incorrect API key provided: hunter2."))
    with pytest.raises(errors.BadCredentials, match="TINY_KEY") as caught:
        client(server, api_key_env="TINY_KEY").complete(ASK)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(("header", "waited"), [("0", 0.0), ("7", 7.0), ("2.5", 2.5), ("soon", None)])
def test_the_server_says_how_long_to_wait(serve: Serve, client: Make, header: str, waited: float | None) -> None:
    made = client(serve(busy(header), says("x")))
    made.complete(ASK)
    assert made.pauses == [waited] if waited is not None else 0.4 <= made.pauses[0] <= 0.6


def test_a_failure_within_a_stream_is_named(serve: Serve, client: Make) -> None:
    frame = json.dumps({"error": {"message": "EngineCore died", "type": "InternalServerError", "code": 500}})
    with pytest.raises(errors.ServerFailed, match="EngineCore died"):
        list(client(serve(replies(200, f"data: {frame}\n\n", "text/event-stream")), retries=0).stream(ASK))


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_that_goes_in_mid_answer_is_not_tried_again(serve: Serve, client: Make, reset: bool) -> None:
    server = serve(breaks_off("It ", "rai", reset=reset))
    said: list[object] = []
    with pytest.raises(errors.ServerDown, match=r"127\.0\.0\.1") as caught:
        said.extend(client(server).stream(ASK))
    assert caught.value.text == "".join(map(str, said))
    assert caught.value.usage.calls == 1
    if not reset:  # a reset may overtake what was said before it
        assert caught.value.text == "It rai"
    assert len(server.asked) == 1


def test_a_stream_that_ends_without_its_end_is_no_reply(serve: Serve, client: Make) -> None:
    frame = json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "x", "choices": [
        {"index": 0, "delta": {"content": "It rai"}, "finish_reason": None}]})  # fmt: skip
    made = client(serve(replies(200, f"data: {frame}\n\n", "text/event-stream")))
    with pytest.raises(errors.ServerDown, match="stopped in the middle") as caught:
        list(made.stream(ASK))
    assert caught.value.text == "It rai"


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("end", "error", "said"),
    [
        ("length", errors.ReplyCutOff, r"rag\.model\.max_output_tokens"),
        ("content_filter", errors.RequestRefused, "filter"), ("abort", errors.ServerFailed, "aborted"),
    ],
)  # fmt: skip
def test_a_reply_that_did_not_end_well_is_none(
    serve: Serve, client: Make, end: str, error: type[errors.ModelError], said: str, streamed: bool
) -> None:
    made = client(serve(says('{"a": "It rai', end=end)))
    with pytest.raises(error, match=said) as caught:
        list(made.stream(ASK, schema={})) if streamed else made.complete(ASK, schema={})
    assert caught.value.text == '{"a": "It rai'
    assert caught.value.usage.completion_tokens == 7


def test_a_silent_server_is_given_up(serve: Serve, client: Make) -> None:
    server = serve(says("never", gate=threading.Semaphore(0)))
    with pytest.raises(errors.ServerSilent, match=r"rag\.model\.timeout"):
        client(server, timeout=0.2).complete(ASK)
    assert len(server.asked) == 1


def test_a_connection_that_nobody_takes_is_a_server_that_is_down(client: Make) -> None:
    with socket.socket() as full:  # its queue takes two, and no more: a further connection waits
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        address = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        with pytest.raises(errors.ServerDown, match="start the server"):
            client(address, retries=0).complete(ASK)
        for one in waiting:
            one.close()


def test_too_many_images_are_told_before_anything_is_sent(serve: Serve, client: Make) -> None:
    with pytest.raises(errors.ImageRefused, match="the prompt has 3 images, and scripted takes 2"):
        client(serve(), images=2).complete([Message("user", (Image.new("RGB", (9, 9)),) * 3)])


def test_too_long_a_prompt_is_told_before_anything_is_sent(serve: Serve, client: Make) -> None:
    made = client(serve(), context_tokens=2000, max_output_tokens=500)
    with pytest.raises(errors.PromptTooLong, match="do not fit in the context of scripted, 2000"):
        made.complete([Message("user", ("word " * 1400,))])
