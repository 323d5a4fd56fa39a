"""Traces: what a collector gets of a question and of the calls of models, and what it must not get."""

import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import Pipeline
from rag.errors import ModelError
from rag.usage import current_span_attributes, trace_span, trace_steps, traced_apart, traces_sent
from tests.support import fakes
from tests.support.asking import ASK, Client
from tests.support.otlp_receiver import OtlpReceiver, attributes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import fails, says

QUESTION = "When was the mill built?"


def test_a_question_is_a_tree_of_spans(tmp_path: Path, embedder: MiniLM) -> None:
    collection = fakes.collection(tmp_path / "home", embedder)
    fakes.index(collection, {"mill.pdf": [["The mill was built in 1742."]]})
    with OtlpReceiver() as receiver:
        with traces_sent(receiver.address), trace_span("vouch.request", http__route="/api/v1"):
            Pipeline(collection).answer(QUESTION)
        (request,), (question,) = receiver.named("vouch.request"), receiver.named("vouch.question")
        (retrieve,), stages = receiver.named("vouch.retrieve"), receiver.named("vouch.answer")
    assert receiver.services == {"vouch"}
    assert question.parent_span_id == request.span_id
    assert retrieve.parent_span_id == question.span_id == stages[0].parent_span_id
    assert {span.trace_id for span in receiver.spans} == {request.trace_id}
    assert attributes(question) == {"vouch.method": "quote"}
    assert attributes(request) == {"http.route": "/api/v1"}
    assert question.start_time_unix_nano <= retrieve.start_time_unix_nano <= retrieve.end_time_unix_nano
    assert b"mill" not in b"".join(span.SerializeToString() for span in receiver.spans)


def test_calls_of_models_are_spans_and_fail_by_their_type() -> None:
    scripts = (says("It rains."), says("It snows."), fails())
    with OtlpReceiver() as receiver, ScriptedServer(*scripts) as server, traces_sent(receiver.address):
        model = Client(server, retries=0)
        with trace_span("outer"):
            model.complete(ASK)
            list(model.stream(ASK))
        with pytest.raises(ModelError):
            model.complete(ASK)
        model.close()
    whole, streamed, failed = sorted(receiver.named("vouch.model"), key=lambda span: span.start_time_unix_nano)
    (outer,) = receiver.named("outer")
    assert whole.parent_span_id == streamed.parent_span_id == outer.span_id
    assert attributes(whole) == {"gen_ai.request.model": "scripted", "stream": False}
    assert attributes(streamed) == {"gen_ai.request.model": "scripted", "stream": True}
    assert failed.status.code == 2
    assert not failed.status.message
    assert not failed.events
    assert attributes(failed)["error.type"] == "ServerFailed"
    assert whole.status.code == 0


def in_another_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_generator_may_be_stepped_and_closed_anywhere() -> None:
    closed: list[bool] = []

    @trace_steps("steps")
    def steps(most: int) -> Generator[int]:
        try:
            for number in range(most):
                current_span_attributes(number=number)
                with trace_span("inner"):
                    pass
                yield number
        finally:
            closed.append(True)

    assert list(steps(2)) == [0, 1]
    with OtlpReceiver() as receiver:
        with traces_sent(receiver.address):
            values = steps(3)
            assert next(values) == 0
            in_another_thread(lambda: next(values))
            with traced_apart("apart"):
                pass
            values.close()
        (span,), inner, (apart,) = receiver.named("steps"), receiver.named("inner"), receiver.named("apart")
    assert closed == [True, True]
    assert [each.parent_span_id for each in inner] == [span.span_id] * 2
    assert not apart.parent_span_id  # between two steps nothing is current
    assert attributes(span) == {"number": 1}
    assert span.status.code == 0
