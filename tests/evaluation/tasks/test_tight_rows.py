"""Boxes of predictions: whole elements, or what a localizer drew, each sentence pointing at its own."""

from __future__ import annotations

from dataclasses import replace

from evaluation.tasks.prediction import prediction
from evaluation.tasks.questions import GoldQuestion
from indexing import BBox
from rag import Answer, Citation, Evidence, Sentence
from tests.support import fakes

LEFT, RIGHT = BBox(0.1, 0.05, 0.4, 0.09), BBox(0.5, 0.05, 0.9, 0.09)
ELEMENTS = [fakes.element(text, ordinal=n) for n, text in enumerate(("Rye is ground.", "Cider is stored."), 1)]
EVIDENCE = tuple(Evidence(f"E{n}", e, "mill.pdf", 1.0) for n, e in enumerate(ELEMENTS, 1))
DRAWN = Citation.of(EVIDENCE[0], "Rye", (LEFT, RIGHT))
BARE = Citation.of(EVIDENCE[1], "Cider", ())
ANSWER = Answer(
    "What?", "text", (Sentence("Rye.", (DRAWN,), "confirmed"), Sentence("Cider.", (BARE, DRAWN), "confirmed")),
    EVIDENCE, 0.9, {"total": 0.1}, "0" * 12,
)  # fmt: skip
ASKED = GoldQuestion("q", "What?", "Rye", ("d",))


def cited(tight: bool) -> tuple[list[list[float]], list[list[int]]]:
    row = prediction(ASKED, ANSWER, 1.0, tight=tight)
    return [c["bbox"] for c in row["citations"]], [s["citations"] for s in row["sentences"]]


def test_whole_elements_unless_asked_otherwise() -> None:
    boxes, places = cited(tight=False)
    assert boxes == [[round(v, 5) for v in e.bbox.as_tuple()] for e in ELEMENTS]
    assert places == [[0], [1, 0]]


def test_what_was_drawn_and_the_element_where_nothing_was() -> None:
    boxes, places = cited(tight=True)
    assert boxes == [list(LEFT.as_tuple()), list(RIGHT.as_tuple()), [round(v, 5) for v in ELEMENTS[1].bbox.as_tuple()]]
    assert places == [[0, 1], [2, 0, 1]]
    row = prediction(ASKED, ANSWER, 1.0, tight=True)
    assert [c["quote"] for c in row["cited"]] == ["Rye", "Rye", "Cider"]


def test_what_is_only_pointed_to_is_cited_and_what_contradicts_is_not() -> None:
    pointed, against = (replace(DRAWN, role=role) for role in ("unconfirmed", "contradicts"))
    sentences = (Sentence("Rye.", (pointed,), "unconfirmed"), Sentence("No.", (against, BARE), "contradicted"))
    row = prediction(ASKED, replace(ANSWER, sentences=sentences), 1.0)
    assert len(row["citations"]) == 2
    assert [s["citations"] for s in row["sentences"]] == [[0], [1]]
    assert [s["checked_by"] for s in row["sentences"]] == ["", ""]


def test_a_remark_of_a_plugin_is_not_measured() -> None:
    remark = Sentence(
        "a.pdf says 1, b.pdf 2.", (replace(BARE, quote="other"),), "computed", beside=True, heading="Disagree"
    )
    told = replace(ANSWER, sentences=(*ANSWER.sentences, remark))
    assert prediction(ASKED, told, 1.0) == prediction(ASKED, ANSWER, 1.0)


def test_a_box_that_two_citations_share_is_there_once() -> None:
    twice = replace(ANSWER, sentences=(Sentence("a", (DRAWN, replace(DRAWN, quote="again")), "confirmed"),))
    row = prediction(ASKED, twice, 1.0, tight=True)
    assert len(row["citations"]) == 2
    assert row["sentences"][0]["citations"] == [0, 1]
