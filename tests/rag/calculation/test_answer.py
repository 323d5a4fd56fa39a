"""The computed sentence: its mark, its boxes; and where there is none."""

from __future__ import annotations

import pytest

from indexing import Collection
from rag import Citation, Evidence, Pipeline, RagSettings, Sentence
from rag.calculation import LEAST, computed_from, with_computed
from tests.rag.calculation.tables import ACCOUNTS, BOATS, table

DIFFERENCE = "What is the difference in harbour dues between 2020 and 2021?"
QUOTE = Sentence("Kelp | Saltergate | 1998 | 87 | 12.0", (), "quoted", "word for word", 0.4)


def evidence(rows: tuple[tuple[str, ...], ...]) -> list[Evidence]:
    return [Evidence("E1", table(rows), "ferries.pdf", 1.0)]


def of_difference() -> Sentence:
    found = computed_from(DIFFERENCE, evidence(ACCOUNTS))
    assert found is not None
    return found


def test_a_computed_sentence_says_so_and_shows_its_sum() -> None:
    found = of_difference()
    assert (found.verdict, found.reason) == ("computed", "one cell was taken from another")
    assert found.text.startswith("33 (120 - 87 = 33, ")
    assert found.short == (0, 2)
    assert found.answers is not None
    assert LEAST <= found.answers <= 1.0


def test_each_cell_that_was_used_has_a_box_and_the_heads_are_context() -> None:
    element = table(ACCOUNTS)
    (citation,) = of_difference().citations
    boxes = {element.text[c.start : c.end]: c.bbox for c in element.cells}
    assert {boxes["120"], boxes["87"]} <= set(citation.boxes)
    assert {boxes["2020"], boxes["2021"], boxes["Harbour dues"]} <= {*citation.boxes, *citation.context}
    assert not set(citation.boxes) & set(citation.context)
    assert citation.quote in element.text


def test_a_question_that_asks_for_no_calculation_gets_none() -> None:
    assert computed_from("What were the harbour dues in 2019?", evidence(ACCOUNTS)) is None
    assert computed_from("How many seats does Kelp have?", evidence(BOATS)) is None


def test_the_computed_sentence_comes_first_and_the_limit_holds() -> None:
    found = with_computed(DIFFERENCE, evidence(ACCOUNTS), [QUOTE, QUOTE, QUOTE], 3)
    assert [(s.verdict, s.beside) for s in found] == [("computed", False), ("quoted", True), ("quoted", True)]


def test_where_nothing_is_quoted_nothing_is_computed() -> None:
    assert with_computed(DIFFERENCE, evidence(ACCOUNTS), [], 3) == []


def test_pages_are_counted_in_the_catalogue_even_where_nothing_is_quoted(town: Collection) -> None:
    pipeline = Pipeline(town, RagSettings(min_confidence=1.0))
    answer = pipeline.answer("How many pages does this document have?", documents=["mill.pdf"])
    assert [(s.text, s.verdict) for s in answer.sentences] == [("2 (counted pages: mill.pdf 2).", "computed")]


def test_a_count_stands_alone(town: Collection) -> None:
    answer = Pipeline(town, RagSettings()).answer("How many pages does this document have?", documents=["mill.pdf"])
    assert [(s.verdict, s.short) for s in answer.sentences] == [("computed", (0, 1))]


@pytest.mark.slow
@pytest.mark.gate
def test_on_a_real_document_the_cells_are_boxed(pipeline: Pipeline) -> None:
    question = "What is the difference between the revenue in 2024 and the revenue in 2023?"
    answer = pipeline.answer(question, documents=["sallow-bay-annual-report.pdf"])
    first = answer.sentences[0]
    assert first.verdict == "computed"
    assert "20,250 - 19,121 = 1,129" in first.text
    citation: Citation = first.citations[0]
    assert len(citation.boxes) >= 2
    assert all(box.overlap(citation.bbox) > 0.5 * box.area for box in citation.boxes)
