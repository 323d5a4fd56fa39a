"""The client against a server that says what it is told to: what is sent, what comes back, what it costs."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from rag.errors import ServerBusy
from rag.llm.chat import Message, Reply
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


def test_closing_a_stream_closes_the_connection(serve: Serve, client: Make) -> None:
    server = serve(says("first", "second", gate=threading.Semaphore(1)), says("x"))
    made = client(server, concurrency=1)
    stream = made.stream(ASK)
    assert next(stream) == "first"
    stream.close()  # type: ignore[attr-defined]
    assert server.hung_up.wait(10)
    assert next(iter(made.stream(ASK))) == "x"  # and gives its place back


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


def test_a_queue_that_does_not_move_is_told(serve: Serve, client: Make) -> None:
    made = client(serve(says("a", "b", gate=threading.Semaphore(1))), concurrency=1, queue_seconds=0.05)
    stream = made.stream(ASK)
    next(stream)
    with pytest.raises(ServerBusy, match=r"rag\.model\.concurrency"):
        next(made.stream(ASK))
    stream.close()  # type: ignore[attr-defined]


def test_only_the_configured_key_is_sent(serve: Serve, client: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", "hunter2")
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "for-openai-only")
    server = serve(says("x"), says("x"))
    client(server, api_key_env="TINY_KEY").complete(ASK)
    client(server).complete(ASK)
    assert [a.headers["authorization"] for a in server.asked] == ["Bearer hunter2", "Bearer none"]
    assert not any("for-openai-only" in str(a.headers) for a in server.asked)


def test_llamaindex_is_imported_with_the_first_call_only() -> None:
    code = "import sys, rag.llm; print([m for m in ('llama_index', 'openai', 'httpx') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
