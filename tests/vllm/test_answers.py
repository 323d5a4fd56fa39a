"""Whole answers written by random weights: in all modes and methods they parse, cite what was shown, and box no more
than what is proven. Such a model says anything that its grammar lets through, which is a hard test of all that follows.
"""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from indexing import Collection, IndexingSettings, build_index
from rag import Answer, Pipeline, RagSettings, ServedModel
from rag.errors import ReplyUnusable, ServerDown
from rag.events import Answered, Event, Searched
from rag.llm.chat import Message
from rag.llm.settings import ModelSettings
from rag.settings import WritingSettings
from tests.vllm.conftest import settings_of
from tests.vllm.vllm_server import VllmServer
from ui import save_overlays

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "documents"
CHOSEN = ("mill-lane-inspection-1987.pdf", "tap-water-infographic.png", "counting-swifts-article.pdf")
# Three of the seven: they hold text, scans, tables and figures, and are indexed while the models load and want the same
# processors; the other four would add minutes and no kind of evidence.
QUESTION = "What would the bridge repairs cost in total?"
SHORT = WritingSettings(sentences=2, sentence_chars=60, facts=2)
Family = tuple[VllmServer, ModelSettings]


@pytest.fixture(scope="session")
def samples(loading: dict[str, VllmServer]) -> Collection:  # noqa: ARG001 - indexed while they load
    """Scans, an infographic and an article: text, tables and figures, searchable by their pixels too."""
    patient = IndexingSettings(workers=2, page_seconds=300)
    made = Collection.create("vllm-samples", settings=patient)
    assert build_index(made, [SAMPLES / name for name in CHOSEN], settings=patient).exit_code == 0
    return made


def pipeline(collection: Collection, model: ModelSettings, **more: Any) -> Pipeline:
    return Pipeline(collection, RagSettings(model=model, writing=SHORT, top_k=4, **more))


def events_of(collection: Collection, model: ModelSettings, seed: int, **asked: Any) -> list[Event]:
    made = pipeline(collection, model.model_copy(update={"seed": seed}))
    told = list(made.stream(QUESTION, **asked))
    made.model.close()  # type: ignore[attr-defined]
    return told


def check(answer: Answer) -> None:
    """What must hold of every answer, whoever wrote it."""
    elements = {item.label: item.element for item in answer.evidence}
    for sentence in answer.sentences:
        assert sentence.verdict in ("confirmed", "unconfirmed", "contradicted", "remark")
        assert bool(sentence.proof) <= (sentence.verdict == "confirmed")
        for citation in sentence.citations:
            assert citation.bbox == elements[citation.label].bbox
            assert citation.element_id == elements[citation.label].id
    assert json.loads(json.dumps(answer.to_json()))["question"] == QUESTION


PAIRS = {  # of mode, method and extraction each pair is in one of these
    ("text", "vanilla", False), ("text", "cot", True), ("image", "cot", False),
    ("image", "vanilla", True), ("multi", "vanilla", False), ("multi", "cot", True),
}  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "method", "extract"),
    [
        pytest.param(*way, marks=() if way in PAIRS else pytest.mark.thorough)
        for way in itertools.product(("text", "image", "multi"), ("vanilla", "cot"), (False, True))
    ],
)
def test_every_mode_and_method_answers(
    samples: Collection, family: Family, tmp_path: Path, mode: Any, method: Any, extract: bool
) -> None:
    for seed in range(2):
        told = events_of(samples, family[1], seed, mode=mode, method=method, extract=extract)
        (seen,) = (event for event in told if isinstance(event, Searched))
        assert seen.evidence
        assert isinstance(told[-1], Answered)
        answer = told[-1].answer
        assert (answer.mode, answer.method) == (mode, method)
        assert answer.usage.calls >= 1
        assert answer.usage.completion_tokens > 0
        if mode != "text" and not extract:  # written from the knowledge alone, which an earlier seed may have paid for
            assert answer.usage.images > 0
        assert extract or not any(item.knowledge for item in answer.evidence)
        check(answer)
        proven = {(c.doc_id, c.page) for s in answer.sentences for c in s.citations}
        assert len(save_overlays(answer, samples, tmp_path / str(seed))) == len(proven)


@pytest.mark.parametrize("mode", ["text", "image", "multi"])
def test_boxes_of_random_weights_stay_in_elements(samples: Collection, family: Family, mode: Any) -> None:
    """Method visa: the model draws, in its family's own coordinates, and code moves what it drew to an element."""
    answers: list[Answer] = []
    for seed in itertools.takewhile(lambda _: len(answers) < 2, range(12)):
        try:
            told = events_of(samples, family[1], seed, mode=mode, method="visa")
        except ReplyUnusable as error:  # the form allows any page; one that was not shown is refused
            assert re.search(r"refers to page \d+, but was shown \d+", str(error))  # noqa: PT017
            continue
        assert isinstance(told[-1], Answered)
        answers.append(told[-1].answer)
    assert len(answers) == 2
    for answer in answers:
        assert answer.method == "visa"
        assert answer.usage.images > 0
        check(answer)


def test_a_server_that_dies_in_mid_answer(samples: Collection, checkpoints: Path) -> None:
    """A reply that is coming in, an answer that is being written, and what is asked afterwards: none of them hangs."""
    with VllmServer(checkpoints / "qwen3_vl", "qwen3-vl-8b", checkpoints / "dying.log") as dying:
        model = settings_of(dying, retries=1, extra_body={"ignore_eos": True})
        client, made = ServedModel(model), pipeline(samples, model)
        reply = client.stream([Message("user", ("Count.",))], max_tokens=6000)
        first = str(next(reply))
        answer = made.stream(QUESTION, mode="multi", method="cot")
        assert any(isinstance(event, Searched) for event in itertools.islice(answer, 2))
        dying.kill()
        with pytest.raises(ServerDown, match=r"check whether the server|start the server") as caught:
            list(reply)
        assert caught.value.text.startswith(first)
        with pytest.raises(ServerDown, match="start the server"):
            list(answer)
        with pytest.raises(ServerDown, match="vouch doctor"):
            made.answer(QUESTION, method="vanilla")
        assert made.answer(QUESTION, method="quote").method == "quote"  # what needs no model goes on
        client.close()
        made.model.close()  # type: ignore[attr-defined]
