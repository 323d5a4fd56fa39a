"""What can go wrong with a server: tried again or not, and one named error for each, saying what to do."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable

import pytest
from PIL import Image

from rag import errors
from rag.llm.chat import Message
from tests.support.asking import ASK, Client
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Script, breaks_off, busy, fails, replies, says

Serve = Callable[..., ScriptedServer]
Make = Callable[..., Client]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("failure", [busy(None), fails(500), fails(503), breaks_off(), breaks_off(reset=True)])
def test_what_may_pass_is_tried_again(serve: Serve, client: Make, failure: Script, streamed: bool) -> None:
    made = client(serve(failure, failure, says("At last.")))
    *_, reply = made.stream(ASK) if streamed else [made.complete(ASK)]
    assert reply.text == "At last."
    assert reply.usage.calls == 3
    first, second = made.pauses
    assert 0.4 <= first <= 0.6
    assert 0.8 <= second <= 1.2


@pytest.mark.parametrize(("header", "waited"), [("0", 0.0), ("7", 7.0), ("2.5", 2.5), ("soon", None)])
def test_the_server_says_how_long_to_wait(serve: Serve, client: Make, header: str, waited: float | None) -> None:
    made = client(serve(busy(header), says("x")))
    made.complete(ASK)
    assert made.pauses == [waited] if waited is not None else 0.4 <= made.pauses[0] <= 0.6


@pytest.mark.parametrize(
    ("failure", "error"),
    [(busy(), errors.ServerBusy), (fails(), errors.ServerFailed), (breaks_off(), errors.ServerDown)],
)
def test_tries_come_to_an_end(serve: Serve, client: Make, failure: Script, error: type[Exception]) -> None:
    server = serve(*[failure] * 3)
    with pytest.raises(error):
        client(server, retries=2).complete(ASK)
    assert len(server.asked) == 3


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
        ("content_filter", errors.RequestRefused, "filter"),
        ("abort", errors.ServerFailed, "aborted"),
    ],
)
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
