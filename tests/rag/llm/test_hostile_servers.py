"""Servers that mean harm: replies that drip, never end, are too deep or too large. A call ends at its ceilings."""

import gzip
import json
import time
from collections.abc import Callable

import pytest

from rag import errors
from rag.llm.chat import Reply
from tests.support.asking import ASK, Client, first_call
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Script, busy, event, floods, replies, says

Serve = Callable[..., ScriptedServer]
Make = Callable[..., Client]
OK = "HTTP/1.1 200 OK\n"
WHOLE = f"{OK}content-type: application/json\ncontent-length: 300000000\n\n"
STREAM = f"{OK}content-type: text/event-stream\n\n"
BROKEN = "HTTP/1.1 500 Broken\ncontent-type: application/json\ncontent-length: 300000000\n\n"
SOON = 5.0
"""The seconds within which a call with small ceilings has ended, on a busy machine too."""


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    first_call()


def asked(made: Client, streamed: bool) -> None:
    list(made.stream(ASK)) if streamed else made.complete(ASK)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "drip",
    [
        floods(WHOLE, " ", 0.02), floods(STREAM, ":\n", 0.02), floods(STREAM, event(""), 0.02),
        floods(STREAM, "data: ", 0.02), floods(f"{OK}x-a: ", "a", 0.02),
        floods("", "HTTP/1.1 102 Processing\r\n\r\n", 0.02), floods(BROKEN, " ", 0.02),
    ],
    ids=["body", "comments", "events", "line", "header", "processing", "error"],
)  # fmt: skip
def test_a_reply_that_drips_has_its_seconds(serve: Serve, client: Make, drip: Script, streamed: bool) -> None:
    server = serve(drip)
    started = time.monotonic()
    with pytest.raises(errors.ReplyCutOff, match=r"more than 0\.5 s .* raise rag\.model\.max_seconds"):
        asked(client(server, max_seconds=0.5, timeout=60, retries=3), streamed)
    assert time.monotonic() - started < SOON
    assert len(server.asked) == 1
    assert server.hung_up.wait(SOON)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "flood",
    [
        floods(WHOLE, " " * 4096), floods(WHOLE, '{"a":' * 1000), floods(STREAM, ": a comment\n" * 100),
        floods(f"{STREAM}data: ", "x" * 4096), floods(OK, "x-header: of many\r\n"),
        floods(f"{OK}x-header: ", "x" * 4096), floods("", "HTTP/1.1 102 Processing\r\n\r\n"),
        floods(BROKEN, "x" * 4096),
    ],
    ids=["blanks", "deep", "comments", "line", "headers", "header", "processing", "error"],
)  # fmt: skip
def test_a_reply_without_an_end_has_its_bytes(serve: Serve, client: Make, flood: Script, streamed: bool) -> None:
    server = serve(flood)
    with pytest.raises(errors.ReplyCutOff, match=r"more than 50,000 bytes .* raise rag\.model\.max_bytes"):
        asked(client(server, max_bytes=50_000, retries=3), streamed)
    assert len(server.asked) == 1
    assert server.hung_up.wait(SOON)


def test_text_without_an_end_is_cut_off_where_no_tokens_are_left(serve: Serve, client: Make) -> None:
    server = serve(floods(STREAM, event("rain " * 20)))
    said: list[object] = []
    with pytest.raises(errors.ReplyCutOff, match="more than the 16 tokens requested") as caught:
        said.extend(client(server, max_output_tokens=16).stream(ASK))
    assert caught.value.text == ("rain " * 200)[:512]
    assert caught.value.text.startswith("".join(map(str, said)))
    assert caught.value.usage.calls == 1
    assert server.hung_up.wait(SOON)


def test_a_whole_reply_of_more_than_its_tokens_is_cut_off(serve: Serve, client: Make) -> None:
    with pytest.raises(errors.ReplyCutOff, match="more than the 16 tokens") as caught:
        client(serve(says("rain " * 200)), max_output_tokens=16).complete(ASK)
    assert len(caught.value.text) == 512


@pytest.mark.parametrize("streamed", [False, True])
def test_a_line_without_an_end_is_cut_off(serve: Serve, client: Make, streamed: bool) -> None:
    begun = "It rains.\n" + "rain " * 30
    server = serve(says(*[begun[at : at + 7] for at in range(0, len(begun), 7)])) if streamed else serve(says(begun))
    with pytest.raises(errors.ReplyCutOff, match=r"more than 100 characters in one line.*max_line_chars") as caught:
        asked(client(server, max_line_chars=100), streamed)
    assert caught.value.text == begun[:110]
    assert caught.value.usage.calls == 1


@pytest.mark.parametrize("streamed", [False, True])
def test_a_string_without_an_end_is_cut_off(serve: Serve, client: Make, streamed: bool) -> None:
    """A quotation mark that is escaped, or a line end, does not end it; many short strings are no long one."""
    begun = json.dumps({"a": ["short"] * 60, "b": 'it says \\ "rain"\n ' * 20})
    made = client(serve(says(begun)), max_line_chars=100)
    with pytest.raises(errors.ReplyCutOff, match="more than 100 characters in one string") as caught:
        list(made.stream(ASK, schema={})) if streamed else made.complete(ASK, schema={})
    assert caught.value.text == begun[: begun.index("it says") + 100]
    fine = json.dumps({"a": ["short"] * 60, "b": 'it says "rain"\n'})
    assert client(serve(says(fine)), max_line_chars=100).complete(ASK, schema={}).text == fine


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("lead", ["", "data: "])
def test_json_that_is_too_deep_is_no_reply(serve: Serve, client: Make, lead: str, streamed: bool) -> None:
    deep = lead + "[" * 100_000 + "]" * 100_000 + "\n\n"
    kind = "text/event-stream" if lead else "application/json"
    with pytest.raises(errors.ModelError):
        asked(client(serve(replies(200, deep, kind)), retries=0), streamed)


def test_nothing_is_expanded(serve: Serve, client: Make) -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    with pytest.raises(errors.NoChatServer):
        client(serve(replies(200, bomb, content_encoding="gzip")), retries=0).complete(ASK)


def test_tries_and_waits_are_parts_of_one_call(serve: Serve, client: Make) -> None:
    server = serve(*[busy("40")] * 3)
    made = client(server, retries=10, max_seconds=100)
    with pytest.raises(errors.ServerBusy):
        made.complete(ASK)
    assert made.pauses == [40.0, 40.0]


def test_a_reply_that_has_ended_is_whole_whatever_the_server_sends_then(serve: Serve, client: Make) -> None:
    end = '{"id":"c","object":"x","created":1,"model":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
    server = serve(floods(f"{STREAM}{event('It rains.')}data: {end}\n\n", ": and on\n", 0.01))
    *_, reply = client(server, max_seconds=0.5).stream(ASK)
    assert isinstance(reply, Reply)
    assert reply.text == "It rains."
