"""What becomes of the true sentences of a capable model: checks take no proof away from them."""

import copy
import json
from dataclasses import dataclass
from typing import Any

import pytest

from indexing import Collection
from rag import Answer, Pipeline, RagSettings
from rag.events import Answered, Shown
from rag.methods.write.pages import Labels
from rag.types import Sentence
from tests.recorded.replies import FILE, RecordedModel, places

pytestmark = [pytest.mark.slow, pytest.mark.gate]

LEAST_CONFIRMED = 0.36
"""The least share of true sentences that words alone confirm: what was measured (0.38), less one sentence."""


@dataclass(frozen=True)
class Replayed:
    """A question with its answer now, the sentences that are true, and the labels whose places are gone."""

    entry: dict[str, Any]
    answer: Answer
    true: list[Sentence]
    lost: list[str]
    named: int


def replayed(collection: Collection, entry: dict[str, Any]) -> Replayed:
    rounds = copy.deepcopy(entry["rounds"])
    texts = {s["text"] for r in rounds for s in r["reply"]["sentences"] if s.pop("true")}
    named = sum(len(s["labels"]) for r in rounds for s in r["reply"]["sentences"])
    model, labels = RecordedModel(rounds), Labels()
    settings = RagSettings(method="vanilla", mode="text", judge="rules", print_check=False)
    settings = settings.model_copy(
        update={"writing": settings.writing.model_copy(update={"pages": 6, "rounds": len(entry["rounds"])})}
    )
    for event in Pipeline(collection, settings, model=model).stream(entry["question"]):
        if isinstance(event, Shown):
            model.now = dict(places(collection, event, labels))
        if isinstance(event, Answered):
            true = [s for s in event.answer.sentences if s.text in texts]
            return Replayed(entry, event.answer, true, model.lost, named)
    raise AssertionError(entry["question"])


@pytest.fixture(scope="module")
def answers(samples: Collection) -> list[Replayed]:
    return [replayed(samples, entry) for entry in json.loads(FILE.read_text(encoding="utf-8"))]


def test_the_places_that_the_model_named_are_still_shown(answers: list[Replayed]) -> None:
    lost = [(found.entry["question"], label) for found in answers for label in found.lost]
    assert len(lost) <= 0.05 * sum(found.named for found in answers), lost


def test_no_true_sentence_is_contradicted_or_loses_its_place(answers: list[Replayed]) -> None:
    true = [(found, sentence) for found in answers for sentence in found.true]
    assert len(true) >= 32
    accused = [sentence.text for _, sentence in true if sentence.verdict == "contradicted"]
    assert len(accused) <= 0.02 * len(true), accused
    bare = [sentence.text for found, sentence in true if not sentence.non_contradicting and not found.lost]
    assert bare == []


def test_words_alone_confirm_most_true_sentences(answers: list[Replayed]) -> None:
    true = [sentence for found in answers for sentence in found.true]
    confirmed = [sentence for sentence in true if sentence.checked_by == "words"]
    open_ = [(sentence.text, sentence.reason) for sentence in true if sentence.verdict == "unconfirmed"]
    assert len(confirmed) >= LEAST_CONFIRMED * len(true), open_


def test_what_the_samples_do_not_say_is_not_answered(answers: list[Replayed]) -> None:
    unknown = [found for found in answers if found.entry["answer"] is None]
    assert unknown
    assert all(found.answer.abstained for found in unknown)
