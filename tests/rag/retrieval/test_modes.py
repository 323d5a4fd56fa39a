"""Asking in the modes text, image and multi, with one query and with several, with an image, and with bad input."""

import math
from pathlib import Path

import pytest

from indexing import Collection, Mode
from indexing.embed.minilm import MiniLM
from rag import (
    Answer,
    BadLimit,
    EmptyQuestion,
    Pipeline,
    QuestionTooLong,
    QuestionUnreadable,
    RagSettings,
)
from tests.support import fakes

BOLD = RagSettings(min_confidence=0.0)
MODES: tuple[Mode, ...] = ("text", "image", "multi")
BRIDGE = "When did the harbour bridge open?"
LIGHTHOUSE = "When was the lighthouse lit?"
MILL = "When was the mill built?"
ALMANAC = (
    "The tram runs every ten minutes.", "Rye is sown in October.", "The mill grinds rye and barley.",
    "A ferry crosses the bay at noon.", "Cider is pressed in autumn.", "The lighthouse warns the ships.",
    "Herring is smoked over beech.", "The choir sings on Sundays.", "Sheep graze on the northern hill.",
)  # fmt: skip


@pytest.fixture(scope="module")
def harbour(seen: Collection) -> Pipeline:
    return Pipeline(seen, BOLD)


@pytest.fixture(scope="module")
def almanac(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """One page of many sentences that have little to do with one another."""
    made = fakes.collection(tmp_path_factory.mktemp("almanac"), embedder, "almanac")
    fakes.index(made, {"almanac.pdf": [list(ALMANAC)]})
    return made


def best(answer: Answer) -> str:
    return answer.evidence[0].document


# ---- modes ---------------------------------------------------------------------------------------------------------


def test_each_mode_sees_what_it_should(harbour: Pipeline) -> None:
    found = {
        (mode, question): {e.document for e in harbour.retrieve(question, mode=mode)[1].evidence}
        for mode in MODES
        for question in (LIGHTHOUSE, MILL)
    }
    assert found["text", LIGHTHOUSE] == found["text", MILL] == {"mill.pdf", "scan.pdf"}
    assert found["image", LIGHTHOUSE] == found["image", MILL] == {"poster.pdf", "scan.pdf"}
    assert found["multi", LIGHTHOUSE] == found["multi", MILL] == {"mill.pdf", "poster.pdf", "scan.pdf"}
    assert [best(harbour.answer(q, mode="multi")) for q in (LIGHTHOUSE, MILL, BRIDGE)] == [
        "poster.pdf", "mill.pdf", "scan.pdf",
    ]  # fmt: skip


# ---- queries -------------------------------------------------------------------------------------------------------


def test_a_comparison_is_searched_for_by_its_sides_unless_one_query_is_asked_for(town: Collection) -> None:
    question = "the wheel of the mill versus the ticket of the bus"
    one, many = (Pipeline(town, BOLD).answer(question, queries=n, top_k=2) for n in (1, 4))
    assert one.queries == (question,)
    assert many.queries == (question, "the wheel of the mill", "the ticket of the bus")
    assert {n for e in many.evidence for n in e.found_by} == {1, 2, 3}
    assert {n for e in one.evidence for n in e.found_by} == {1}


@pytest.mark.parametrize("number", [0, -1, 101, 10**9])
def test_numbers_out_of_range_are_refused(harbour: Pipeline, number: int) -> None:
    with pytest.raises(BadLimit, match=f"^top_k is {number}: give a number from 1 to 100$"):
        harbour.answer(MILL, top_k=number)
    with pytest.raises(BadLimit, match=f"^queries is {number}: give a number from 1 to 20$"):
        harbour.answer(MILL, queries=number)


# ---- an attached image ---------------------------------------------------------------------------------------------


# ---- bad input -----------------------------------------------------------------------------------------------------

ODD = [
    "1", "of and", "水車はいつ建てられましたか", "mill\x00\x1b[2J", "\u200bmill\u202e", "'; DROP TABLE elements; --",
    "rye " * 499 + "rye",
]  # fmt: skip


@pytest.mark.parametrize("question", ODD)
def test_odd_questions_get_a_ranking_that_is_sound(harbour: Pipeline, question: str) -> None:
    answer = harbour.answer(question, mode="multi")
    scores = [e.score for e in answer.evidence] + [p.score for p in answer.pages]
    assert scores
    assert all(map(math.isfinite, scores))
    assert [e.label for e in answer.evidence] == [f"E{n}" for n in range(1, len(answer.evidence) + 1)]
    assert 0 <= answer.confidence <= 1
    shown = {e.element.id: e.element.text for e in answer.evidence}
    assert all(s.text in shown[c.element_id] for s in answer.sentences for c in s.citations)


@pytest.mark.parametrize(
    ("question", "kind", "says"),
    [
        ("", EmptyQuestion, "has no words"),
        ('?! ... "" ()', EmptyQuestion, "has no words"),
        ("rye " * 2500, QuestionTooLong, "10000 characters, the limit is 2000: shorten it"),
        ("mill \udcff", QuestionUnreadable, "not UTF-8"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(
    harbour: Pipeline, question: str, kind: type[Exception], says: str
) -> None:
    for ask in (harbour.answer, harbour.retrieve):
        with pytest.raises(kind, match=says) as raised:
            ask(question)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_collection_has_no_answer_in_any_mode(tmp_path: Path, embedder: MiniLM, mode: Mode) -> None:
    answer = Pipeline(fakes.collection(tmp_path, embedder), BOLD).answer(MILL, mode=mode)
    assert (answer.mode, answer.sentences, answer.evidence, answer.pages) == (mode, (), (), ())
    assert answer.confidence == 0.0
    assert answer.nothing.startswith("Collection 'made-up' holds no documents yet: ")


@pytest.mark.parametrize("mode", MODES)
def test_nothing_found_is_explained_where_the_mode_saw_nothing(seen: Collection, mode: Mode) -> None:
    found = {d.name: Pipeline(seen).retrieve(MILL, mode=mode, documents=[d.name])[1] for d in seen.documents()}
    told = {name: "--pixels pages" in each.nothing for name, each in found.items()}
    assert told == {"mill.pdf": mode == "image", "scan.pdf": False, "poster.pdf": False}
