"""Suggested questions: made of a document's own lines, and shown only if their first quote comes from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Element
from indexing.types import Kind
from rag.question.suggest import ENOUGH, MOST_ASKED, CandidateQuestion, candidate_questions, suggested_questions
from rag.types import Answer, Citation, Evidence, Sentence
from tests.support.fakes import element

PLAIN = "The boats of the bay are kept in the harbour, and that is where they are mended for the winter."


def document(*lines: tuple[Kind, str], doc_id: str = "d") -> list[Element]:
    """Elements under the heading before them, after a title."""
    made, section = [], ()
    for n, (kind, text) in enumerate((("heading", "The title of all"), *lines, ("text", PLAIN)), 1):
        made.append(replace(element(text, doc_id, 1, n, kind), section=section))
        if kind == "heading":
            section = (text,)
    return made


def texts(*lines: tuple[Kind, str]) -> list[str]:
    return [one.text for one in candidate_questions([document(*lines)])]


def answer(place: Element, said: str, answers: float | None = 0.9, boxes: Sequence[BBox] = ()) -> Answer:
    """An answer whose first quote stands in an element."""
    cited = Citation.of(Evidence("E1", place, "a.pdf", 1.0), said, boxes or [place.bbox])
    return Answer("?", "text", (Sentence(said, (cited,), "quoted", "", answers),), (), 0.5, {}, "")


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        ([("text", "Radar frequency: 24.125 GHz")], "What is the radar frequency?"),
        (
            [("table", "Property | Value\nMeasuring range | 20 m\nSurface | steel")],
            "What is the measuring range?",
        ),
        ([("heading", "How do I reset it?"), ("text", PLAIN)], "How do I reset it?"),
        ([("heading", "2.1 Harbour dues"), ("text", PLAIN)], "What is said about \u201cHarbour dues\u201d?"),
        ([("heading", "-j N, --jobs=N [default: 2]"), ("text", PLAIN)], "What does --jobs do?"),
    ],
)
def test_a_line_becomes_a_question(lines: list[tuple[Kind, str]], asked: str) -> None:
    assert asked in texts(*lines)


def test_a_caption_becomes_a_question_about_its_figure() -> None:
    figure = replace(element("", kind="picture"), caption="Figure 3. Boats that leave on time. By month.")
    assert [one.text for one in candidate_questions([[*document(), figure]])] == [
        "What does the figure \u201cBoats that leave on time\u201d show?"
    ]


@pytest.mark.parametrize(
    "line",
    [
        ("text", "Note: 3 of them"), ("text", "Source: survey of 2023"), ("heading", "Introduction"),
        ("heading", "31 %"),
        ("heading", "Dear Sir,"), ("table", "Letter | 2\nRate of return | 6\nCosts | 8"), ("heading", "@holm 3m"),
    ],
)  # fmt: skip
def test_what_nobody_would_ask_is_no_question(line: tuple[Kind, str]) -> None:
    assert texts(line, ("text", PLAIN)) == []


def test_a_document_is_asked_in_its_own_language_or_not_at_all() -> None:
    german = "Das Museum ist in der Scheune und von April bis Oktober mit der Bahn zu erreichen, die auf dem Berg ist."
    title, head = element("Titel", kind="heading"), element("Die Anfahrt", ordinal=2, kind="heading")
    below = replace(element(german, ordinal=3), section=("Die Anfahrt",))
    (asked,) = candidate_questions([[title, head, below]])
    assert asked.text == "Was erf\u00e4hrt man \u00fcber \u201eDie Anfahrt\u201c?"
    french = replace(below, text="Le mus\u00e9e est ouvert tous les jours de dix heures \u00e0 midi, sauf en hiver.")
    assert candidate_questions([[title, head, french]]) == []


def test_documents_take_turns_and_what_two_of_them_say_is_not_asked() -> None:
    lines: list[tuple[Kind, str]] = [("text", f"{name} rate: 5 per cent") for name in ("First", "Second", "Third")]
    one, two = document(*lines[:2], doc_id="a"), document(*lines[1:], doc_id="b")
    assert [c.doc_id for c in candidate_questions([one, two])] == ["a", "b"]


def test_only_what_is_quoted_from_its_place_is_shown_the_best_first() -> None:
    here, there = element("The interest rate is 5 per cent.", ordinal=2), element(PLAIN, ordinal=9)
    made = [CandidateQuestion(f"Q{n}", "value", f"doc{n}", ((1, here.bbox),)) for n in range(6)]
    given_ = {
        "Q0": answer(replace(here, doc_id="doc0"), "5 per cent", 0.5),
        "Q1": answer(replace(there, doc_id="doc1"), "5 per cent", 0.99),
        "Q2": answer(replace(here, doc_id="doc2"), "5 per cent", 0.9),
        "Q3": answer(replace(here, doc_id="doc3", page=2), "5 per cent", 0.99),
        "Q4": answer(replace(here, doc_id="doc4"), "5 per cent", 0.1),
        "Q5": replace(answer(here, ""), sentences=()),
    }
    assert suggested_questions(made, given_.__getitem__, lambda: True) == ("Q2", "Q0")
    assert suggested_questions(made, given_.__getitem__, lambda: True, most=1) == ("Q2",)


def test_another_document_comes_before_a_better_answer_of_the_same() -> None:
    here = element("The interest rate is 5 per cent.")
    made = [CandidateQuestion(f"Q{n}", "value", f"doc{n // 2}", ((1, here.bbox),)) for n in range(4)]
    given_ = {f"Q{n}": answer(replace(here, doc_id=f"doc{n // 2}"), "x", 0.9 - n / 10) for n in range(4)}
    assert suggested_questions(made, given_.__getitem__, lambda: True) == ("Q0", "Q2", "Q1")


def test_a_heading_is_answered_by_words_of_its_own() -> None:
    here = element(PLAIN)
    made = [CandidateQuestion("What is said about \u201cHarbour\u201d?", "heading", "d", ((1, here.bbox),))]
    assert suggested_questions(made, lambda _: answer(here, PLAIN), lambda: True)
    assert not suggested_questions(made, lambda _: answer(here, "It rained all day."), lambda: True)


def test_it_ends_when_it_has_to_and_asks_no_more_than_it_may() -> None:
    here = element(PLAIN)
    made = [CandidateQuestion(f"Q{n}", "value", "d", ((1, here.bbox),)) for n in range(2 * MOST_ASKED)]
    asked: list[str] = []

    def ask(question: str) -> Answer:
        asked.append(question)
        return answer(here, PLAIN)

    assert suggested_questions(made, ask, lambda: len(asked) < 2) == ("Q0", "Q1")
    suggested_questions(made, ask, lambda: True)
    assert len(asked) == 2 + ENOUGH
    suggested_questions(made, lambda question: answer(element(PLAIN, page=2), ask(question).question), lambda: True)
    assert len(asked) == 2 + ENOUGH + MOST_ASKED


@given(st.lists(st.tuples(st.sampled_from(["heading", "text", "list", "table"]), st.text(max_size=60)), max_size=12))
def test_any_text_is_read(lines: list[tuple[Kind, str]]) -> None:
    assert all(one.text for one in candidate_questions([document(*lines)]))
