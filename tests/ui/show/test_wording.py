"""Two questions, two marks: is it there, and does it answer?"""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from indexing import BBox
from rag import Answer, Citation, Sentence
from rag.types import RankedPage
from rag.verdicts import Verdict
from ui.cli.terminal import _MARKS, _PLAIN_MARKS
from ui.show import OTHERS, answers, heading, provenance, sources, verdict_counts
from ui.show.wording import MAY_ANSWER, VERDICT_NAMES, VERDICT_REASONS, why

QUOTE = Sentence("The mill was built in 1887.", (), "quoted", "word for word")


@pytest.mark.parametrize(
    ("probability", "says"),
    [
        (None, ""),
        (1.0, "may answer"),
        (MAY_ANSWER, "may answer"),
        (MAY_ANSWER - 0.01, "related"),
        (0.0, "related"),
    ],
)
def test_a_probability_in_words(probability: float | None, says: str) -> None:
    assert answers(replace(QUOTE, answers=probability)) == says


def test_other_places_are_no_part_of_the_summary_nor_of_the_sources() -> None:
    here, there = (Citation(f"E{n}", "e", "d", "a.pdf", n, "text", BBox(0, 0, 1, 1), (), "It fell.") for n in (1, 2))
    own = replace(QUOTE, citations=(here,), answers=0.9)
    others = replace(QUOTE, citations=(here, there), answers=0.9, beside=True)
    answer = Answer("When?", "text", (own, others), (), 0.5, {}, "")
    assert (heading(own), heading(others)) == ("", OTHERS)
    assert verdict_counts(answer) == "1 sentence, quoted"
    assert verdict_counts(replace(answer, sentences=(own, own))) == "2 sentences, all quoted"
    assert sources(answer) == ([(1, here)], [(2, there)])


@pytest.mark.parametrize(
    ("sentence", "meaning"),
    [
        (
            Sentence("It fell.", (), "quoted", answers=0.42),
            "Quoted: the cited place has these words. It may answer: in tests, more than half of such quotes did.",
        ),
        (Sentence("It fell.", (), "confirmed"), "Confirmed: the cited place says this."),
        (Sentence("33.", (), "computed"), "Computed: code calculated this from the cited cells; no model was used."),
        (
            Sentence("It fell.", (), "confirmed", checked_by="words", certainty=0.8),
            "Confirmed by the words: every number, name and relation stands in the cited place. This is likely (80%).",
        ),
        (
            Sentence("It fell.", (), "unconfirmed", differs="9, not 4"),
            "Not confirmed: the page and its text differ, so no box is shown: 9, not 4.",
        ),
    ],
)
def test_the_meaning_of_the_marks(sentence: Sentence, meaning: str) -> None:
    assert why(sentence) == meaning


def test_the_summary_tells_whose_proof_stands_where_the_question_leads() -> None:
    here, there = (Citation("E1", "e", "d", "a.pdf", page, "text", BBox(0, 0, 1, 1), (), "It fell.") for page in (4, 9))
    claims = (
        Sentence("It fell.", (here,), "confirmed"),
        Sentence("It rose.", (there, here), "unconfirmed"),
        Sentence("It sank.", (), "unconfirmed"),
        Sentence("So:", (), "remark"),
    )
    pages = tuple(RankedPage(here.doc_id, "a.pdf", number, 1.0) for number in (2, 4, 5, 9))
    answer = Answer("When?", "text", claims, (), 0.5, {}, "", pages=pages, method="vanilla")
    assert verdict_counts(answer) == (
        "4 sentences: 1 confirmed, 2 not confirmed, 1 no claim; "
        "1 is proven on the pages that rank best for the question"
    )
    assert verdict_counts(replace(answer, sentences=claims[1:])).endswith(
        "none is proven on the pages that rank best for the question"
    )


def test_every_verdict_has_its_words_and_its_mark_everywhere() -> None:
    verdicts = set(get_args(Verdict))
    style = (Path(__file__).parents[3] / "ui/web/static/ask.css").read_text(encoding="utf-8")
    assert set(VERDICT_NAMES) == set(VERDICT_REASONS) == set(_MARKS) == set(_PLAIN_MARKS) == verdicts
    assert {verdict for verdict in verdicts if f".v-{verdict}" in style} == verdicts


def test_how_an_answer_came_about() -> None:
    computed = replace(QUOTE, verdict="computed")
    answer = Answer("How many?", "text", (computed, replace(QUOTE, beside=True)), (), 0.5, {}, "")
    assert provenance(answer) == "computed in code"
    figure = replace(QUOTE, verdict="shown")
    assert provenance(replace(answer, sentences=(figure,))) == "shown in a figure"
    for sentences in ((computed, QUOTE), (figure, QUOTE), ()):
        assert provenance(replace(answer, sentences=sentences)) == "quoted word for word"
    assert provenance(replace(answer, method="vanilla", model="gemma", sentences=(QUOTE,))) == "written by gemma"
