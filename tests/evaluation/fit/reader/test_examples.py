"""The examples: regions that answer have the answer, others have it not, and claims are as true as they say."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from evaluation.fit.reader.claims import claim_of, made_false, stated
from evaluation.fit.reader.corpus import AskedQuestion, Corpus, held_out
from evaluation.fit.reader.examples import CONTRADICTS, SILENT, SUPPORTS, UNKNOWN, Examples, ReaderExample
from evaluation.fit.reader.negatives import WordIndex, other_number
from evaluation.fit.reader.regions import Material, TrainingRegion
from evaluation.fit.reader.wording import NUMBER, has, plain
from tests.evaluation.fit.reader import towns

LIMITS = {"xquad": 150, "tatqa": 150, "made": 100}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return towns.corpus(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def sets(corpus: Corpus) -> list[list[ReaderExample]]:
    return list(Examples(corpus).epoch(3, LIMITS))


def of_kind(sets: list[list[ReaderExample]], kind: str) -> list[tuple[ReaderExample, ReaderExample]]:
    """The examples of a kind, each with the one of its set whose region answers."""
    return [(one[0], example) for one in sets for example in one if example.kind == kind]


def answers_of(right: ReaderExample) -> set[str]:
    return {plain(right.region[a:b]) for a, b in right.spans}


def test_every_kind_is_made(sets: list[list[ReaderExample]]) -> None:
    kinds = Counter(example.kind for one in sets for example in one)
    assert kinds.keys() >= {"text", "table", "same document", "cut", "alike", "debris", "swapped", "claim"}
    assert {e.support for one in sets for e in one if e.kind == "claim"} == {SUPPORTS, CONTRADICTS, SILENT}


def test_an_epoch_is_the_same_for_the_same_seed(corpus: Corpus, sets: list[list[ReaderExample]]) -> None:
    again = Examples(corpus)
    assert list(again.epoch(3, LIMITS)) == sets
    assert list(again.epoch(4, LIMITS)) != sets


def test_spans_are_whole_answers(corpus: Corpus, sets: list[list[ReaderExample]]) -> None:
    known = {answer for q in corpus.questions for answer in q.answers}
    cells = {cell for table in corpus.tables for row in table.rows for cell in row}
    spans = [e.region[a:b] for one in sets for e in one for a, b in e.spans]
    assert len(spans) > 300
    assert set(spans) <= known | cells


def test_an_answer_is_cut_out_of_its_context_fully(sets: list[list[ReaderExample]]) -> None:
    found = [(right, example) for right, example in of_kind(sets, "cut") if right.source != "made"]
    assert len(found) > 50
    for right, example in found:
        assert example.answers == 0
        assert not has(example.region, answers_of(right))


def test_what_does_not_answer_has_no_answer(sets: list[list[ReaderExample]]) -> None:
    for kind in ("same document", "alike"):
        found = [(right, e) for right, e in of_kind(sets, kind) if right.source != "made"]
        assert found != []
        assert not any(has(e.region, answers_of(right)) or e.answers for right, e in found)


def test_swapped_questions_do_not_share_their_answer(sets: list[list[ReaderExample]]) -> None:
    """The region is the right one, but lacks what the question now asks about."""
    found = of_kind(sets, "swapped")
    assert len(found) > 30
    for right, example in found:
        assert (example.region, example.answers, example.spans) == (right.region, 0, ())
        assert plain(example.question) != plain(right.question)
    for right, example in found:
        if example.source == "xquad":
            asked = set(re.findall(r"\w+", example.question)) - set(re.findall(r"\w+", right.question))
            named = {word for word in asked if word[0].isupper() or word.isdigit()} - {"When", "Please", "In", "Based"}
            assert [word for word in named if word in right.region] == []


def test_claims_are_as_true_as_they_say(sets: list[list[ReaderExample]]) -> None:
    for right, claim in of_kind(sets, "claim"):
        if claim.support == SUPPORTS:
            assert claim.region == right.region
            assert has(claim.sentence, answers_of(right))
            assert claim.answers == (1 if claim.question else UNKNOWN)
        if claim.support == SILENT:
            assert claim.region != right.region
            assert claim.answers == (0 if claim.question else UNKNOWN)


def test_a_claim_with_a_changed_number_is_a_contradiction(sets: list[list[ReaderExample]]) -> None:
    found = [(right, c) for right, c in of_kind(sets, "claim") if c.support == CONTRADICTS and c.source == "xquad"]
    assert found != []
    for right, claim in found:
        assert claim.region == right.region
        assert claim.answers == UNKNOWN
        assert " not" in claim.sentence or not has(claim.sentence, answers_of(right))


def test_a_number_is_made_false_by_another(corpus: Corpus) -> None:
    material = Material(corpus)
    right = TrainingRegion("The bridge was opened in 1907. About 44 boats pass.", ((25, 29),))
    q = AskedQuestion("When was the bridge opened?", "xquad", "g", ("1907",), passage=0, spans=right.spans)
    seen = set()
    for seed in range(60):
        false = made_false(material, q, right, "The bridge was opened in 1907.", random.Random(seed))
        assert false is not None
        assert ("1907" in false) == (" not " in false)
        seen.update(NUMBER.findall(false))
    assert len(seen) > 5


def test_a_denied_claim_has_one_not(corpus: Corpus) -> None:
    right = TrainingRegion("the mill", ((0, 8),))
    q = AskedQuestion("What is old?", "xquad", "g", ("the mill",), passage=0, spans=right.spans)
    material = Material(corpus)
    assert made_false(material, q, right, "the mill is old and was", random.Random(0)) == "the mill is not old and was"
    assert made_false(material, q, right, "no verb", random.Random(0)) is None


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("When was the mill built?", "1907", "The mill built was in 1907."),
        ("Who won the race?", "Ann", "Ann won the race."),
        ("How many boats passed?", "44", "44 boats passed."),
        ("When did the mill close?", "1907", "The mill close in 1907."),
        ("Name of the river", "the Orle", "Name of the river: the Orle."),
    ],
)
def test_answers_are_said_by_the_form_of_the_question(question: str, answer: str, said: str) -> None:
    assert said in {stated(question, answer, random.Random(seed)) for seed in range(20)}


def test_long_answers_are_no_claims() -> None:
    q = AskedQuestion("Why?", "xquad", "g", ())
    assert claim_of(q, TrainingRegion("word " * 40, ((0, 200),)), random.Random(0)) is None


def test_other_numbers_are_not_in_the_text() -> None:
    found = [other_number("1907", "In 1908, 1909 and 1911.", ["5"], random.Random(seed)) for seed in range(40)]
    assert not {"1907", "1908", "1909", "1911", None} & set(found)
    assert other_number("1,250", "It was 7.", ["7"], random.Random(0)) is None
    assert other_number("1,250", "It was 7.", [], random.Random(0)) is None


def test_texts_are_found_by_their_words() -> None:
    index = WordIndex(["the mill", "the bridge", "the quay", "the river", "the boat", "the keeper"])
    assert index.best("Where is the quay?", 1) == [2]
    assert WordIndex([]).best("anything", 3) == []


@pytest.mark.parametrize("kind", ["xquad", "tatqa"])
def test_one_question_is_enough(corpus: Corpus, kind: str) -> None:
    """Nothing is drawn from where there is nothing."""
    q = next(q for q in corpus.questions if q.source == kind and not held_out(q.group))
    of_text = kind == "xquad"
    passages = [corpus.passages[q.passage]] if of_text else []
    tables = [] if of_text else [corpus.tables[q.table]]
    alone = replace(q, passage=0) if of_text else replace(q, table=0)
    sets = list(Examples(Corpus(passages, tables, [alone])).epoch(1, {kind: 20, "made": 20}))
    assert len(sets) >= 20
    assert {one[0].answers for one in sets} == {1}
