"""The client against a server that says what it is told to: what is sent, what comes back, what it costs."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image

from rag.errors import ReplyUnusable, ServerBusy
from rag.llm.chat import Message, Reply
from rag.llm.client import ServedModel
from rag.llm.settings import ModelSettings
from tests.support import network
from tests.support.asking import ASK, Client
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Script, says

Serve = Callable[..., ScriptedServer]
Make = Callable[..., Client]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def test_pieces_come_while_the_server_still_speaks(serve: Serve, client: Make) -> None:
    gate = threading.Semaphore(1)
    stream = client(serve(says("first", "second", gate=gate))).stream(ASK)
    assert next(stream) == "first"  # the gate is shut again: nothing else can have been said
    gate.release()
    assert next(stream) == "second"
    assert isinstance(next(stream), Reply)


def test_what_a_request_holds(serve: Serve, client: Make) -> None:
    server = serve(says("{}"))
    made = client(server, temperature=0.5, seed=3, extra_body={"chat_template_kwargs": {"enable_thinking": False}})
    made.complete([Message("system", ("Be brief.",)), *ASK], schema=SCHEMA, max_tokens=77)
    (asked,) = server.asked
    assert (asked.body["model"], asked.body["temperature"], asked.body["seed"]) == ("scripted", 0.5, 3)
    assert asked.body["max_tokens"] == 77
    assert asked.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert asked.schema == SCHEMA
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert [m["role"] for m in asked.body["messages"]] == ["system", "user"]


def test_images_are_sent_in_place_and_in_whole_patches(serve: Serve, client: Make) -> None:
    server = serve(says("x"))
    wide, tall = Image.new("RGB", (640, 320), "red"), Image.new("RGB", (300, 900), "blue")
    client(server, patch=28).complete([Message("user", ("E1:", wide, "E2:", tall, "Why?"))])
    (asked,) = server.asked
    assert [p["type"] for p in asked.parts] == ["text", "image_url", "text", "image_url", "text"]
    assert [i.size for i in asked.images] == [(644, 308), (308, 896)]
    assert asked.images[0].convert("RGB").getpixel((5, 5)) == (255, 0, 0)


def test_images_outside_of_the_users_messages_are_not_dropped_in_silence(serve: Serve, client: Make) -> None:
    with pytest.raises(ValueError, match="not of the system"):
        client(serve()).complete([Message("system", (Image.new("RGB", (9, 9)),))])


def test_usage_is_the_servers_count(serve: Serve, client: Make) -> None:
    made = client(serve(says("x", usage=(1000, 50)), says("x", usage=(10, 5))), prompt_price=3, completion_price=20)
    usage = made.complete([Message("user", ("Why?", Image.new("RGB", (9, 9))))]).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.images, usage.calls) == (1000, 50, 1, 1)
    assert usage.cost == pytest.approx(0.003 + 0.001)
    assert usage.seconds > 0
    *_, reply = made.stream(ASK)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (10, 5)


@pytest.mark.parametrize("streamed", [False, True])
def test_usage_is_estimated_where_the_server_does_not_count(serve: Serve, client: Make, streamed: bool) -> None:
    made = client(serve(says("four words it is", usage=None)))
    *_, reply = made.stream(ASK) if streamed else [made.complete(ASK)]
    assert reply.usage.prompt_tokens == made.tokens(ASK)
    assert reply.usage.completion_tokens == 4


def test_a_server_that_knows_no_schema_is_told_in_words(serve: Serve, client: Make) -> None:
    server = serve(says('{"a": 1}'))
    assert client(server, structured="markers").complete(ASK, schema=SCHEMA).text == '{"a": 1}'
    assert "response_format" not in server.asked[0].body
    assert '"required": ["a"]' in server.asked[0].text


def test_json_that_is_none_is_asked_for_once_more(serve: Serve, client: Make) -> None:
    server = serve(says("Sure! Here it is."), says({"a": 1}))
    reply = client(server).complete(ASK, schema=SCHEMA)
    assert reply.text == '{"a": 1}'
    assert (reply.usage.calls, reply.usage.prompt_tokens) == (2, 22)
    roles = [m["role"] for m in server.asked[1].body["messages"]]
    assert roles == ["user", "assistant", "user"]


@pytest.mark.parametrize("text", ["", "Sure!", '{"a": 1', '{"a": 1} and more', "[1]", '"a"'])
def test_twice_no_json_is_an_error_that_keeps_the_text(serve: Serve, client: Make, text: str) -> None:
    made = client(serve(says(text), says(text)))
    with pytest.raises(ReplyUnusable, match="vouch doctor") as caught:
        made.complete(ASK, schema=SCHEMA)
    assert (caught.value.text, caught.value.usage.calls) == (text, 2)


def test_a_stream_that_is_no_json_ends_in_the_error(serve: Serve, client: Make) -> None:
    stream = client(serve(says('{"a": ', "oops"))).stream(ASK, schema=SCHEMA)
    assert [next(stream), next(stream)] == ['{"a": ', "oops"]
    with pytest.raises(ReplyUnusable):
        next(stream)


def test_control_characters_that_a_grammar_let_through_are_white_space(serve: Serve, client: Make) -> None:
    said = '{"a":\x02"x\x01y\n\x1fz"}'
    made = client(serve(says(said), says(said[:9], said[9:]), says("x\ty")))
    assert json.loads(made.complete(ASK, schema=SCHEMA).text) == {"a": "x y  z"}
    *pieces, reply = made.stream(ASK, schema=SCHEMA)
    assert "".join(pieces) == reply.text == '{"a": "x y  z"}'
    assert made.complete(ASK).text == "x\ty"


def test_closing_a_stream_closes_the_connection(serve: Serve, client: Make) -> None:
    server = serve(says("first", "second", gate=threading.Semaphore(1)), says("x"))
    made = client(server, concurrency=1)
    stream = made.stream(ASK)
    assert next(stream) == "first"
    stream.close()  # type: ignore[attr-defined]
    assert server.hung_up.wait(10)
    assert next(iter(made.stream(ASK))) == "x"  # and gives its place back


def test_a_closed_stream_leaves_nothing_to_the_garbage_collector(serve: Serve, client: Make) -> None:
    """Collected in the middle of a later call, it would wait for a lock of the connections that this call holds."""
    server = serve(says("first", "second", gate=threading.Semaphore(1)))
    stream = client(server).stream(ASK)
    next(stream)
    gc.disable()
    try:
        stream.close()  # type: ignore[attr-defined]
        assert server.hung_up.wait(10)
    finally:
        gc.enable()


def test_no_more_calls_at_once_than_the_settings_say(serve: Serve, client: Make) -> None:
    three = threading.Barrier(3, timeout=30)  # opens only when three are there, so that fewer would hang

    def answer(_: object) -> Script:
        three.wait()
        return says("x")

    server = serve(answer)
    made = client(server, concurrency=3)
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda _: made.complete(ASK).text, range(12)))
    assert replies == ["x"] * 12
    assert server.most_at_once == 3


def test_who_reads_a_stream_may_ask_something_else(serve: Serve, client: Make) -> None:
    gate = threading.Semaphore(1)
    made = client(serve(says("claim", " end", gate=gate), says("yes")), concurrency=1)
    stream = made.stream(ASK)
    assert next(stream) == "claim"
    assert made.complete(ASK).text == "yes"
    gate.release()
    assert next(stream) == " end"
    assert next(stream).text == "claim end"  # type: ignore[union-attr]


def test_a_queue_that_does_not_move_is_told(serve: Serve, client: Make) -> None:
    made = client(serve(says("a", "b", gate=threading.Semaphore(1))), concurrency=1, queue_seconds=0.05)
    stream = made.stream(ASK)
    next(stream)
    with pytest.raises(ServerBusy, match=r"rag\.model\.concurrency"):
        next(made.stream(ASK))
    stream.close()  # type: ignore[attr-defined]


def test_the_key_is_sent_and_the_environments_own_is_not(
    serve: Serve, client: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_KEY", "hunter2")
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "for-openai-only")
    server = serve(says("x"), says("x"))
    client(server, api_key_env="TINY_KEY").complete(ASK)
    client(server).complete(ASK)
    assert [a.headers["authorization"] for a in server.asked] == ["Bearer hunter2", "Bearer none"]
    assert not any("for-openai-only" in str(a.headers) for a in server.asked)


def test_a_server_on_this_machine_is_not_asked_by_proxy(
    serve: Serve, client: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name)
    assert client(serve(says("x"))).complete(ASK).text == "x"
    assert network.attempts == []


@given(text=st.text(alphabet=st.characters(), min_size=1))
@hypothesis_settings(max_examples=40)
def test_any_text_arrives_as_it_is(echoing: tuple[ScriptedServer, ServedModel], text: str) -> None:
    _, made = echoing
    shown = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent
    if shown.strip():
        assert made.complete([Message("user", (text,))]).text == shown


@pytest.fixture(scope="module")
def echoing() -> Iterator[tuple[ScriptedServer, ServedModel]]:
    with ScriptedServer(lambda asked: says(asked.text)) as server:
        client = ServedModel(ModelSettings(base_url=server.url, name="scripted"))
        yield server, client
        client.close()


def test_tokens_grow_with_all_that_is_shown(serve: Serve, client: Make) -> None:
    made = client(serve())
    text = made.tokens(ASK)
    more = made.tokens([replace(ASK[0], parts=("Why? " * 100,))])
    seen = made.tokens([replace(ASK[0], parts=("Why?", Image.new("RGB", (1024, 1024))))])
    assert text < 30
    assert more > 200
    assert seen == text + 1024 + 2


def test_llamaindex_is_imported_with_the_first_call_only() -> None:
    code = "import sys, rag.llm; print([m for m in ('llama_index', 'openai', 'httpx') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
