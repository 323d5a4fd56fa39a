"""Replies of a writer that never end, or end in mid-sentence: what was whole stands, and a note says so."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from indexing import Page
from rag.llm import ChatModel
from rag.methods.write.generate import Written, generate
from rag.methods.write.pages import DocumentFacts, PageView
from rag.methods.write.prompt import Form, WritingTask
from rag.methods.write.reply import WrittenSentence
from rag.settings import WritingSettings
from rag.types import Evidence
from tests.support import fakes
from tests.support.asking import Client, first_call
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import event, floods
from tests.support.writers import Writer, said

Serve = Callable[..., ScriptedServer]
Make = Callable[..., Client]
RAINS = Evidence("E1", fakes.element("It rains in Ystad."), "rain.pdf", 0.9)
SHOWN = (PageView(Page("d", 1, 420.0, 595.0), DocumentFacts("d", "rain.pdf", 1), (RAINS,), 0),)
RAIN = {"text": "It rains in Ystad.", "labels": ["E1"]}
OPENING = '{"answerable": true, "sentences": ['
STREAM = "HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n"
SOON = 5.0
"""The seconds within which a hostile reply has been read, on a busy machine too."""


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    first_call()


def written(model: ChatModel, form: Form = "schema", sentences: int = 6) -> tuple[list[Any], Written]:
    task = WritingTask("Does it rain?", "vanilla", form, WritingSettings(sentences=sentences))
    *drafts, end = generate(model, task, SHOWN)
    assert isinstance(end, Written)
    return drafts, end


def rain(n: int) -> dict[str, object]:
    return {"text": f"It rains in Ystad on day {n}.", "labels": ["E1"]}


def test_sentences_without_an_end_are_cut_off_and_the_first_stand(serve: Serve, client: Make) -> None:
    first = "".join(json.dumps(rain(n)) + ", " for n in range(3))
    server = serve(floods(STREAM + event(OPENING + first), event(json.dumps(RAIN) + ", ")))
    started = time.monotonic()
    drafts, end = written(client(server), sentences=3)
    assert time.monotonic() - started < SOON
    assert [draft for _, draft in drafts] == [WrittenSentence(str(rain(n)["text"]), ("E1",)) for n in range(3)]
    assert end.drafts == tuple(draft for _, draft in drafts)
    assert end.notes[0].startswith("the answer is not whole: ")
    assert "more than the 1536 tokens" in end.notes[0]
    assert server.hung_up.wait(SOON)


@pytest.mark.parametrize("form", ["schema", "markers"])
def test_of_a_reply_that_drips_what_was_whole_stands(serve: Serve, client: Make, form: Form) -> None:
    whole = OPENING + json.dumps(RAIN) + ', {"text": "It s' if form == "schema" else "It rains in Ystad. [E1]\nIt s"
    server = serve(floods(STREAM + event(whole), event("o "), 0.02))
    drafts, end = written(client(server, max_seconds=1.0, structured=form), form)
    assert drafts == [(0, WrittenSentence("It rains in Ystad.", ("E1",)))]
    assert end.drafts == (drafts[0][1],)
    assert "rag.model.max_seconds" in end.notes[0]
    assert end.usage.calls == 1


@pytest.mark.parametrize("form", ["schema", "markers"])
def test_a_sentence_without_an_end_is_cut_off_and_those_before_it_stand(serve: Serve, client: Make, form: Form) -> None:
    """One line, or one string of JSON, has a ceiling of its own, which is reached long before those of the reply."""
    whole = OPENING + json.dumps(RAIN) + ', {"text": "It s' if form == "schema" else "It rains in Ystad. [E1]\nIt s"
    server = serve(floods(STREAM + event(whole), event('o very \\" ' * 10)))
    made = client(server, max_output_tokens=8192, structured=form)
    drafts, end = written(made, form)
    assert drafts == [(0, WrittenSentence("It rains in Ystad.", ("E1",)))]
    assert end.drafts == (drafts[0][1],)
    assert end.notes[0].startswith("the answer is not whole: ")
    assert f"more than 4,000 characters in one {'string' if form == 'schema' else 'line'}" in end.notes[0]
    assert "rag.model.max_line_chars" in end.notes[0]
    assert server.hung_up.wait(SOON)


def test_a_reply_of_brackets_is_read_in_time_that_its_length_allows() -> None:
    boxes = '{"x": [' + "{}, " * 20_000 + "{}], "
    started = time.monotonic()
    _, end = written(Writer(boxes + said((RAIN["text"], ["E1"])).removeprefix("{"), piece=4))  # type: ignore[arg-type]
    assert time.monotonic() - started < SOON
    assert [draft.text for draft in end.drafts] == ["It rains in Ystad."]
