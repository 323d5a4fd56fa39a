"""The disagreements beside an answer: what they say and cite, who may drop them, and the time that they take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from indexing import Element
from plugins.conflicts.compare import HEADING, MOST_SHOWN, remarks_on
from rag import NO_USAGE, Citation, Evidence, Pipeline, RagSettings, Sentence
from rag.methods import Draft, MethodContext
from rag.pipeline import REMARKS_FAILED
from rag.types import Opinion
from tests.plugins.conflicts.conftest import REPORT, SLIDES

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer

ASK = "What share of household waste was recycled in 2023?"
SETTINGS = RagSettings(min_confidence=0.0, print_check=False)


class Says:
    """A judge with one opinion; `asked` are the sentences that it was asked about."""

    usage, notes = NO_USAGE, ()

    def __init__(self, probability: float) -> None:
        self.probability = probability
        self.asked: list[str] = []

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:  # noqa: ARG002
        self.asked.append(sentence)
        return Opinion(self.probability)


def remarks(answer: Answer) -> list[Sentence]:
    return [s for s in answer.sentences if s.heading == HEADING]


def context(town: Collection, judge: Says | None = None) -> MethodContext:
    return MethodContext(
        town, SETTINGS, lambda: pytest.fail("no model is asked"), lambda _: pytest.fail("no search"), judge
    )


def draft(town: Collection, *texts: str) -> Draft:
    """Return an answer that quotes the first text, with all texts as evidence, in documents in turn."""
    elements = [own[0] for d in town.documents() for own in town.elements_on([(d.id, 1)])]
    evidence = tuple(
        Evidence(f"E{n}", replace(elements[n % len(elements)], text=t, id=f"e{n}"), f"d{n % 3}.pdf", 1.0)
        for n, t in enumerate(texts)
    )  # fmt: skip
    return Draft((Sentence(texts[0], (Citation.of(evidence[0], texts[0], ()),), "quoted"),), evidence)


def test_an_answer_is_followed_by_the_place_that_says_another_value(town: Collection) -> None:
    answer = Pipeline(town, SETTINGS).answer(ASK)
    (remark,) = remarks(answer)
    assert remark.text in (
        "report-2023.pdf says 41%, slides.pdf 39%.", "slides.pdf says 39%, report-2023.pdf 41%.",
    )  # fmt: skip
    assert {c.quote for c in remark.citations} == {REPORT, SLIDES}
    assert all(c.boxes for c in remark.citations)
    assert (remark.beside, remark.verdict) == (True, "computed")
    first = next(s for s in answer.sentences if not s.beside)
    assert first.citations[0] in remark.citations  # the answer's own place keeps its number
    assert answer.numbers(first)[0] in answer.numbers(remark)
    assert not any("37%" in c.quote for c in remark.citations)
    assert remark in Pipeline(town, SETTINGS).recheck(answer).sentences


def test_a_fault_costs_the_remarks_and_not_the_answer(town: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugins.conflicts.compare.disagreements_of", lambda _: 1 // 0)
    answer = Pipeline(town, SETTINGS).answer(ASK)
    assert {s.verdict for s in answer.sentences} == {"quoted"}
    assert REMARKS_FAILED in answer.notes


def test_an_answer_about_which_all_agree_has_no_remark(town: Collection) -> None:
    asked = "What share of household waste was recycled in 2022?"
    assert remarks(Pipeline(town, SETTINGS).answer(asked, documents=["notes.pdf"])) == []
    assert remarks_on(draft(town, SLIDES, SLIDES), context(town)) == ()
    assert remarks_on(Draft((), draft(town, SLIDES, REPORT).evidence), context(town)) == ()


def test_a_value_that_the_answer_does_not_say_is_not_compared(town: Collection) -> None:
    made = draft(town, f"The ferry Aurora has 24 cabins. {SLIDES}", REPORT)
    said = replace(made.sentences[0], text="The ferry Aurora has 24 cabins.")
    assert remarks_on(replace(made, sentences=(said,)), context(town)) == ()
    assert len(remarks_on(made, context(town))) == 1


def test_a_judge_can_drop_a_disagreement_and_add_none(town: Collection) -> None:
    denies, confirms = Says(0.9), Says(0.1)
    assert remarks_on(draft(town, SLIDES, REPORT), context(town, denies)) == ()
    assert len(remarks_on(draft(town, SLIDES, REPORT), context(town, confirms))) == 1
    assert len(denies.asked) == len(confirms.asked) == 1
    assert remarks_on(draft(town, SLIDES, SLIDES), context(town, confirms)) == ()
    assert len(confirms.asked) == 1


def test_remarks_that_their_page_does_not_show_are_left_out(town: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = Pipeline(town, SETTINGS)
    compare = lambda sentence, ledger: replace(sentence, differs="the page shows 14%") if sentence.heading else sentence  # noqa: ARG005, E731
    monkeypatch.setattr(pipeline, "_compare_print", compare)
    answer = pipeline.answer(ASK)
    assert answer.sentences
    assert remarks(answer) == []


def test_there_are_few_remarks_and_their_text_is_bounded(town: Collection) -> None:
    names = ("Aurora", "Belle", "Clara", "Dora", "Elsa")
    own = " ".join(f"The ferry {name} has 24 cabins." for name in names)
    other = " ".join(f"The ferry {name} has 42 cabins." for name in names)
    made = draft(town, own, other)
    assert len(remarks_on(made, context(town))) == MOST_SHOWN
    document = replace(town.documents()[1], name="\u202e<b>" + "x" * 10_000)
    renamed = cast("Collection", _Renamed(town, document))
    assert all(len(one.text) < 300 for one in remarks_on(made, replace(context(town), collection=renamed)))


class _Renamed:
    """A collection in which a document has another name."""

    def __init__(self, town: Collection, document: object) -> None:
        self._documents = (town.documents()[0], document, *town.documents()[2:])

    def documents(self) -> tuple[object, ...]:
        return self._documents


def test_twenty_four_pieces_take_little_time(town: Collection) -> None:
    words = [f"In 2023, {n}% of the {n}th harbour's waste was burnt near the old mill. " * 8 for n in range(22)]
    made = draft(town, SLIDES, REPORT, *words)
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        assert len(remarks_on(made, context(town))) == 1
        best = min(best, time.process_time() - start)
    assert best < 0.05
